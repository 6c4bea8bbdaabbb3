// SPDX-License-Identifier: GPL-2.0-or-later
// Formats of printf and sprintf.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ast/ast.h"

namespace tapir::syntax {

// Splits a format into literal text and conversions: %[flag][width][.precision][l]conversion, where flag is one of
// "0+- #" and width and precision are digits or "*". A "%" at the very end is literal. Returns the complaint, empty
// when the format is right.
std::string parse_format(std::string_view format, std::vector<ast::FormatPiece> &pieces);

}  // namespace tapir::syntax
