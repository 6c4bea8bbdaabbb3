// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's answers about a process's threads, and its reasons for refusing them.
#pragma once

#include <sys/types.h>

#include <vector>

#include "common/outcome.h"
#include "core/notes.h"

namespace tapir::core {

// Includes threads that have ended but were not waited for.
std::vector<pid_t> thread_ids_of(pid_t pid);
// Those that have not ended.
std::vector<pid_t> threads_of(pid_t pid);
// Returns the thread whose directory in /proc shows the shared state, and whose memory can be read. That is the first
// thread, or another one if that has ended (pthread_exit(3)) and others live.
pid_t holder_of(pid_t pid);
// The thread must have been stopped by this one.
bool read_registers(pid_t thread, Thread &out);

// Returns why a process may not be looked at, or stopped, with advice: CoreUnreadable, or CoreEmpty.
Fault why_refused(pid_t pid, int error, bool stopping);
// Returns why the process has no memory to look at: CoreEmpty.
Fault why_without_memory(pid_t pid);

}  // namespace tapir::core
