// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/prune.h"

#include <algorithm>
#include <set>

#include "ast/walk.h"
#include "base/help.h"
#include "resolve/missing.h"

namespace tapir::resolve {

namespace {

bool of_user(const SourceRef &at) {
    return at.file && (at.file->origin() == Origin::UserScript || at.file->origin() == Origin::CommandLine);
}

const int64_t *number(const ast::ExprPtr &e) {
    return e && e->kind == ast::ExprKind::Number ? &static_cast<const ast::Number &>(*e).value : nullptr;
}

ast::StmtPtr nothing(const SourceRef &at) {
    return std::make_unique<ast::NullStmt>(at);
}

bool is_nothing(const ast::StmtPtr &s) {
    if (!s || s->kind == ast::StmtKind::Null) return true;
    if (s->kind != ast::StmtKind::Block) return false;
    const auto &body = static_cast<const ast::Block &>(*s).body;
    return std::all_of(body.begin(), body.end(), is_nothing);
}

// Is there something in it that this kind of probe does not have?
bool lacks_something(const ast::Expr &expr) {
    bool found = false;
    ast::each_expr(expr, [&](const ast::Expr &e) { found |= as_missing(e) != nullptr; });
    return found;
}

ast::StmtPtr expression(ast::ExprPtr e) {
    SourceRef at = e->at;
    return std::make_unique<ast::ExprStmt>(at, std::move(e));
}

// The local variable a statement-level assignment writes; null for anything else.
const ast::Variable *assigned_local(const ast::Expr &e) {
    const ast::Expr *target = nullptr;
    if (e.kind == ast::ExprKind::Assign) target = static_cast<const ast::Assign &>(e).target.get();
    if (e.kind == ast::ExprKind::IncDec) target = static_cast<const ast::IncDec &>(e).target.get();
    if (!target || target->kind != ast::ExprKind::VarRef) return nullptr;
    const ast::Variable *v = static_cast<const ast::VarRef &>(*target).variable;
    return v && v->scope == ast::Variable::Scope::Local ? v : nullptr;
}

}  // namespace

void Pruner::drop(ast::StmtPtr &s, const SourceRef &at) {
    if (of_user(at) && !diagnostics_.has_errors())
        diagnostics_.report(Tag::ElidedExpression, at, "Eliding side-effect-free expression");
    s = nothing(s->at);
}

void Pruner::stmt(ast::StmtPtr &s) {
    ast::each_slot(
        *s, [](ast::ExprPtr &) {}, [&](ast::StmtPtr &child) { stmt(child); }, [](ast::VarRef &) {});
    if (s->kind == ast::StmtKind::If) {
        auto &branch = static_cast<ast::If &>(*s);
        const int64_t *cond = number(branch.cond);
        if (cond) {
            ast::StmtPtr taken = std::move(*cond ? branch.then_stmt : branch.else_stmt);
            s = taken ? std::move(taken) : nothing(s->at);
        } else if (is_nothing(branch.then_stmt) && is_nothing(branch.else_stmt)) {
            s = expression(std::move(branch.cond));
            expression_statement(s);
        }
    } else if (s->kind == ast::StmtKind::While) {
        auto &loop = static_cast<ast::While &>(*s);
        const int64_t *cond = number(loop.cond);
        if ((cond && *cond == 0) || (is_nothing(loop.body) && cannot_be_asked(*loop.cond))) s = nothing(s->at);
    } else if (s->kind == ast::StmtKind::For) {
        auto &loop = static_cast<ast::For &>(*s);
        const int64_t *cond = number(loop.cond);
        const bool is_idle = loop.cond && is_nothing(loop.body) && cannot_be_asked(*loop.cond) &&
                             (!loop.step || purity_.pure(*loop.step));
        if (!is_idle && (!cond || *cond != 0)) return;
        if (!loop.init) return static_cast<void>(s = nothing(s->at));
        s = expression(std::move(loop.init));
        expression_statement(s);
    } else if (s->kind == ast::StmtKind::Expr) {
        expression_statement(s);
    }
}

// Has no effect, and no value at this kind of probe either.
bool Pruner::cannot_be_asked(const ast::Expr &e) const {
    return lacks_something(e) && purity_.pure(e);
}

void Pruner::expression_statement(ast::StmtPtr &s) {
    ast::ExprPtr &e = static_cast<ast::ExprStmt &>(*s).expr;
    const SourceRef at = e->at;
    if (purity_.pure(*e)) return drop(s, at);
    std::vector<ast::ExprPtr> acting;
    take_acting(std::move(e), acting);
    if (acting.size() == 1) {
        e = std::move(acting.front());
        return;
    }
    if (acting.empty()) return drop(s, at);
    auto block = std::make_unique<ast::Block>(s->at);
    for (ast::ExprPtr &one : acting)
        block->body.push_back(expression(std::move(one)));
    s = std::move(block);
}

void Pruner::warn_of_store(const ast::Expr &e, const std::string &name) {
    Diagnostic &diagnostic = diagnostics_.report(Tag::ElidedAssignment, e.at, "Eliding assignment to '" + name + "'");
    const bool sums = e.kind != ast::ExprKind::Assign || static_cast<const ast::Assign &>(e).op != ast::AssignOp::Set;
    if (sums)
        add_help(diagnostic, "a variable of a handler begins anew at each hit; 'global " + name +
                                 "' outside of handlers keeps it, and prints it at the end");
}

// Does it do no more than its operands do? Not asked where which of them are evaluated depends on their values.
bool Pruner::only_operands_act(const ast::Expr &e) const {
    switch (e.kind) {
        case ast::ExprKind::Unary:
        case ast::ExprKind::Binary:
        case ast::ExprKind::Compare:
        case ast::ExprKind::Concat:
        case ast::ExprKind::Cast:
        case ast::ExprKind::AtVar:
        case ast::ExprKind::Deref:
            return true;
        case ast::ExprKind::Call:
        case ast::ExprKind::Print:
            return purity_.itself_pure(e);
        case ast::ExprKind::Target:
            return purity_.itself_pure(e) && !(as_missing(e) && as_missing(e)->whole);
        case ast::ExprKind::Regex:
            return lacks_something(e);
        default:
            return false;
    }
}

// Takes the parts with effects, in their order, of an expression whose value is unused.
void Pruner::take_acting(ast::ExprPtr e, std::vector<ast::ExprPtr> &acting) {
    if (purity_.pure(*e)) return;
    if (e->kind == ast::ExprKind::Logical && purity_.pure(*static_cast<ast::Logical &>(*e).right))
        return take_acting(std::move(static_cast<ast::Logical &>(*e).left), acting);
    if (e->kind == ast::ExprKind::Ternary) {
        auto &choice = static_cast<ast::Ternary &>(*e);
        if (purity_.pure(*choice.then_expr) && purity_.pure(*choice.else_expr))
            return take_acting(std::move(choice.cond), acting);
    }
    if (!only_operands_act(*e)) return acting.push_back(std::move(e));
    ast::each_slot(*e, [&](ast::ExprPtr &operand) { take_acting(std::move(operand), acting); });
}

// `x = value` as a statement, where nothing reads x, is just `value`. True when there was one: then `value` may be
// another.
bool Pruner::dead_stores(ast::Stmt &root) {
    std::set<const ast::Expr *> written;   // references that only write
    std::set<const ast::Variable *> uses;  // variables with any other reference
    ast::each_stmt(root, [&](ast::Stmt &s) {
        if (s.kind != ast::StmtKind::Expr) return;
        const ast::Expr &e = *static_cast<ast::ExprStmt &>(s).expr;
        if (!assigned_local(e)) return;
        written.insert(e.kind == ast::ExprKind::Assign ? static_cast<const ast::Assign &>(e).target.get()
                                                       : static_cast<const ast::IncDec &>(e).target.get());
    });
    ast::each_expr(root, [&](ast::Expr &e) {
        if (e.kind == ast::ExprKind::VarRef && !written.count(&e)) uses.insert(static_cast<ast::VarRef &>(e).variable);
    });
    bool found = false;
    auto visit = [&](auto &self, ast::StmtPtr &s) -> void {
        ast::each_slot(
            *s, [](ast::ExprPtr &) {}, [&](ast::StmtPtr &child) { self(self, child); }, [](ast::VarRef &) {});
        if (s->kind != ast::StmtKind::Expr) return;
        ast::Expr &e = *static_cast<ast::ExprStmt &>(*s).expr;
        const ast::Variable *v = assigned_local(e);
        if (!v || uses.count(v)) return;
        found = true;
        if (of_user(e.at) && !asked_.contains(v) && !diagnostics_.has_errors()) warn_of_store(e, v->name);
        if (e.kind == ast::ExprKind::Assign) {
            ast::ExprPtr value = std::move(static_cast<ast::Assign &>(e).value);
            s = purity_.pure(*value) ? nothing(s->at) : expression(std::move(value));
        } else {
            s = nothing(s->at);
        }
    };
    ast::each_slot(
        root, [](ast::ExprPtr &) {}, [&](ast::StmtPtr &child) { visit(visit, child); }, [](ast::VarRef &) {});
    return found;
}

void Pruner::body(ast::StmtPtr &root) {
    constexpr int kEnough = 16;  // x = y; z = x; ...: each takes one round
    for (int i = 0; i < kEnough; ++i) {
        stmt(root);
        if (!dead_stores(*root)) break;
    }
    ast::each_stmt(*root, [](ast::Stmt &s) {
        if (s.kind != ast::StmtKind::Block) return;
        std::erase_if(static_cast<ast::Block &>(s).body,
                      [](const ast::StmtPtr &child) { return !child || child->kind == ast::StmtKind::Null; });
    });
}

void Pruner::body(std::unique_ptr<ast::Block> &root) {
    ast::StmtPtr slot = std::move(root);
    body(slot);
    root.reset(static_cast<ast::Block *>(slot.release()));
}

void forget_locals(const ast::Stmt &body, std::vector<std::unique_ptr<ast::Variable>> &locals) {
    std::set<const ast::Variable *> left;
    ast::each_expr(body, [&](const ast::Expr &e) {
        if (e.kind == ast::ExprKind::VarRef) left.insert(static_cast<const ast::VarRef &>(e).variable);
    });
    std::erase_if(locals, [&](const auto &local) {
        return local->scope == ast::Variable::Scope::Local && !left.count(local.get());
    });
}

}  // namespace tapir::resolve
