// SPDX-License-Identifier: GPL-2.0-or-later
// Variables of programs by name, for probes of the memory that they are in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "target/debug_info.h"

namespace tapir::target {

struct ProgramData {
    uint64_t address = 0;  // as linked
    uint64_t size = 0;     // bytes; 0: not known
};

// Finds a variable that all threads share, by its name for @var: by debug information, else by the program's symbols.
// Symbols of C++ and Rust also have the names of their sources. Nothing, and the reason in `why`, if it is unknown.
std::optional<ProgramData> find_program_data(const DebugObject &program, std::string_view name, std::string &why);

}  // namespace tapir::target
