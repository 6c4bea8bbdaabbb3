// SPDX-License-Identifier: GPL-2.0-or-later
// Choosing between KVM and emulation.
#pragma once

#include <string>

#include "vm/guest.h"

namespace tapir::vm {

// /dev/kvm may be there and not work: nested, restricted or broken hosts hang or crash in the guest's first
// instructions. So KVM is used only after this kernel has booted with it to its first process within ten seconds. The
// verdict is kept below `cache` until the host boots again or QEMU changes. A signal ends the test without a verdict;
// `interrupted_by` is then its number.
bool kvm_works(const GuestConfig &config, const std::string &cache, int signal_fd, const Progress &progress,
               int &interrupted_by);

// Identifies the circumstances of a verdict.
std::string kvm_circumstances();

}  // namespace tapir::vm
