// SPDX-License-Identifier: GPL-2.0-or-later
#include "ast/walk.h"
#include "optimize/passes.h"

namespace tapir::optimize {

Purity::Purity(const resolve::Program &program) {
    // Optimistic, until nothing changes: a function is impure only for a reason.
    for (const ast::Function *f : program.functions)
        functions_[f] = !f->embedded_c || f->pragmas.pure;
    for (bool changed = true; changed;) {
        changed = false;
        for (const ast::Function *f : program.functions) {
            if (f->embedded_c || !functions_[f] || pure(*f->body)) continue;
            functions_[f] = false;
            changed = true;
        }
    }
}

// Leaving its operands aside.
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
        default:
            return true;
    }
}

bool Purity::pure(const ast::Expr &expr) const {
    bool pure = true;
    ast::each_expr(expr, [&](const ast::Expr &e) { pure &= itself_pure(e); });
    return pure;
}

// Of a function's body: may write its own variables. Loops may not end, `next` and errors are seen outside.
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

}  // namespace tapir::optimize
