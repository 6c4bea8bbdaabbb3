// SPDX-License-Identifier: GPL-2.0-or-later
// Expressions that depend on what is probed: $variables, @cast and the like, and @defined questions about them.
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
    bool skip_bad = false;           // what cannot be had is 0 (or ""), with a warning
    bool put_off = false;            // what cannot be had becomes Missing, without a report
    std::function<bool(const ast::Call &)> is_callable = nullptr;  // is there a function for it? null: not known
};

// Does a body have such expressions?
bool has_context(const ast::Stmt &body);

// Replaces @defined and @probewrite by 0 or 1, drops the branches that these make unreachable, and replaces the context
// expressions that are left by what they mean at the place. Those that cannot be had are reported or put off. Members
// of values whose type is not known yet (is_untyped) are left.
void resolve_context(ast::StmtPtr &body, const ContextOptions &options, Diagnostics &diagnostics);
void resolve_context(ast::Stmt &body, const ContextOptions &options, Diagnostics &diagnostics);

void report_problem(const AccessProblem &problem, Diagnostics &diagnostics);
// What stands for a context expression that cannot be had, and its effects. Reported unless put off.
ast::ExprPtr instead_of(const ast::Expr &expr, const AccessProblem &problem, Effects effects,
                        const ContextOptions &options, Diagnostics &diagnostics);
// Moves the parts with effects out of `slot`, which is about to go.
void take_effects(ast::ExprPtr &slot, Effects &effects);
// What lacks a part lacks as a whole what the part lacks: an expression with a Missing below becomes that. True
// when it has.
bool raise_missing(ast::ExprPtr &slot);
// Reports the Missing that are left, each place in the script once.
using ReportedPlaces = std::set<std::tuple<const SourceFile *, size_t, size_t>>;
void report_missing(const ast::Stmt &body, ReportedPlaces &reported, Diagnostics &diagnostics);

}  // namespace tapir::resolve
