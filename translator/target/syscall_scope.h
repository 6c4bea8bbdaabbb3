// SPDX-License-Identifier: GPL-2.0-or-later
// The scope of probes of system calls: the arguments by their names in the kernel, the number of the call, and at its
// return the result.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "target/scope.h"

namespace tapir::target {

class DebugInfo;

struct SyscallArgument {
    std::string type, name;  // as the kernel's headers write them
};

// `narrow`: of a 32-bit program. `debug`, which must outlive it, knows the types that pointers point to.
std::shared_ptr<const Scope> make_syscall_scope(const DebugInfo &debug, const std::vector<SyscallArgument> &arguments,
                                                bool narrow, bool at_return);

}  // namespace tapir::target
