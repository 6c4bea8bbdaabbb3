// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's answers about a process's threads, and its reasons for refusing them.
#pragma once

#include <sys/types.h>

#include <vector>

#include "common/outcome.h"
#include "core/notes.h"

namespace tapir::core {

// With those that have ended and that nobody has waited for yet.
std::vector<pid_t> thread_ids_of(pid_t pid);
// Those that have not ended.
std::vector<pid_t> threads_of(pid_t pid);
// The thread whose directory in /proc tells what all of them share, and whose memory can be read: the first, or another
// one where that has ended (pthread_exit(3)) and others live.
pid_t holder_of(pid_t pid);
// The thread must have been stopped by this one.
bool read_registers(pid_t thread, Thread &out);

// Why a process may not be looked at, or stopped, with what to do: CoreUnreadable, or CoreEmpty.
Fault why_refused(pid_t pid, int error, bool stopping);
// Why there is nothing to look at: CoreEmpty.
Fault why_without_memory(pid_t pid);

}  // namespace tapir::core
