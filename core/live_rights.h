// SPDX-License-Identifier: GPL-2.0-or-later
// What the kernel shows of a process's threads, and why it shows nothing.
#pragma once

#include <sys/types.h>

#include <vector>

#include "common/outcome.h"
#include "core/notes.h"

namespace tapir::core {

// Those that have not ended.
std::vector<pid_t> threads_of(pid_t pid);
// Of a thread that this one has stopped.
bool read_registers(pid_t thread, Thread &out);

// Why a process may not be looked at, or stopped, with what to do: CoreUnreadable, or CoreEmpty.
Fault why_refused(pid_t pid, int error, bool stopping);
// Why there is nothing to look at: CoreEmpty.
Fault why_without_memory(pid_t pid);

}  // namespace tapir::core
