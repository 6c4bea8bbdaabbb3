// SPDX-License-Identifier: GPL-2.0-or-later
// Drops code without effect, with a warning where the user wrote it. Types need not be known, and dropped code need not
// have any.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "ast/ast.h"
#include "base/diagnostics.h"
#include "resolve/purity.h"

namespace tapir::resolve {

// Removes unreachable branches, statements without effect, and assignments to variables that are never read.
class Pruner {
  public:
    // Does not warn of assignments to `asked`.
    Pruner(const Purity &purity, Diagnostics &diagnostics, std::set<const ast::Variable *> asked = {})
        : purity_(purity), diagnostics_(diagnostics), asked_(std::move(asked)) {}
    void body(ast::StmtPtr &root);
    void body(std::unique_ptr<ast::Block> &root);

  private:
    void stmt(ast::StmtPtr &s);
    bool dead_stores(ast::Stmt &root);
    void warn_of_store(const ast::Expr &e, const std::string &name);
    void drop(ast::StmtPtr &s, const SourceRef &at);
    bool cannot_be_asked(const ast::Expr &e) const;
    void expression_statement(ast::StmtPtr &s);
    bool only_operands_act(const ast::Expr &e) const;
    void take_acting(ast::ExprPtr e, std::vector<ast::ExprPtr> &acting);
    const Purity &purity_;
    Diagnostics &diagnostics_;
    std::set<const ast::Variable *> asked_;
};

// Takes away the variables that only code had which is gone from `body`.
void forget_locals(const ast::Stmt &body, std::vector<std::unique_ptr<ast::Variable>> &locals);

}  // namespace tapir::resolve
