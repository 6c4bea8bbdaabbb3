// SPDX-License-Identifier: GPL-2.0-or-later
// Running a command in a throw-away virtual machine.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "vm/guest.h"
#include "vm/kernels.h"
#include "vm/vm_options.h"

namespace tapir::vm {

// Boots a guest and runs argv in it with this process's stdin, stdout and stderr. SIGINT, SIGTERM, SIGHUP, SIGQUIT,
// SIGUSR1 and SIGUSR2 are passed on to the command while it runs (the process's signal mask is restored afterwards).
// Returns the exit status to end with: the command's, or one of status_* after reporting why. A signal that came before
// the command ran, or that ended the guest under it, gives 128 and its number, and no report; `interrupted_by`, if not
// null, is set to that number.
int run(const VmOptions &options, const std::vector<std::string> &argv, Diagnostics &diagnostics,
        int *interrupted_by = nullptr);

// Prepares a guest: fetches the kernel, chooses the acceleration. For programs that run several commands
// in one Guest. Nothing: a failure was reported, or a signal came; `interrupted_by` is its number.
std::optional<GuestConfig> prepare(const VmOptions &options, int signal_fd, Diagnostics &diagnostics,
                                   int &interrupted_by);

// The variables of this process that a command in the guest gets, and those of `extra`, as NAME=VALUE.
std::vector<std::string> guest_environment(const std::vector<std::string> &extra);

}  // namespace tapir::vm
