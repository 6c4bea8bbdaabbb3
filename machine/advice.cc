// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/advice.h"

namespace tapir::machine {

std::string signature_advice(const Facts &facts) {
    const std::string sign =
        "let stap sign it (--sign-key) with a key the kernel trusts, as docs/secure-boot.md tells, or stap-sign "
        "(--kernel-key)";
    if (facts.secure_boot == Answer::Yes)
        return sign + "; mokutil --import enrols a key; or switch Secure Boot off in the firmware";
    if (!facts.lockdown.empty())
        return sign + ", or boot without what locks the kernel down (Secure Boot, or the parameter lockdown)";
    return sign + ", or boot without the parameter module.sig_enforce=1";
}

}  // namespace tapir::machine
