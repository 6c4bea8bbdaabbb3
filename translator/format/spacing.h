// SPDX-License-Identifier: GPL-2.0-or-later
// Blanks between two pieces of a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "format/pieces.h"

namespace tapir::formatter {

// The construct that a token belongs to, outside of all brackets.
enum class Head : uint8_t { None, Probe, Function, Global };

// An operator stands before its operand, behind it, or between two.
enum class Role : uint8_t { Plain, Prefix, Postfix, Binary };

struct Around {
    Head head = Head::None;
    bool in_path = false;     // probe points, outside of arguments and conditions: blanks mean something
    bool as_given = false;    // arguments of a macro: they may be anything
    bool in_foreach = false;  // the parentheses of a foreach
};

// True behind a token that ends an operand: an operator that follows is not a prefix.
bool ends_operand(const Piece &piece, Role role);
// True of operators with two operands, and those that can be a prefix, too.
bool is_operator(int kind);
// The role of an operator, from the tokens around it. `before` is null at the beginning.
Role role_of(const Piece &piece, const Piece *before, Role role_before, const Piece &after, const Around &around);

// Whether there is a blank between two tokens of a line. `before` and its role, then `piece` and its role.
bool blank_between(const Piece &before, Role role_before, const Piece &piece, Role role, const Around &around);

}  // namespace tapir::formatter
