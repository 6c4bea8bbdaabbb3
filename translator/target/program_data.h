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

// A variable that all threads share, as @var names it: by debug information, else by the program's symbols, of which
// those of C++ and Rust have the names of their sources, too. Nothing, and the reason in `why`, when there is none.
std::optional<ProgramData> find_program_data(const DebugObject &program, std::string_view name, std::string &why);

}  // namespace tapir::target
