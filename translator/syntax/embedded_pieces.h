// SPDX-License-Identifier: GPL-2.0-or-later
// C within the body of a script function that uses the function's parameters.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "ast/ast.h"

namespace tapir::syntax {

// The prefix of such functions' names.
constexpr std::string_view kPiece = "__embedded_";

// Makes each piece of C in the body that names STAP_ARG_x or THIS->x, of parameters of the function, a call of a
// private function in C with these parameters: `first` and the following numbers tell their names apart. Gives these
// functions.
std::vector<std::unique_ptr<ast::Function>> split_embedded(ast::Function &function, size_t first);

}  // namespace tapir::syntax
