// SPDX-License-Identifier: GPL-2.0-or-later
#include "types/target_types.h"

#include <map>

#include "ast/walk.h"

namespace tapir::types {

using ast::ExprKind;
using ast::TargetType;

namespace {

// Walks the program until nothing changes. What a variable or function has only goes from nothing to a type to a
// conflict, so it ends.
class Carrier {
  public:
    explicit Carrier(resolve::Program &program) : program_(program) {}

    void run() {
        do {
            changed_ = false;
            for (ast::Function *function : program_.functions) {
                function_ = function;
                if (function->body) stmt(*function->body);
            }
            function_ = nullptr;
            for (const auto &handler : program_.handlers) {
                if (handler->body) stmt(*handler->body);
            }
        } while (changed_);
    }

  private:
    // `place` is a variable's or a function's target_type.
    void merge(const TargetType *&place, const TargetType *type) {
        if (!type || place == type) return;
        bool &conflict = conflicts_[&place];
        if (conflict) return;
        conflict = place != nullptr;
        place = conflict ? nullptr : type;
        changed_ = true;
    }

    void stmt(ast::Stmt &node) {
        if (node.kind == ast::StmtKind::Return) {
            auto &value = static_cast<ast::Return &>(node).value;
            if (value && function_) merge(function_->target_type, expr(*value));
            return;
        }
        ast::each_slot(
            node, [&](ast::ExprPtr &e) { expr(*e); }, [&](ast::StmtPtr &s) { stmt(*s); }, [](ast::VarRef &) {});
    }

    const TargetType *expr(ast::Expr &e) {
        switch (e.kind) {
            case ExprKind::VarRef: {
                const ast::Variable *variable = static_cast<ast::VarRef &>(e).variable;
                return e.target_type = variable ? variable->target_type : nullptr;
            }
            case ExprKind::Assign:
                return e.target_type = assign(static_cast<ast::Assign &>(e));
            case ExprKind::Ternary: {
                auto &ternary = static_cast<ast::Ternary &>(e);
                expr(*ternary.cond);
                const TargetType *yes = expr(*ternary.then_expr), *no = expr(*ternary.else_expr);
                return e.target_type = yes && no && yes != no ? nullptr : yes ? yes : no;
            }
            case ExprKind::Call:
                return e.target_type = call(static_cast<ast::Call &>(e));
            default:
                ast::each_slot(e, [&](ast::ExprPtr &child) { expr(*child); });
                return e.target_type;
        }
    }

    const TargetType *assign(ast::Assign &assign) {
        const TargetType *type = expr(*assign.value);
        expr(*assign.target);
        if (assign.op != ast::AssignOp::Set) return nullptr;
        if (assign.target->kind == ExprKind::VarRef) {
            ast::Variable *variable = static_cast<ast::VarRef &>(*assign.target).variable;
            if (variable && variable->scope == ast::Variable::Scope::Local) merge(variable->target_type, type);
        }
        return type;
    }

    const TargetType *call(ast::Call &call) {
        for (ast::ExprPtr &arg : call.args)
            expr(*arg);
        const TargetType *type = nullptr;
        for (const ast::Function *function : call.candidates) {
            if (!function->target_type) continue;
            if (type && type != function->target_type) return nullptr;
            type = function->target_type;
        }
        return type;
    }

    resolve::Program &program_;
    ast::Function *function_ = nullptr;                    // whose body is walked
    std::map<const TargetType *const *, bool> conflicts_;  // by place
    bool changed_ = false;
};

}  // namespace

void carry_target_types(resolve::Program &program) {
    Carrier(program).run();
}

}  // namespace tapir::types
