// SPDX-License-Identifier: GPL-2.0-or-later
// The engine behind infer(): walks the program's bodies, in order, until no type changes any more. A body is walked
// again only if the type of a name in it has become known. Types only go from unknown to known, so it ends; a conflict
// is reported where it is met, once.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "ast/ast.h"
#include "base/diagnostics.h"
#include "resolve/program.h"

namespace tapir::types {

// The user's word for a type: "long", "string", "stats", "unknown".
std::string type_word(ast::Type type);

class Inference {
  public:
    Inference(resolve::Program &program, Diagnostics &diagnostics) : program_(program), diagnostics_(diagnostics) {}

    void run();

  private:
    // The type that an expression's place requires, and where that was fixed.
    struct Want {
        ast::Type type = ast::Type::Unknown;
        SourceRef why;
        bool value = true;           // false: the value is thrown away
        const char *help = nullptr;  // replacement for a value of another type, if more is known than the types
    };

    void seed();
    void collect_uses();
    void report_valueless();
    void body(size_t number);
    // Revisits the bodies that use a variable or function whose type changed.
    void changed(const void *of);
    void stmt(ast::Stmt &stmt);
    void foreach_stmt(ast::Foreach &loop);

    ast::Type expr(ast::Expr &expr, const Want &want);
    ast::Type kind(ast::Expr &expr, const Want &want);
    ast::Type known(ast::Expr &expr, ast::Type has, const Want &want);
    void numbers(ast::Expr &left, ast::Expr &right);
    void strings(ast::Concat &concat);
    void bucket_keys(std::vector<ast::ExprPtr> &keys);
    ast::Type same(ast::Expr &left, ast::Expr &right, const Want &want);
    ast::Type value_of(ast::Expr &expr, ast::Variable *variable, const Want &want);
    ast::Type assign(ast::Assign &assign, const Want &want);
    ast::Type call(ast::Call &call, const Want &want);
    void print(ast::Print &print);
    void formatted(ast::Print &print);
    // The variable behind a name or an element, its keys inferred; null when it has no declaration.
    ast::Variable *place(ast::Expr &target);
    void keys(ast::Variable &array, std::vector<ast::ExprPtr> &list);
    void key(ast::Variable &array, size_t number, ast::Expr &key);
    void statistic(ast::Expr &operand);
    void operands(ast::StatOp &op);

    void learn(ast::Variable &variable, ast::Type type, const SourceRef &at);
    void learn(ast::Function &function, ast::Type type, const SourceRef &at);
    void mismatch(ast::Expr &expr, ast::Type has, const Want &want);
    Diagnostic *report(const void *node, Tag tag, const SourceRef &at, std::string message);

    resolve::Program &program_;
    Diagnostics &diagnostics_;
    ast::Function *function_ = nullptr;                 // whose body is walked; null in handlers
    std::map<const void *, std::vector<size_t>> uses_;  // variable or function -> numbers of bodies
    std::set<size_t> due_;                              // numbers of the bodies to walk: handlers, then functions
    std::set<std::pair<const void *, Tag>> reported_;
    std::vector<const ast::Call *> valueless_;  // of functions that return nothing, where a value is needed
};

// True when a call of it has a value: a type was written, or some return has a value.
bool has_value(const ast::Function &function);

}  // namespace tapir::types
