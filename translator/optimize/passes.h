// SPDX-License-Identifier: GPL-2.0-or-later
// The optimizer's passes; private to optimize/.
#pragma once

#include <map>

#include "optimize/optimize.h"

namespace tapir::optimize {

// Replaces constant expressions by their value.
void fold(ast::ExprPtr &expr, const OptimizeOptions &options);

// Which functions do nothing but compute a value.
class Purity {
  public:
    explicit Purity(const resolve::Program &program);
    bool pure(const ast::Expr &expr) const;

  private:
    bool itself_pure(const ast::Expr &e) const;
    bool pure(const ast::Stmt &stmt) const;
    std::map<const ast::Function *, bool> functions_;
};

// Removes branches that are never taken, statements without effect, and assignments to variables nobody reads.
class Pruner {
  public:
    Pruner(const Purity &purity, Diagnostics &diagnostics) : purity_(purity), diagnostics_(diagnostics) {}
    void body(ast::StmtPtr &root);

  private:
    void stmt(ast::StmtPtr &s);
    void dead_stores(ast::Stmt &root);
    void drop(ast::StmtPtr &s, const ast::Expr &expr);
    const Purity &purity_;
    Diagnostics &diagnostics_;
};

}  // namespace tapir::optimize
