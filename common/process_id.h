// SPDX-License-Identifier: GPL-2.0-or-later
// Whether a number is that of a process.
#pragma once

#include <cstdint>
#include <string>

namespace tapir {

// Says why `pid` is not the number of a process now, and names the process if it is another thread's; "" if it is one,
// or if nobody can tell. `proc` is where the kernel shows processes.
std::string why_no_process(int64_t pid, const std::string &proc = "/proc");

}  // namespace tapir
