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
    void show(const Number &e);
    void show(const String &e);
    void show(const EmbeddedCExpr &e);
    void show(const VarRef &e);
    void show(const Index &e);
    void show(const In &e);
    void show(const Unary &e);
    void show(const IncDec &e);
    void show(const Binary &e);
    void show(const Logical &e);
    void show(const Compare &e);
    void show(const Regex &e);
    void show(const Concat &e);
    void show(const Ternary &e);
    void show(const Assign &e);
    void show(const Call &e);
    void show(const Print &e);
    void show(const StatOp &e);
    void show(const Hist &e);
    void show(const Target &e);
    void show(const Cast &e);
    void show(const AtVar &e);
    void show(const Entry &e);
    void show(const Defined &e);
    void show(const ProbeWrite &e);
    void show(const Const &e);
    void show(const Enum &e);
    void show(const Perf &e);
    void show(const Register &e);
    void show(const Deref &e);
    void show(const SymbolAddress &e);
    void show(const ProgramAddress &e);
    void show(const HitArgument &e);
    void pair(const Expr &left, std::string_view op, const Expr &right);
    void list(const std::vector<ExprPtr> &items);
    void components(const std::vector<Component> &list);
    void with_module(const std::string &module);

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
    bool as_written_ = false;  // triggers, instead of what they became
};

}  // namespace tapir::ast
