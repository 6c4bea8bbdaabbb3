// SPDX-License-Identifier: GPL-2.0-or-later
// Expressions and statements that can raise an error.
#include "ast/walk.h"
#include "ir/effects.h"
#include "ir/reckon.h"

namespace tapir::ir {

namespace {

bool expr_fails_itself(const ast::Expr &e) {
    switch (e.kind) {
        case ast::ExprKind::Binary: {
            auto &b = static_cast<const ast::Binary &>(e);
            if (b.op != ast::BinaryOp::Div && b.op != ast::BinaryOp::Mod) return false;
            return b.right->kind != ast::ExprKind::Number || static_cast<const ast::Number &>(*b.right).value == 0;
        }
        case ast::ExprKind::Assign: {
            auto &a = static_cast<const ast::Assign &>(e);
            return a.op == ast::AssignOp::Div || a.op == ast::AssignOp::Mod || a.target->kind != ast::ExprKind::VarRef;
        }
        case ast::ExprKind::IncDec:
            return static_cast<const ast::IncDec &>(e).target->kind == ast::ExprKind::Index;
        case ast::ExprKind::Index:
            return static_cast<const ast::Index &>(e).base->kind == ast::ExprKind::Hist;
        case ast::ExprKind::Print:
            for (const ast::FormatPiece &piece : static_cast<const ast::Print &>(e).pieces)
                if (piece.conv == ast::FormatPiece::Conv::MemoryRaw || piece.conv == ast::FormatPiece::Conv::MemoryHex)
                    return true;
            return false;
        case ast::ExprKind::In:
            // Goes through the elements, which may take too long.
            for (const ast::ExprPtr &key : static_cast<const ast::In &>(e).keys)
                if (!key) return true;
            return false;
        case ast::ExprKind::StatOp:  // there may be many processors
        case ast::ExprKind::Hist:
        case ast::ExprKind::EmbeddedC:
        case ast::ExprKind::Regex:
        case ast::ExprKind::Deref:
        case ast::ExprKind::Register:
            return true;
        default:
            return false;
    }
}

// Likewise of a statement.
bool deletes_many(const ast::Stmt &s) {
    if (s.kind != ast::StmtKind::Delete) return false;
    const ast::Expr &target = *static_cast<const ast::Delete &>(s).target;
    if (target.kind != ast::ExprKind::Index) {
        const ast::Variable *v = base_variable(target);
        return v && !v->key_types.empty();
    }
    for (const ast::ExprPtr &key : static_cast<const ast::Index &>(target).keys)
        if (!key) return true;
    return false;
}

}  // namespace

// Only because a statistic may be empty, or the time over?
static bool fails_if_empty(const ast::Expr &e) {
    if (e.kind == ast::ExprKind::Hist) return true;
    if (e.kind != ast::ExprKind::StatOp) return false;
    const auto op = static_cast<const ast::StatOp &>(e).op;
    return op != ast::StatOpKind::Variance && op != ast::StatOpKind::Percentile && op != ast::StatOpKind::Median;
}

static const ast::Variable *statistic_of(const ast::Expr &e) {
    return base_variable(e.kind == ast::ExprKind::Hist ? e : *static_cast<const ast::StatOp &>(e).stat);
}

bool ProgramEffects::can_fail(const ast::Expr &expr, const ast::Variable *present) const {
    bool fails = false;
    ast::each_expr(expr, [&](const ast::Expr &e) {
        fails |= expr_fails_itself(e) && !(present && fails_if_empty(e) && statistic_of(e) == present);
        if (e.kind == ast::ExprKind::Call)
            for (const ast::Function *f : static_cast<const ast::Call &>(e).candidates)
                fails |= functions_.at(f).can_fail || functions_.at(f).has_next;
    });
    return fails;
}

// The clock is looked at, and the time may be over.
bool ProgramEffects::takes_long(const ast::Stmt &s) const {
    return work_of(s) > (statement_cost(s) ? kUnitWork : kSpareWork) || (long_strings_ && handles_text(s));
}

bool ProgramEffects::can_fail(const ast::Stmt &stmt) const {
    bool fails = false;
    ast::each_stmt(stmt, [&](const ast::Stmt &s) {
        fails |= s.kind == ast::StmtKind::EmbeddedC || ast::is_loop(s.kind) || deletes_many(s) || takes_long(s);
        ast::each_child(
            s, [&](const ast::Expr &e) { fails |= can_fail(e); }, [](const ast::Stmt &) {});
    });
    return fails;
}

}  // namespace tapir::ir
