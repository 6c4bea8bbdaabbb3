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

// The bodies of a program, names resolved. `functions` grows while `settle` runs.
struct AutocastBodies {
    const std::vector<ast::Function *> &functions;
    const std::vector<std::unique_ptr<Handler>> &handlers;
};

// Replaces what is_untyped() by what it means, and @defined of it by 0 or 1, or reports why it has no meaning. The
// place has no scope; in a privileged file it is as with -g. `settle` is called with each expression that was made,
// whose calls are of functions that may be new.
void resolve_autocasts(const AutocastBodies &bodies, const ContextOptions &options,
                       const std::function<void(ast::Expr &)> &settle, Diagnostics &diagnostics);

}  // namespace tapir::resolve
