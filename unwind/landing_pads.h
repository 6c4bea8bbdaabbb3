// SPDX-License-Identifier: GPL-2.0-or-later
// Tables of exception handlers: the language-specific data that compilers of C++, Rust and other languages make for the
// run-time library of C++ (Itanium C++ ABI: Exception Handling, 2.4, "LSDA", and the tables of GCC that follow it).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tapir::unwind {

// Returns the addresses where exceptions continue in a function, in any order. `table` begins with the function's
// table, which is at `address`, and may continue behind it; `function` is the function's first address. Nothing if it
// makes no sense.
std::optional<std::vector<uint64_t>> landing_pads(std::string_view table, uint64_t address, uint64_t function);

}  // namespace tapir::unwind
