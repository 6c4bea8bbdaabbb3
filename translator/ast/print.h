// SPDX-License-Identifier: GPL-2.0-or-later
// Writes trees as text; ast::print is its door.
#pragma once

#include <string>

#include "ast/ast.h"

namespace tapir::ast {

class Printer {
  public:
    void file(const File &file);
    void expr(const Expr &expr);
    void stmt(const Stmt &stmt, int indent);
    std::string take() { return std::move(out_); }

  private:
    // Without the brackets that an expression needs as an operand.
    void bare(const Expr &expr);
    void pair(const Expr &left, std::string_view op, const Expr &right);
    void list(const std::vector<ExprPtr> &items);
    void components(const std::vector<Component> &list);
    void with_module(const std::string &module);
    void print_call(const Print &print);
    void cast(const Cast &cast);
    void stat_op(const StatOp &op);
    void hist(const Hist &hist);
    void enumerator(const Enum &node);

    void line(int indent);
    void nested(const Stmt &stmt, int indent);
    void if_stmt(const If &stmt, int indent);
    void foreach_stmt(const Foreach &stmt, int indent);
    void block(const Block &block, int indent);

    void global(const Variable &variable);
    void function(const Function &function);
    void points(const ProbePoints &points);
    void alias(const Alias &alias);

    std::string out_;
};

}  // namespace tapir::ast
