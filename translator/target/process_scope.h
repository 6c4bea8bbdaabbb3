// SPDX-License-Identifier: GPL-2.0-or-later
// What a script can name at the probes of what processes do.
#pragma once

#include <memory>

#include "target/scope.h"

namespace tapir::target {

struct DebugObject;

enum class SystemCall : char { None, Entry, Return };

// The types of the process's program, if it is known, and what is known of a system call; null when that is nothing.
std::unique_ptr<Scope> make_process_scope(const DebugObject *program, SystemCall call);

}  // namespace tapir::target
