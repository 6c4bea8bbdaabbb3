// SPDX-License-Identifier: GPL-2.0-or-later
// The effects of a handler or function: the globals it touches and how, its cost, whether it can fail. They include the
// functions it calls.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "ast/ast.h"
#include "resolve/program.h"

namespace tapir::ir {

// The variable an lvalue or statistics operand stands on: x, x[k], @hist_log(x)[i]; null for anything else.
const ast::Variable *base_variable(const ast::Expr &expr);

// Ways to touch a global.
enum Touch : uint32_t {
    TouchLoad = 1 << 0,      // the value is seen: scalar read, element read
    TouchStore = 1 << 1,     // = on a scalar, delete of a scalar
    TouchAdd = 1 << 2,       // += -= ++ -- whose result is unused
    TouchOr = 1 << 3,        // |= likewise
    TouchAnd = 1 << 4,       // &= likewise
    TouchXor = 1 << 5,       // ^= likewise
    TouchAtomic = 1 << 6,    // one of the four with its result used
    TouchModify = 1 << 7,    // other compound assignments
    TouchSample = 1 << 8,    // <<<
    TouchStat = 1 << 9,      // a statistic is read
    TouchElement = 1 << 10,  // = on an element
    TouchDelete = 1 << 11,   // of elements or statistics
    TouchIterate = 1 << 12,
    TouchSort = 1 << 13,    // foreach with sorting reorders the array
    TouchMember = 1 << 14,  // `in`
};
constexpr uint32_t kTouchCommutative = TouchAdd | TouchOr | TouchAnd | TouchXor;
constexpr uint32_t kTouchWrites =
    kTouchCommutative | TouchStore | TouchAtomic | TouchModify | TouchSample | TouchElement | TouchDelete | TouchSort;

struct Touched {
    uint32_t how = 0;
    int operations = 0;        // on the longest path, at most 2
    bool in_function = false;  // some of it in a called function
};
using Touches = std::map<const ast::Variable *, Touched>;

// Statements on the longest path, at most kMostStatements; in recursion, those of one call. `units`: as many of them as
// SystemTap counts. `unbounded` when loops or recursion leave open how often they run.
struct Cost {
    int64_t statements = 0, units = 0;
    bool unbounded = false;
    bool loops = false;
    bool spare = false;  // some are not counted: recursive calls, and calls in a function's return value
};
constexpr int64_t kMostStatements = 1000 * 1000 * 1000;

// Returns a statement's units of MAXACTION when it is reached, without its parts and the functions it calls.
int statement_cost(const ast::Stmt &s);

struct Effects {
    Touches globals;
    std::set<const ast::Variable *> locals_written;
    std::set<const ast::Function *> callees;  // direct
    Cost cost;
    bool prints = false;  // output other than into a string; embedded C counts if it may print
    bool clock = false;   // gettimeofday_*() is read
};

struct FunctionFacts {
    Effects effects;  // complete: callees included
    bool can_fail = false;
    bool has_next = false;
    bool recursive = false;
    bool output = false;  // embedded C that is not pure, or printing: must not be dropped
    int depth = 1;        // functions on the longest chain of calls, this one included; recursion counts once
};

class ProgramEffects {
  public:
    // `long_strings`: what statements do with strings takes as long as these are.
    explicit ProgramEffects(const resolve::Program &program, bool long_strings = false);

    const FunctionFacts &function(const ast::Function *f) const { return functions_.at(f); }
    bool recursive() const { return recursive_; }
    bool long_strings() const { return long_strings_; }
    // Effects of handlers and of single expressions; callees included.
    Effects of(const ast::Stmt &stmt) const;
    Effects of(const ast::Expr &expr, bool result_used) const;
    // True if evaluating `expr` can change `v`.
    bool writes(const ast::Expr &expr, const ast::Variable *v) const;
    // True if evaluating `expr` reads or changes `v`.
    bool mentions(const ast::Expr &expr, const ast::Variable *v) const;
    // `present`: an array of statistics, if only its existing elements with samples are read.
    bool can_fail(const ast::Expr &expr, const ast::Variable *present = nullptr) const;
    bool can_fail(const ast::Stmt &stmt) const;

  private:
    bool takes_long(const ast::Stmt &s) const;
    // Sums up its body from its callees' facts. True if they changed.
    bool sum_up(const ast::Function &f);

    std::map<const ast::Function *, FunctionFacts> functions_;
    bool recursive_ = false;
    bool long_strings_;
};

}  // namespace tapir::ir
