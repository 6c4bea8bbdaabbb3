// SPDX-License-Identifier: GPL-2.0-or-later
// What to do about a value of the wrong type.
#pragma once

#include <string>

#include "ast/ast.h"

namespace tapir::types {

// Of '$x.member', a string joined to a variable that nothing assigns.
inline constexpr char kMemberAdvice[] =
    "a member is reached with ->, of structures as well as of pointers; '.' joins strings";

// What makes the wanted type of the value of `e`, which has type `has`; "" when nothing does. `otherwise` is what is
// said unless more is known.
std::string conversion_advice(const ast::Expr &e, ast::Type has, ast::Type wanted, const char *otherwise = nullptr);

}  // namespace tapir::types
