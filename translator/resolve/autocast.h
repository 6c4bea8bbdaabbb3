// SPDX-License-Identifier: GPL-2.0-or-later
// Members of values that got their type from a $variable, @cast or @var elsewhere: p = $file; p->f_pos.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/diagnostics.h"
#include "resolve/context_exprs.h"
#include "resolve/program.h"

namespace tapir::resolve {

// The bodies of a program, names resolved. Both grow while names are looked up.
struct AutocastBodies {
    const std::vector<ast::Function *> &functions;
    const std::vector<std::unique_ptr<Handler>> &handlers;
};

// How names are looked up meanwhile.
struct AutocastNames {
    std::function<void(ast::Expr &)> settle;       // in an expression that was made; its calls may be of new functions
    std::function<void(ast::Stmt &)> resume_stmt;  // in code that was put off until a @defined is answered, if any
    std::function<void(ast::Expr &)> resume_expr;
};

// A member that was found in the one type that its value had, before the value got others.
struct SeveralTypes {
    AccessProblem problem;
    SourceRef value;
};

// Replaces expressions that are is_untyped() by their meaning, and @defined of them by 0 or 1, or reports why they have
// none. The place has no scope; a privileged file counts as with -g. Pass the result to report_several().
std::vector<SeveralTypes> resolve_autocasts(const AutocastBodies &bodies, const ContextOptions &options,
                                            const AutocastNames &names, Diagnostics &diagnostics);

// Reports those that are still there, once code without effect is dropped.
void report_several(const std::vector<SeveralTypes> &several, const AutocastBodies &bodies, Diagnostics &diagnostics);

}  // namespace tapir::resolve
