// SPDX-License-Identifier: GPL-2.0-or-later
// The action budget. SystemTap counts a statement after it ran; a handler may not end earlier here than there. Code
// that always runs together is charged at once. A new charge begins where control may leave early: at loops' bodies and
// branches, behind statements that may jump, and in the body of a try behind code that may fail.
//
//   statement, round of a loop with a step        1
//   round of another loop                         1, or the units of its body
//   call of a function without loops              the statements on its longest path, at the call
//   call of a function with loops                 its statements, as they run
//   calls in a function's return value, and
//   recursive calls, of functions without loops   nothing
//   embedded C function, try and catch, if without branches that do something  nothing
//
// Statements that cost nothing are bounded nevertheless: 1024 of them are allowed for each unit.
#include <algorithm>

#include "ast/walk.h"
#include "ir/lowerer.h"

namespace tapir::ir {

void BodyLowerer::charge(int64_t units, const SourceRef &at) {
    if (budgeted_ && units > 0) failing(emit(Op::Charge, {}, number(units)), at);
}

// Returns the cost of the functions that an expression calls, as far as they do not count themselves.
int64_t BodyLowerer::call_cost(const ast::Expr *e) const {
    int64_t units = 0;
    if (!e) return 0;
    ast::each_expr(*e, [&](const ast::Expr &part) {
        if (part.kind != ast::ExprKind::Call) return;
        int64_t most = 0;
        for (const ast::Function *f : static_cast<const ast::Call &>(part).candidates) {
            const Cost &cost = m_.effects.function(f).effects.cost;
            if (!cost.loops) most = std::max(most, cost.units);
        }
        units = std::min(units + most, kMostStatements);
    });
    return units;
}

// Likewise for the statement's own expressions; for a loop, those that are evaluated before its first round.
int64_t BodyLowerer::call_cost(const ast::Stmt &s) const {
    const ast::Expr *step = s.kind == ast::StmtKind::For ? static_cast<const ast::For &>(s).step.get() : nullptr;
    int64_t units = 0;
    ast::each_child(
        s,
        [&](const ast::Expr &e) {
            if (&e != step) units = std::min(units + call_cost(&e), kMostStatements);
        },
        [](const ast::Stmt &) {});
    return units;
}

// In the body of a try, a call is charged when it has returned.
static bool charged_later(const ast::Stmt &s, bool in_try) {
    return in_try && s.kind == ast::StmtKind::Expr;
}

int64_t BodyLowerer::own_cost(const ast::Stmt &s) const {
    const bool calls_count = s.kind != ast::StmtKind::Return && !charged_later(s, !catches_.empty());
    return statement_cost(s) + (calls_count ? call_cost(s) : 0);
}

// True if the rest of the statement's list may be left out.
bool BodyLowerer::may_leave(const ast::Stmt &s) const {
    bool leaves = false;
    ast::each_stmt(s, [&](const ast::Stmt &part) {
        leaves |= part.kind == ast::StmtKind::Break || part.kind == ast::StmtKind::Continue ||
                  part.kind == ast::StmtKind::Next || part.kind == ast::StmtKind::Return;
    });
    return leaves || (!catches_.empty() && m_.effects.can_fail(s));
}

// Adds the cost of the part that runs whenever `s` begins to run. False if the code after `s` may be left out.
bool BodyLowerer::add_lead(const ast::Stmt &s, int64_t &units) const {
    if (!budgeted_) return true;
    if (s.kind == ast::StmtKind::Block) {
        for (const ast::StmtPtr &child : static_cast<const ast::Block &>(s).body)
            if (child && !add_lead(*child, units)) return false;
        return true;
    }
    units = std::min(units + own_cost(s), kMostStatements);
    return !may_leave(s);
}

// Returns the place for an error about a branch: its first statement rather than its brace.
static const SourceRef &place(const ast::Stmt &s) {
    if (s.kind == ast::StmtKind::Block)
        for (const ast::StmtPtr &child : static_cast<const ast::Block &>(s).body)
            if (child) return place(*child);
    return s.at;
}

void BodyLowerer::charge_lead(const ast::Stmt &s) {
    int64_t units = 0;
    add_lead(s, units);
    charge(units, place(s));
}

// Finds the cost to charge behind those statements of a list that may leave it.
void BodyLowerer::note_rest(const std::vector<ast::StmtPtr> &list) {
    if (!budgeted_) return;
    const ast::Stmt *leaving = nullptr;
    for (const ast::StmtPtr &child : list) {
        if (!child) continue;
        int64_t units = 0;
        const bool goes_on = add_lead(*child, units);
        if (leaving && units > 0) {
            Rest &rest = rests_[leaving];
            if (rest.units == 0) rest.at = place(*child);
            rest.units = std::min(rest.units + units, kMostStatements);
        }
        if (!goes_on) leaving = child.get();
    }
}

void BodyLowerer::charge_rest(const ast::Stmt &s) {
    auto rest = rests_.find(&s);
    if (rest != rests_.end()) charge(rest->second.units, rest->second.at);
}

void BodyLowerer::spare(int64_t statements, const SourceRef &at) {
    if (sparing_ && statements > 0) failing(emit(Op::Spare, {}, number(statements)), at);
}

void BodyLowerer::expr_stmt(const ast::ExprStmt &s) {
    const int64_t later = budgeted_ && charged_later(s, !catches_.empty()) ? call_cost(s) : 0;
    if (later > 0) failing(emit(Op::Afford, {}, number(later)), s.at);
    effect(*s.expr);
    charge(later, s.at);
}

}  // namespace tapir::ir
