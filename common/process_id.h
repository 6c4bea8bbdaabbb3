// SPDX-License-Identifier: GPL-2.0-or-later
// Whether a number is that of a process.
#pragma once

#include <cstdint>
#include <string>

namespace tapir {

// Why `pid` is no process of this machine now, and for another thread's number the right one; "" when it is one, or
// nobody can tell. `proc` is where the kernel shows processes.
std::string why_no_process(int64_t pid, const std::string &proc = "/proc");

}  // namespace tapir
