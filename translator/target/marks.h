// SPDX-License-Identifier: GPL-2.0-or-later
// Static probe points of programs ("SDT marks", sys/sdt.h): notes of type 3 by "stapsdt" that say where they are and
// where their arguments are found. Format: the note's descriptor is three addresses (the mark; that of the section
// .stapsdt.base when the note was made; a counter that enables the mark, or 0), then three strings: provider, name,
// arguments. Each argument is "N@OPERAND" in the assembler's syntax, N its bytes, negative for signed numbers, followed
// by "f" for floating point.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ctypes/place.h"
#include "dwarf/object.h"
#include "target/scope.h"

namespace tapir::target {

struct DebugObject;

struct Mark {
    uint64_t address = 0;    // as linked
    uint64_t semaphore = 0;  // address of the counter; 0: none
    std::string provider, name, arguments;
};

// All marks of a program, in the order of its notes. Damaged notes are left out.
std::vector<Mark> read_marks(const dwarf::Object &program);

struct MarkArgument {
    uint32_t bytes = 8;  // 1, 2, 4 or 8
    bool is_signed = false;
    ctypes::Place place;  // Absent with the reason when the operand is not understood
};
// `arch` as `uname -m` prints it. `symbols` finds the addresses of symbols that operands name.
std::vector<MarkArgument> parse_mark_arguments(std::string_view text, std::string_view arch,
                                               const dwarf::Object *symbols);

// Returns the scope of a mark: $arg1, $arg2, ..., $$name, $$provider; types of the program. `object` must outlive it.
std::unique_ptr<Scope> make_mark_scope(const DebugObject &object, const Mark &mark, std::string_view arch);

}  // namespace tapir::target
