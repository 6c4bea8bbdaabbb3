// SPDX-License-Identifier: GPL-2.0-or-later
// Functions that the translator writes itself, where an expression cannot hold the meaning: values that are evaluated
// once and used often, and code that catches faults.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ast/ast.h"

namespace tapir::resolve {

class Synthesis {
  public:
    // Functions go into `file`, which outlives this; it counts as a privileged file of the library.
    explicit Synthesis(ast::File &file) : file_(file) { file.privileged = true; }

    struct Argument {
        std::string parameter;
        ast::ExprPtr value;
    };
    // A call of a function of type `result` with the given body, in which the arguments go by their parameters' names.
    // All arguments are numbers. Functions with the same parameters and the same body are made once.
    ast::ExprPtr call(const SourceRef &at, const std::string &stem, ast::Type result, std::vector<Argument> arguments,
                      ast::StmtPtr body);
    const ast::File &file() const { return file_; }

  private:
    ast::File &file_;
    std::map<std::string, ast::Function *> known_;  // by stem, parameters and body
};

// Moves parts out of `expr` that have a meaning only at the place of a hit, or must not be evaluated twice: registers,
// variables of the script, calls. Memory reads and arithmetic stay. The moved parts become arguments.
void hoist(ast::ExprPtr &expr, std::vector<Synthesis::Argument> &arguments);

// A sprintf under construction.
class FormatBuilder {
  public:
    explicit FormatBuilder(const SourceRef &at) : at_(at) {}

    void text(const std::string &text);
    void value(ast::FormatPiece::Conv conv, ast::ExprPtr value,
               ast::FormatPiece::Flag flag = ast::FormatPiece::Flag::None);
    size_t values() const { return args_.size(); }
    // An ast::Print, or an ast::String if there are no values.
    ast::ExprPtr build();

  private:
    SourceRef at_;
    std::string literal_;  // since the last value
    std::string format_;
    std::vector<ast::FormatPiece> pieces_;
    std::vector<ast::ExprPtr> args_;
};

}  // namespace tapir::resolve
