// SPDX-License-Identifier: GPL-2.0-or-later
// Statements that print a global, or set it, for handlers that the translator makes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ast/ast.h"

namespace tapir::types {

// Builds nodes that all stand at the global's declaration.
class GlobalPrinter {
  public:
    explicit GlobalPrinter(ast::Variable &global) : global_(global) {}

    // The keys of the loops that body() and metric() make. Call it once, before them, where the handler has such loops.
    std::vector<std::unique_ptr<ast::Variable>> make_locals();

    // Prints it; of an array all elements, or so many.
    ast::StmtPtr body(int most = 0);
    // @row(globals, NAME, KEYS): what is printed of the global follows.
    ast::StmtPtr head() const;

    // Prints it as a metric of that kind: the number, or the histogram. At most kMetricElements of an array.
    ast::StmtPtr metric(const ast::Metric &metric, const ast::HistShape &shape);
    // The rows in front of it and behind it. `shape` is of a histogram.
    ast::StmtPtr metric_head(const ast::Metric &metric, const ast::HistShape &shape) const;
    ast::StmtPtr metric_end() const;

    // Gives it the value that it has when the session begins.
    ast::StmtPtr reset() const;
    ast::StmtPtr set(ast::ExprPtr value) const;
    std::unique_ptr<ast::VarRef> reference() const { return name(global_); }

  private:
    std::unique_ptr<ast::VarRef> name(ast::Variable &variable) const;
    ast::ExprPtr element() const;
    ast::StmtPtr each(ast::StmtPtr output, int most) const;
    ast::ExprPtr stat(ast::StatOpKind op) const;
    std::unique_ptr<ast::Print> line() const;
    std::unique_ptr<ast::Print> row(const std::string &table, std::vector<std::string> columns) const;
    ast::StmtPtr statement(std::unique_ptr<ast::Print> print) const;
    ast::StmtPtr value(ast::ExprPtr of) const;
    ast::StmtPtr statistic() const;
    ast::StmtPtr histogram(const ast::Metric &metric, const ast::HistShape &shape) const;

    ast::Variable &global_;
    std::vector<ast::Variable *> locals_;
};

constexpr int kMetricElements = 10000;

}  // namespace tapir::types
