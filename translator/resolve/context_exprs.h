// SPDX-License-Identifier: GPL-2.0-or-later
// Expressions that depend on what is probed: $variables, @cast and the like, and @defined questions about them.
#pragma once

#include "ast/ast.h"
#include "base/diagnostics.h"
#include "resolve/targets.h"

namespace tapir::resolve {

struct ContextOptions {
    TargetPlace place;
    const ast::Stmt *own = nullptr;  // the probe's own body, which @probewrite looks at
    bool skip_bad = false;           // what cannot be had is 0 (or ""), with a warning
};

// Does a body have such expressions?
bool has_context(const ast::Stmt &body);

// Replaces @defined and @probewrite by 0 or 1, drops the branches that these make unreachable, and replaces the context
// expressions that are left by what they mean at the place. Those that cannot be had are reported. Members of values
// whose type is not known yet (is_untyped) are left.
void resolve_context(ast::StmtPtr &body, const ContextOptions &options, Diagnostics &diagnostics);
void resolve_context(ast::Stmt &body, const ContextOptions &options, Diagnostics &diagnostics);

// What stands for a context expression that cannot be had, after the report.
ast::ExprPtr instead_of(const ast::Expr &expr, const AccessProblem &problem, bool skip_bad, Diagnostics &diagnostics);

}  // namespace tapir::resolve
