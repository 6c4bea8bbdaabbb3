// SPDX-License-Identifier: GPL-2.0-or-later
// Visits the direct children of a node, so that a pass writes down only the nodes it cares about.
#pragma once

#include <type_traits>
#include <vector>

#include "ast/visit.h"

namespace tapir::ast {

// The children of an expression of each class, in evaluation order: calls to one(ExprPtr &).
namespace slots {

template <class One>
void many(std::vector<ExprPtr> &list, One &one) {
    for (ExprPtr &e : list)
        one(e);
}
template <class One>
void many(std::vector<Component> &list, One &one) {
    for (Component &c : list)
        one(c.index);
}

template <class Leaf, class One>
void of(Leaf &, One &) {
    static_assert(std::is_same_v<Leaf, Number> || std::is_same_v<Leaf, String> || std::is_same_v<Leaf, EmbeddedCExpr> ||
                      std::is_same_v<Leaf, VarRef> || std::is_same_v<Leaf, ProbeWrite> || std::is_same_v<Leaf, Const> ||
                      std::is_same_v<Leaf, Perf> || std::is_same_v<Leaf, SymbolAddress> ||
                      std::is_same_v<Leaf, ProgramAddress> || std::is_same_v<Leaf, HitArgument>,
                  "a class with something below it has an overload");
}
template <class One>
void of(Index &e, One &one) {
    one(e.base), many(e.keys, one);
}
template <class One>
void of(In &e, One &one) {
    many(e.keys, one), one(e.array);
}
template <class One>
void of(Unary &e, One &one) {
    one(e.operand);
}
template <class One>
void of(IncDec &e, One &one) {
    one(e.target);
}
template <class One>
void of(Binary &e, One &one) {
    one(e.left), one(e.right);
}
template <class One>
void of(Logical &e, One &one) {
    one(e.left), one(e.right);
}
template <class One>
void of(Compare &e, One &one) {
    one(e.left), one(e.right);
}
template <class One>
void of(Regex &e, One &one) {
    one(e.left);
}
template <class One>
void of(Concat &e, One &one) {
    one(e.left), one(e.right);
}
template <class One>
void of(Ternary &e, One &one) {
    one(e.cond), one(e.then_expr), one(e.else_expr);
}
template <class One>
void of(Assign &e, One &one) {
    one(e.target), one(e.value);
}
template <class One>
void of(Call &e, One &one) {
    many(e.args, one);
}
template <class One>
void of(Print &e, One &one) {
    many(e.args, one);
}
template <class One>
void of(StatOp &e, One &one) {
    one(e.stat), one(e.part), one(e.whole);
}
template <class One>
void of(Hist &e, One &one) {
    one(e.stat);
}
template <class One>
void of(Target &e, One &one) {
    many(e.components, one);
}
template <class One>
void of(Cast &e, One &one) {
    one(e.operand), many(e.components, one);
}
template <class One>
void of(AtVar &e, One &one) {
    many(e.components, one);
}
template <class One>
void of(Entry &e, One &one) {
    one(e.operand);
}
template <class One>
void of(Defined &e, One &one) {
    one(e.operand);
}
template <class One>
void of(Enum &e, One &one) {
    one(e.value);
}
template <class One>
void of(Register &e, One &one) {
    one(e.number);
}
template <class One>
void of(Deref &e, One &one) {
    one(e.size), one(e.address);
}

}  // namespace slots

// fn(ExprPtr &) for each direct subexpression in evaluation order; a "*" key is skipped. fn may replace the expression.
template <class Fn>
void each_slot(Expr &expr, Fn &&fn) {
    auto one = [&](ExprPtr &e) {
        if (e) fn(e);
    };
    visit(expr, [&](auto &node) { slots::of(node, one); });
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
