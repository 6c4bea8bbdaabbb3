// SPDX-License-Identifier: GPL-2.0-or-later
// Checks the numbers of processes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tapir {

// Explains why `pid` does not identify a process now, and names the process if it is another one's thread. "" if it
// identifies one, or if /proc hides other users' processes. `proc` is where the kernel shows processes.
std::string why_no_process(int64_t pid, const std::string &proc = "/proc");

// Returns the processes whose parent is `pid`, the lowest first; likewise.
std::vector<int64_t> child_processes(int64_t pid, const std::string &proc = "/proc");

}  // namespace tapir
