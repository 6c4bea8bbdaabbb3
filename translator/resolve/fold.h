// SPDX-License-Identifier: GPL-2.0-or-later
// Statements in another form: without the branches that @defined and @probewrite decide against, or with "if" for "a &&
// f()".
#pragma once

#include "ast/ast.h"

namespace tapir::resolve {

// Does the expression, its operands aside, do more than give a value?
bool is_effect(const ast::Expr &expr);
// Does evaluating it do more than give a value? Calls count, whatever they call.
bool has_effect(const ast::Expr &expr);

// What decides whether the statements below an "if" or a loop run; it may hold null. Null for other statements.
ast::ExprPtr *condition_of(ast::Stmt &stmt);

// Is there a @defined below that has no answer yet?
bool asks(const ast::Expr &expr);

// An "if" whose condition is known becomes the branch that is taken, a loop that never begins what stands before it.
// Effects of the condition stay. Gives what is left of the statement then; null if it is still there.
ast::StmtPtr take_branch(ast::StmtPtr &slot);
// Likewise for "?:". "&&" and "||" become a number if the left side alone decides.
ast::ExprPtr take_branch(ast::ExprPtr &slot);

// A statement "a && f()", "a || f()" or "a ? f() : g()", with calls or output last, becomes the "if" it means: what is
// called need not have a value. True when it has.
bool as_branch(ast::StmtPtr &slot);

}  // namespace tapir::resolve
