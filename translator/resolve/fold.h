// SPDX-License-Identifier: GPL-2.0-or-later
// Statements in another form: without the branches that @defined and @probewrite decide against, or with "if" for "a &&
// f()".
#pragma once

#include <cstdint>
#include <optional>

#include "ast/ast.h"

namespace tapir::resolve {

// The value of a number, or of ! && || over numbers.
std::optional<int64_t> constant(const ast::Expr &expr);

// An "if" (any statement otherwise) whose condition is constant() becomes the branch that is taken. True when it has.
bool take_branch(ast::StmtPtr &slot);
// Likewise for "?:". "&&" and "||" become a number if the left side alone decides.
bool take_branch(ast::ExprPtr &slot);

// A statement "a && f()", "a || f()" or "a ? f() : g()", with calls or output last, becomes the "if" it means: what is
// called need not have a value. True when it has.
bool as_branch(ast::StmtPtr &slot);

}  // namespace tapir::resolve
