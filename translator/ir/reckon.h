// SPDX-License-Identifier: GPL-2.0-or-later
// Estimated cost of the parts of a script, in ns: at least their time on a slow processor that needs 1 ns for an
// instruction. The runtime adds costs that depend on the hit (tapir/work.h): frames of a stack, symbols, processors of
// a statistic, and bytes where strings may be longer than usual.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ast/ast.h"

namespace tapir::ir {

// Work that is covered by a statement that is a unit of MAXACTION, and by one that is not. No more is charged for it.
constexpr int64_t kUnitWork = 800, kSpareWork = 200;
// In an expression that takes longer than kLongWork, the parts look at the clock.
constexpr int64_t kLongWork = 100000, kWorkAtOnce = 50000;

// The work of the expression itself, without its operands.
int64_t own_work(const ast::Expr &e);
// With its operands.
int64_t work_of(const ast::Expr &e);
// The work that happens once when the statement is reached, without the statements in it and the turns of a loop.
int64_t work_of(const ast::Stmt &s);

// The greatest MAXSTRINGLEN that all this is about.
constexpr int64_t kUsualString = 512;
// True if the evaluation of an expression, apart from its operands, or of a statement goes through a string.
bool makes_long_text(const ast::Expr &e);
bool handles_text(const ast::Stmt &s);

// The work of a function of embedded C: from its own pragma:work:NS, or by its text, from its calls and loops.
int64_t embedded_work(const ast::Function &f);
// A function of the runtime, by its name; -1: no such function is known.
int64_t runtime_work(std::string_view name);
// The words of a text of C that a parenthesis follows: functions, macros, and statements such as `for`.
std::vector<std::string> called_words(std::string_view code);
// The names of the runtime's functions that a text of C calls, with macros for memory: one for each call.
std::vector<std::string> runtime_calls(std::string_view code);

}  // namespace tapir::ir
