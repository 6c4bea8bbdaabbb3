// SPDX-License-Identifier: GPL-2.0-or-later
// Visits the direct children of a node, so that a pass writes down only the nodes it cares about.
#pragma once

#include <type_traits>

#include "ast/ast.h"

namespace tapir::ast {

// fn(ExprPtr &) for each direct subexpression in evaluation order; a "*" key is skipped. fn may replace the expression.
template <class Fn>
void each_slot(Expr &expr, Fn &&fn) {
    auto one = [&](ExprPtr &e) {
        if (e) fn(e);
    };
    auto many = [&](std::vector<ExprPtr> &list) {
        for (ExprPtr &e : list)
            one(e);
    };
    auto components = [&](std::vector<Component> &list) {
        for (Component &c : list)
            one(c.index);
    };
    switch (expr.kind) {
        case ExprKind::Number:
        case ExprKind::String:
        case ExprKind::EmbeddedC:
        case ExprKind::VarRef:
        case ExprKind::ProbeWrite:
        case ExprKind::Const:
        case ExprKind::Perf:
        case ExprKind::SymbolAddress:
        case ExprKind::ProgramAddress:
        case ExprKind::HitArgument:
            break;
        case ExprKind::Index: {
            auto &e = static_cast<Index &>(expr);
            one(e.base);
            many(e.keys);
            break;
        }
        case ExprKind::In: {
            auto &e = static_cast<In &>(expr);
            many(e.keys);
            one(e.array);
            break;
        }
        case ExprKind::Unary:
            one(static_cast<Unary &>(expr).operand);
            break;
        case ExprKind::IncDec:
            one(static_cast<IncDec &>(expr).target);
            break;
        case ExprKind::Binary:
            one(static_cast<Binary &>(expr).left), one(static_cast<Binary &>(expr).right);
            break;
        case ExprKind::Logical:
            one(static_cast<Logical &>(expr).left), one(static_cast<Logical &>(expr).right);
            break;
        case ExprKind::Compare:
            one(static_cast<Compare &>(expr).left), one(static_cast<Compare &>(expr).right);
            break;
        case ExprKind::Regex:
            one(static_cast<Regex &>(expr).left);
            break;
        case ExprKind::Concat:
            one(static_cast<Concat &>(expr).left), one(static_cast<Concat &>(expr).right);
            break;
        case ExprKind::Ternary: {
            auto &e = static_cast<Ternary &>(expr);
            one(e.cond), one(e.then_expr), one(e.else_expr);
            break;
        }
        case ExprKind::Assign:
            one(static_cast<Assign &>(expr).target), one(static_cast<Assign &>(expr).value);
            break;
        case ExprKind::Call:
            many(static_cast<Call &>(expr).args);
            break;
        case ExprKind::Print:
            many(static_cast<Print &>(expr).args);
            break;
        case ExprKind::StatOp:
            one(static_cast<StatOp &>(expr).stat);
            break;
        case ExprKind::Hist:
            one(static_cast<Hist &>(expr).stat);
            break;
        case ExprKind::Target:
            components(static_cast<Target &>(expr).components);
            break;
        case ExprKind::Cast:
            one(static_cast<Cast &>(expr).operand);
            components(static_cast<Cast &>(expr).components);
            break;
        case ExprKind::AtVar:
            components(static_cast<AtVar &>(expr).components);
            break;
        case ExprKind::Entry:
            one(static_cast<Entry &>(expr).operand);
            break;
        case ExprKind::Defined:
            one(static_cast<Defined &>(expr).operand);
            break;
        case ExprKind::Enum:
            one(static_cast<Enum &>(expr).value);
            break;
        case ExprKind::Register:
            one(static_cast<Register &>(expr).number);
            break;
        case ExprKind::Deref:
            one(static_cast<Deref &>(expr).size), one(static_cast<Deref &>(expr).address);
            break;
    }
}

// Direct parts of a statement in source order: expr_fn(ExprPtr &), stmt_fn(StmtPtr &), and var_fn(VarRef &) for the
// variables that foreach and catch bind, which cannot be replaced.
template <class ExprFn, class StmtFn, class VarFn>
void each_slot(Stmt &stmt, ExprFn &&expr_fn, StmtFn &&stmt_fn, VarFn &&var_fn) {
    auto expr = [&](ExprPtr &e) {
        if (e) expr_fn(e);
    };
    auto child = [&](StmtPtr &s) {
        if (s) stmt_fn(s);
    };
    switch (stmt.kind) {
        case StmtKind::Null:
        case StmtKind::EmbeddedC:
        case StmtKind::Next:
        case StmtKind::Break:
        case StmtKind::Continue:
            break;
        case StmtKind::Block:
            for (StmtPtr &s : static_cast<Block &>(stmt).body)
                child(s);
            break;
        case StmtKind::Expr:
            expr(static_cast<ExprStmt &>(stmt).expr);
            break;
        case StmtKind::If: {
            auto &s = static_cast<If &>(stmt);
            expr(s.cond), child(s.then_stmt), child(s.else_stmt);
            break;
        }
        case StmtKind::For: {
            auto &s = static_cast<For &>(stmt);
            expr(s.init), expr(s.cond), expr(s.step), child(s.body);
            break;
        }
        case StmtKind::While:
            expr(static_cast<While &>(stmt).cond), child(static_cast<While &>(stmt).body);
            break;
        case StmtKind::Foreach: {
            auto &s = static_cast<Foreach &>(stmt);
            expr(s.array);
            for (ExprPtr &e : s.slice)
                expr(e);
            expr(s.limit);
            if (s.value) var_fn(*s.value);
            for (auto &key : s.keys)
                var_fn(*key);
            child(s.body);
            break;
        }
        case StmtKind::Return:
            expr(static_cast<Return &>(stmt).value);
            break;
        case StmtKind::Delete:
            expr(static_cast<Delete &>(stmt).target);
            break;
        case StmtKind::Try: {
            auto &s = static_cast<Try &>(stmt);
            child(s.body);
            if (s.error) var_fn(*s.error);
            child(s.handler);
            break;
        }
    }
}

// The same for a tree that is only looked at: fn(const Expr &) for each direct subexpression ...
template <class Fn>
void each_child(const Expr &expr, Fn &&fn) {
    each_slot(const_cast<Expr &>(expr), [&](ExprPtr &e) { fn(static_cast<const Expr &>(*e)); });
}
// ... and expr_fn(const Expr &), stmt_fn(const Stmt &) for the direct parts of a statement.
template <class ExprFn, class StmtFn>
void each_child(const Stmt &stmt, ExprFn &&expr_fn, StmtFn &&stmt_fn) {
    each_slot(
        const_cast<Stmt &>(stmt), [&](ExprPtr &e) { expr_fn(static_cast<const Expr &>(*e)); },
        [&](StmtPtr &s) { stmt_fn(static_cast<const Stmt &>(*s)); }, [](VarRef &) {});
}

inline bool is_loop(StmtKind kind) {
    return kind == StmtKind::For || kind == StmtKind::While || kind == StmtKind::Foreach;
}

// Every expression below and including `root`, parents first: fn(Expr &) or fn(const Expr &).
template <class Fn>
void each_expr(Expr &root, Fn &&fn) {
    fn(root);
    each_slot(root, [&](ExprPtr &e) { each_expr(*e, fn); });
}
template <class Fn>
void each_expr(const Expr &root, Fn &&fn) {
    each_expr(const_cast<Expr &>(root), [&](Expr &e) { fn(static_cast<const Expr &>(e)); });
}

// Every expression in a statement and its children, bound variables included.
template <class Fn>
void each_expr(Stmt &root, Fn &&fn) {
    each_slot(
        root, [&](ExprPtr &e) { each_expr(*e, fn); }, [&](StmtPtr &s) { each_expr(*s, fn); },
        [&](VarRef &v) { fn(static_cast<Expr &>(v)); });
}
template <class Fn>
void each_expr(const Stmt &root, Fn &&fn) {
    each_expr(const_cast<Stmt &>(root), [&](Expr &e) { fn(static_cast<const Expr &>(e)); });
}

// Every statement below and including `root`, parents first: fn(Stmt &).
template <class Fn>
void each_stmt(Stmt &root, Fn &&fn) {
    fn(root);
    each_slot(
        root, [](ExprPtr &) {}, [&](StmtPtr &s) { each_stmt(*s, fn); }, [](VarRef &) {});
}
template <class Fn>
void each_stmt(const Stmt &root, Fn &&fn) {
    each_stmt(const_cast<Stmt &>(root), [&](Stmt &s) { fn(static_cast<const Stmt &>(s)); });
}

}  // namespace tapir::ast
