// SPDX-License-Identifier: GPL-2.0-or-later
// Finds expressions that only compute a value. Types need not be known.
#pragma once

#include <map>
#include <vector>

#include "ast/ast.h"

namespace tapir::resolve {

class Purity {
  public:
    // Determines which of these functions only compute a value. Others count as acting.
    explicit Purity(const std::vector<ast::Function *> &functions);
    bool pure(const ast::Expr &expr) const;
    // The same, leaving its operands aside.
    bool itself_pure(const ast::Expr &e) const;

  private:
    bool pure(const ast::Stmt &stmt) const;
    std::map<const ast::Function *, bool> functions_;
};

}  // namespace tapir::resolve
