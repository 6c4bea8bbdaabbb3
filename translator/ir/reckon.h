// SPDX-License-Identifier: GPL-2.0-or-later
// What the parts of a script are reckoned to take, in ns: at least what they take on a slow processor that needs 1 ns
// for an instruction. What depends on the hit is added where it is done (tapir/work.h): frames of a stack, symbols,
// processors of a statistic, and bytes where strings may be longer than usual.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ast/ast.h"

namespace tapir::ir {

// A statement that is a unit of MAXACTION may take so much, one that is none so much: no more is said of it.
constexpr int64_t kUnitWork = 800, kSpareWork = 200;
// Of an expression that takes longer than this, the parts look at the clock.
constexpr int64_t kLongWork = 100000, kWorkAtOnce = 50000;

// Of the expression itself, its operands aside.
int64_t own_work(const ast::Expr &e);
// With its operands.
int64_t work_of(const ast::Expr &e);
// What is evaluated once when the statement is reached: no statements in it, no turns of a loop.
int64_t work_of(const ast::Stmt &s);
// A turn of a loop, its body aside: the condition and the step.
int64_t work_of_turn(const ast::Stmt &s);

// The greatest MAXSTRINGLEN that all this is about.
constexpr int64_t kUsualString = 512;
// Does the evaluation of an expression, its operands aside, go through a string? Does what a statement evaluates?
bool makes_long_text(const ast::Expr &e);
bool handles_text(const ast::Stmt &s);

// A function of embedded C: what it says itself (pragma:work:NS), or by its text, what it calls and whether it loops.
int64_t embedded_work(const ast::Function &f);
// A function of the runtime, by its name; -1: no such function is known.
int64_t runtime_work(std::string_view name);
// The names of the runtime's functions that a text of C calls, with macros for memory: one for each call.
std::vector<std::string> runtime_calls(std::string_view code);

}  // namespace tapir::ir
