// SPDX-License-Identifier: GPL-2.0-or-later
#include "optimize/optimize.h"

#include "ast/walk.h"
#include "optimize/passes.h"
#include "resolve/prune.h"

namespace tapir::optimize {

static void fold_stmt(ast::Stmt &s, const OptimizeOptions &options) {
    ast::each_slot(
        s, [&](ast::ExprPtr &e) { fold(e, options); }, [&](ast::StmtPtr &child) { fold_stmt(*child, options); },
        [](ast::VarRef &) {});
}

void run(resolve::Program &program, const OptimizeOptions &options, Diagnostics &diagnostics) {
    if (options.unoptimized) return;
    for (ast::Function *f : program.functions)
        if (f->body) fold_stmt(*f->body, options);
    for (auto &handler : program.handlers) {
        fold_stmt(*handler->body, options);
        if (handler->condition) fold(handler->condition, options);
    }
    const resolve::Purity purity(program.functions);
    resolve::Pruner pruner(purity, diagnostics);
    for (ast::Function *f : program.functions)
        if (f->body) pruner.body(f->body);
    for (auto &handler : program.handlers)
        pruner.body(handler->body);
}

}  // namespace tapir::optimize
