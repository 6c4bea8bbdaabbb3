// SPDX-License-Identifier: GPL-2.0-or-later
// Statements in another form: without the branches that @defined and @probewrite decide against, or with "if" for "a &&
// f()".
#pragma once

#include "ast/ast.h"

namespace tapir::resolve {

// Does the expression, its operands aside, do more than give a value?
bool is_effect(const ast::Expr &expr);
// True if evaluating it does more than give a value. All calls count.
bool has_effect(const ast::Expr &expr);

// Returns the condition of the statements below an "if" or a loop; it may hold null. Null for other statements.
ast::ExprPtr *condition_of(ast::Stmt &stmt);

// Is there a @defined below that has no answer yet?
bool asks(const ast::Expr &expr);

// Replaces an "if" whose condition is known by the branch that is taken, and a loop that never begins by the part
// before it. Effects of the condition stay. Returns the rest of the statement then; null if it is still there.
ast::StmtPtr take_branch(ast::StmtPtr &slot);
// Likewise for "?:". "&&" and "||" become a number if the left side alone decides.
ast::ExprPtr take_branch(ast::ExprPtr &slot);

// Turns a statement "a && f()", "a || f()" or "a ? f() : g()", with calls or output last, into the "if" it means: the
// called function need not have a value. True if it did.
bool as_branch(ast::StmtPtr &slot);

}  // namespace tapir::resolve
