// SPDX-License-Identifier: GPL-2.0-or-later
// Expressions that depend on what is probed: $variables, @cast and the like, and @defined questions about them.
#pragma once

#include "ast/ast.h"
#include "base/diagnostics.h"

namespace tapir::resolve {

struct ContextOptions {
    bool in_function = false;        // functions have no probe and so no $variables
    const ast::Stmt *own = nullptr;  // the probe's own body, which @probewrite looks at
};

// Replaces @defined and @probewrite by 0 or 1, drops the branches that these make unreachable, and reports each context
// expression that is left and cannot be had.
void resolve_context(ast::StmtPtr &body, const ContextOptions &options, Diagnostics &diagnostics);
void resolve_context(ast::Stmt &body, const ContextOptions &options, Diagnostics &diagnostics);

}  // namespace tapir::resolve
