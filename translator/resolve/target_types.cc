// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/target_types.h"

#include <map>

#include "ast/walk.h"

namespace tapir::resolve {

using ast::ExprKind;
using ast::TargetType;

namespace {

// Walks the program until nothing changes. What a variable or function has only goes from nothing to a type to a
// conflict, so it ends.
class Carrier {
  public:
    Carrier(const std::vector<ast::Function *> &functions, const std::vector<std::unique_ptr<Handler>> &handlers)
        : functions_(functions), handlers_(handlers) {}

    void run() {
        do {
            changed_ = false;
            for (ast::Function *function : functions_) {
                function_ = function;
                if (function->body) stmt(*function->body);
            }
            function_ = nullptr;
            for (const auto &handler : handlers_) {
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

    const std::vector<ast::Function *> &functions_;
    const std::vector<std::unique_ptr<Handler>> &handlers_;
    ast::Function *function_ = nullptr;                    // whose body is walked
    std::map<const TargetType *const *, bool> conflicts_;  // by place
    bool changed_ = false;
};

}  // namespace

const ScriptType *ScriptTypes::of(const ctypes::Type &type, bool is_address, bool user) {
    const ctypes::Type plain = type.stripped();
    const ctypes::TypeKind kind = plain.info().kind;
    if (!is_address && kind != ctypes::TypeKind::Pointer) return nullptr;
    std::string key = ctypes::type_name(plain) + (is_address ? "&" : "") + (user ? " user" : "");
    // Types without a name have only themselves to tell them apart; others are the same in every unit of an object.
    if (key.find("{...}") != std::string::npos) key += " " + std::to_string(plain.id);
    key += " " + std::to_string(reinterpret_cast<uintptr_t>(plain.source));
    std::unique_ptr<ScriptType> &made = types_[key];
    if (!made) {
        made = std::make_unique<ScriptType>();
        made->name = ctypes::type_name(plain) + (is_address ? "*" : "");
        made->type = plain;
        made->is_address = is_address;
        made->user = user;
    }
    return made.get();
}

void carry_target_types(const std::vector<ast::Function *> &functions,
                        const std::vector<std::unique_ptr<Handler>> &handlers) {
    Carrier(functions, handlers).run();
}

}  // namespace tapir::resolve
