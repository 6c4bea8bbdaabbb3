// SPDX-License-Identifier: GPL-2.0-or-later
// Stands for a context expression without a meaning, until it is clear whether it matters. Code without effect, and
// branches that @defined decides against, are dropped first.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ast/ast.h"
#include "resolve/access_problem.h"

namespace tapir::resolve {

// Side effects of evaluating an expression.
struct Effects {
    bool acts = false;                // it has effects
    std::vector<ast::ExprPtr> parts;  // and these may have some
    bool whole = false;               // the parts are not evaluated where the expression is
};

// The only target variables that are left in a resolved body. Dumps show the reason as the name. Its indexes are the
// parts with effects of the original expression: names in them are looked up as in others.
struct Missing : ast::Target {
    Missing(const SourceRef &where, AccessProblem what, Effects effects)
        : ast::Target(where, what.message), problem(std::move(what)), acts(effects.acts), whole(effects.whole) {
        for (ast::ExprPtr &part : effects.parts)
            components.push_back({ast::Component::Kind::Index, where, {}, std::move(part), 0});
    }
    AccessProblem problem;
    bool acts;   // the original has effects of its own, apart from its parts
    bool whole;  // its parts cannot be evaluated without it: @entry(f())
};

// Null for all others.
inline Missing *as_missing(ast::Expr &expr) {
    return expr.kind == ast::ExprKind::Target ? dynamic_cast<Missing *>(&expr) : nullptr;
}
inline const Missing *as_missing(const ast::Expr &expr) {
    return expr.kind == ast::ExprKind::Target ? dynamic_cast<const Missing *>(&expr) : nullptr;
}

}  // namespace tapir::resolve
