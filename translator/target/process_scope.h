// SPDX-License-Identifier: GPL-2.0-or-later
// The scope of probes of processes' events.
#pragma once

#include <memory>

#include "target/scope.h"

namespace tapir::target {

struct DebugObject;

enum class SystemCall : char { None, Entry, Return };

// Returns a scope with the types of the process's program, if it is known, and the variables of a system call; null if
// both are missing.
std::unique_ptr<Scope> make_process_scope(const DebugObject *program, SystemCall call);

}  // namespace tapir::target
