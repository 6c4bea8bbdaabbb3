// SPDX-License-Identifier: GPL-2.0-or-later
// Drops code without effect, with a warning where the user wrote it. Types need not be known, and what is dropped need
// have none.
#pragma once

#include "ast/ast.h"
#include "base/diagnostics.h"
#include "resolve/purity.h"

namespace tapir::resolve {

// Removes branches that are never taken, statements without effect, and assignments to variables nobody reads.
class Pruner {
  public:
    Pruner(const Purity &purity, Diagnostics &diagnostics) : purity_(purity), diagnostics_(diagnostics) {}
    void body(ast::StmtPtr &root);
    void body(std::unique_ptr<ast::Block> &root);

  private:
    void stmt(ast::StmtPtr &s);
    bool dead_stores(ast::Stmt &root);
    void warn_of_store(const ast::Expr &e, const std::string &name);
    void drop(ast::StmtPtr &s, const ast::Expr &expr);
    const Purity &purity_;
    Diagnostics &diagnostics_;
};

// Takes away the variables that only code had which is gone from `body`.
void forget_locals(const ast::Stmt &body, std::vector<std::unique_ptr<ast::Variable>> &locals);

}  // namespace tapir::resolve
