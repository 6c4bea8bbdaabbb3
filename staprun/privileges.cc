// SPDX-License-Identifier: GPL-2.0-or-later
#include "privileges.h"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tapir::staprun {

void drop_privileges(bool keep_file_access) {
    __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct have[2] = {};
    if (syscall(SYS_capget, &header, have) != 0) return;
    unsigned keep = 1u << CAP_SYS_MODULE;
    if (keep_file_access) keep |= 1u << CAP_DAC_OVERRIDE;
    have[0].permitted &= keep;
    have[1].permitted = 0;
    for (auto &part : have) {
        part.effective = part.permitted;
        part.inheritable = 0;
    }
    // A refusal leaves more rights than needed, which is how staprun was started.
    syscall(SYS_capset, &header, have);
}

}  // namespace tapir::staprun
