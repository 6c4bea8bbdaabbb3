// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/purity.h"

#include <utility>

#include "ast/walk.h"
#include "resolve/missing.h"

namespace tapir::resolve {

Purity::Purity(const std::vector<ast::Function *> &functions) {
    // Optimistic: a function is impure only for a reason, which its callers have, too.
    for (const ast::Function *f : functions)
        functions_[f] = !f->embedded_c || f->pragmas.pure;
    std::vector<const ast::Function *> impure;
    std::map<const ast::Function *, std::vector<const ast::Function *>> callers;
    for (const ast::Function *f : functions) {
        if (f->embedded_c) continue;
        if (!pure(*f->body)) impure.push_back(f);
        ast::each_expr(static_cast<const ast::Stmt &>(*f->body), [&](const ast::Expr &e) {
            if (e.kind != ast::ExprKind::Call) return;
            for (const ast::Function *callee : static_cast<const ast::Call &>(e).candidates)
                callers[callee].push_back(f);
        });
    }
    while (!impure.empty()) {
        const ast::Function *f = impure.back();
        impure.pop_back();
        if (!std::exchange(functions_[f], false)) continue;
        const std::vector<const ast::Function *> &by = callers[f];
        impure.insert(impure.end(), by.begin(), by.end());
    }
}

bool Purity::itself_pure(const ast::Expr &e) const {
    switch (e.kind) {
        case ast::ExprKind::Assign:
        case ast::ExprKind::IncDec:
        case ast::ExprKind::EmbeddedC:
        case ast::ExprKind::Regex:  // matched() may ask about it
            return false;
        case ast::ExprKind::Print:
            return static_cast<const ast::Print &>(e).to_string;
        case ast::ExprKind::Call:
            for (const ast::Function *f : static_cast<const ast::Call &>(e).candidates) {
                auto found = functions_.find(f);
                if (found == functions_.end() || !found->second) return false;
            }
            return true;
        case ast::ExprKind::Target: {
            const Missing *missing = as_missing(e);
            return !missing || !missing->acts;
        }
        default:
            return true;
    }
}

bool Purity::pure(const ast::Expr &expr) const {
    bool pure = true;
    ast::each_expr(expr, [&](const ast::Expr &e) { pure &= itself_pure(e); });
    return pure;
}

// For a function's body, which may write its own variables. Loops may not end; `next` and errors are visible outside.
bool Purity::pure(const ast::Stmt &stmt) const {
    bool pure = true;
    auto writes_local = [](const ast::Expr &target) {
        return target.kind == ast::ExprKind::VarRef && static_cast<const ast::VarRef &>(target).variable &&
               static_cast<const ast::VarRef &>(target).variable->scope != ast::Variable::Scope::Global;
    };
    ast::each_stmt(stmt, [&](const ast::Stmt &s) {
        pure &= !ast::is_loop(s.kind) && s.kind != ast::StmtKind::EmbeddedC && s.kind != ast::StmtKind::Delete &&
                s.kind != ast::StmtKind::Next && s.kind != ast::StmtKind::Try;
    });
    ast::each_expr(stmt, [&](const ast::Expr &e) {
        if (e.kind == ast::ExprKind::Assign)
            pure &= writes_local(*static_cast<const ast::Assign &>(e).target);
        else if (e.kind == ast::ExprKind::IncDec)
            pure &= writes_local(*static_cast<const ast::IncDec &>(e).target);
        else
            pure &= itself_pure(e);
    });
    return pure;
}

}  // namespace tapir::resolve
