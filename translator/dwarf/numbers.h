// SPDX-License-Identifier: GPL-2.0-or-later
// What an attribute of a DIE says as a number. That there is no such attribute, and that it says what cannot be read
// here, are different things: the former often means a known number, the latter none.
#pragma once

#include <cstdint>
#include <optional>

#include "dwarf/object.h"

namespace tapir::dwarf {

struct Number {
    enum class Kind : uint8_t {
        Absent,    // there is no such attribute
        Constant,  // `value`
        Computed,  // by an expression, or as a variable has it when the program runs: `attribute`
        Unknown,   // damaged, or of a form that is not known here
    };
    Kind kind = Kind::Absent;
    int64_t value = 0;
    Dwarf_Attribute attribute = {};

    bool is_absent() const { return kind == Kind::Absent; }
    bool is_constant() const { return kind == Kind::Constant; }
    // The constant; nothing for all else.
    std::optional<uint64_t> constant() const {
        return is_constant() ? std::optional(static_cast<uint64_t>(value)) : std::nullopt;
    }
};

// Also of what the DIE refers to (dwarf_attr_integrate).
Number number_of(Dwarf_Die *die, unsigned name);

bool flag_of(Dwarf_Die *die, unsigned name);
// Of the DIE alone.
bool own_flag_of(Dwarf_Die *die, unsigned name);

// A constant of up to 64 bits; nothing for other forms. Only the forms that say so have a sign.
std::optional<int64_t> constant_of(Dwarf_Attribute *attribute);

}  // namespace tapir::dwarf
