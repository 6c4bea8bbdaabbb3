// SPDX-License-Identifier: GPL-2.0-or-later
// Expressions that depend on the probed place: $variables, @cast and the like, and @defined questions about them.
#pragma once

#include <functional>
#include <set>
#include <tuple>

#include "ast/ast.h"
#include "base/diagnostics.h"
#include "resolve/missing.h"
#include "resolve/targets.h"

namespace tapir::resolve {

struct ContextOptions {
    TargetPlace place;
    const ast::Stmt *own = nullptr;  // the probe's own body, which @probewrite looks at
    bool skip_bad = false;           // an unavailable value is 0 (or ""), with a warning
    bool put_off = false;            // an unavailable value becomes Missing, without a report
    std::function<bool(const ast::Call &)> is_callable = nullptr;  // is there a function for it? null: not known
};

// Does a body have such expressions?
bool has_context(const ast::Stmt &body);

// Replaces @defined and @probewrite by 0 or 1, and drops the branches that these make unreachable. Replaces the
// remaining context expressions by their meaning at the place; reports or puts off unavailable ones. Leaves members of
// values whose type is not known yet (is_untyped).
void resolve_context(ast::StmtPtr &body, const ContextOptions &options, Diagnostics &diagnostics);
void resolve_context(ast::Stmt &body, const ContextOptions &options, Diagnostics &diagnostics);

void report_problem(const AccessProblem &problem, Diagnostics &diagnostics);
// Returns the replacement of a context expression that has no meaning, with its effects. Reports the problem unless put
// off.
ast::ExprPtr instead_of(const ast::Expr &expr, const AccessProblem &problem, Effects effects,
                        const ContextOptions &options, Diagnostics &diagnostics);
// Moves the parts with effects out of `slot`, which is about to go.
void take_effects(ast::ExprPtr &slot, Effects &effects);
// An expression with a Missing below becomes that Missing: it lacks as a whole what its part lacks. True if it did.
bool raise_missing(ast::ExprPtr &slot);
// Reports the Missing that are left, each place in the script once.
using ReportedPlaces = std::set<std::tuple<const SourceFile *, size_t, size_t>>;
void report_missing(const ast::Stmt &body, ReportedPlaces &reported, Diagnostics &diagnostics);

}  // namespace tapir::resolve
