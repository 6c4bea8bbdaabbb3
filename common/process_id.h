// SPDX-License-Identifier: GPL-2.0-or-later
// Checks the numbers of processes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tapir {

// Explains why `pid` does not identify a process now, and names the process if it is another one's thread. "" if it
// identifies one, or if /proc hides other users' processes. `proc` is where the kernel shows processes.
std::string why_no_process(int64_t pid, const std::string &proc = "/proc");

// Returns the processes that `proc` shows and that are wanted, the lowest first.
std::vector<int64_t> processes_where(const std::function<bool(int64_t pid)> &wanted, const std::string &proc = "/proc");

// Returns the processes whose parent is `pid`, the lowest first; likewise.
std::vector<int64_t> child_processes(int64_t pid, const std::string &proc = "/proc");

}  // namespace tapir
