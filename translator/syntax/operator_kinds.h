// SPDX-License-Identifier: GPL-2.0-or-later
// Groups of the scanner's kinds of tokens.
#pragma once

namespace tapir::syntax {

// True for "=" and for all that change their left side, such as "+=".
bool is_assignment(int kind);
// True for operators behind which an operand must follow, but for "=~" and "!~", whose right side is a literal.
bool wants_operand(int kind);

}  // namespace tapir::syntax
