// SPDX-License-Identifier: GPL-2.0-or-later
// The number that an attribute of a DIE gives. A missing attribute and an unreadable one are different: the former
// often means a known number, the latter means none.
#pragma once

#include <cstdint>
#include <optional>

#include "dwarf/object.h"

namespace tapir::dwarf {

struct Number {
    enum class Kind : uint8_t {
        Absent,    // the DIE has no such attribute
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

// Returns an attribute's number, also from the DIE to which this one refers (dwarf_attr_integrate).
Number number_of(Dwarf_Die *die, unsigned name);

bool flag_of(Dwarf_Die *die, unsigned name);
// Reads the attribute of the DIE alone.
bool own_flag_of(Dwarf_Die *die, unsigned name);

// A constant of up to 64 bits; nothing for other forms. Only the forms that say so have a sign.
std::optional<int64_t> constant_of(Dwarf_Attribute *attribute);

}  // namespace tapir::dwarf
