// SPDX-License-Identifier: GPL-2.0-or-later
// Advice about a value of the wrong type.
#pragma once

#include <string>

#include "ast/ast.h"

namespace tapir::types {

// For '$x.member', a string joined to a variable that nothing assigns.
inline constexpr char kMemberAdvice[] =
    "a member is reached with ->, of structures as well as of pointers; '.' joins strings";

// Returns how to convert the value of `e`, which has type `has`, to the wanted type; "" if nothing does. `otherwise` is
// the text without better advice.
std::string conversion_advice(const ast::Expr &e, ast::Type has, ast::Type wanted, const char *otherwise = nullptr);

}  // namespace tapir::types
