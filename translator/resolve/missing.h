// SPDX-License-Identifier: GPL-2.0-or-later
// What stands for a context expression that cannot be had, until it is known whether it matters: code without effect,
// and branches that @defined decides against, are dropped first.
#pragma once

#include <string>
#include <utility>

#include "ast/ast.h"
#include "resolve/access.h"

namespace tapir::resolve {

// Of target variables, only these are left when a body has been resolved. Dumps show the reason as the name.
struct Missing : ast::Target {
    Missing(const SourceRef &where, AccessProblem what, bool effects)
        : ast::Target(where, what.message), problem(std::move(what)), acts(effects) {}
    AccessProblem problem;
    bool acts;  // what it stands for has effects
};

// Null for all others.
inline Missing *as_missing(ast::Expr &expr) {
    return expr.kind == ast::ExprKind::Target ? dynamic_cast<Missing *>(&expr) : nullptr;
}
inline const Missing *as_missing(const ast::Expr &expr) {
    return expr.kind == ast::ExprKind::Target ? dynamic_cast<const Missing *>(&expr) : nullptr;
}

}  // namespace tapir::resolve
