// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/context.h"

#include <optional>

#include "ast/walk.h"

namespace tapir::resolve {

namespace {

using ast::ExprKind;

// What needs knowledge of the probed program.
bool is_context(const ast::Expr &expr) {
    switch (expr.kind) {
        case ExprKind::Target:
        case ExprKind::Cast:
        case ExprKind::AtVar:
        case ExprKind::Entry:
        case ExprKind::Enum:
        case ExprKind::Perf:
        case ExprKind::Register:
        case ExprKind::Deref:
            return true;
        default:
            return false;
    }
}

bool has_context(const ast::Expr &expr) {
    bool found = false;
    ast::each_expr(expr, [&](const ast::Expr &e) { found |= is_context(e); });
    return found;
}

std::string context_name(const ast::Expr &expr) {
    switch (expr.kind) {
        case ExprKind::Target:
            return "target variable '" + static_cast<const ast::Target &>(expr).name + "'";
        case ExprKind::Cast:
            return "@cast";
        case ExprKind::AtVar:
            return "@var";
        case ExprKind::Entry:
            return "@entry";
        case ExprKind::Enum:
            return static_cast<const ast::Enum &>(expr).wants_name ? "@enumname" : "@enum";
        case ExprKind::Perf:
            return "@perf";
        case ExprKind::Register:
            return static_cast<const ast::Register &>(expr).user ? "@uregister" : "@kregister";
        default:
            return static_cast<const ast::Deref &>(expr).user ? "@uderef" : "@kderef";
    }
}

bool writes(const ast::Stmt &body, const std::string &name) {
    bool found = false;
    ast::each_expr(body, [&](const ast::Expr &e) {
        const ast::Expr *target = nullptr;
        if (e.kind == ExprKind::Assign) target = static_cast<const ast::Assign &>(e).target.get();
        if (e.kind == ExprKind::IncDec) target = static_cast<const ast::IncDec &>(e).target.get();
        if (target && target->kind == ExprKind::VarRef) found |= static_cast<const ast::VarRef *>(target)->name == name;
        if (target && target->kind == ExprKind::Target) found |= static_cast<const ast::Target *>(target)->name == name;
    });
    return found;
}

class Folder {
  public:
    Folder(const ContextOptions &options, Diagnostics &diagnostics) : options_(options), diagnostics_(diagnostics) {}

    void stmt(ast::StmtPtr &slot) {
        if (slot->kind == ast::StmtKind::If) {
            auto &branch = static_cast<ast::If &>(*slot);
            bool asked = expr(branch.cond);
            std::optional<int64_t> value = asked ? constant(*branch.cond) : std::nullopt;
            if (value) {
                ast::StmtPtr kept = std::move(*value ? branch.then_stmt : branch.else_stmt);
                if (!kept) kept = std::make_unique<ast::NullStmt>(slot->at);
                slot = std::move(kept);
                stmt(slot);
                return;
            }
            if (branch.then_stmt) stmt(branch.then_stmt);
            if (branch.else_stmt) stmt(branch.else_stmt);
            return;
        }
        children(*slot);
    }

    void children(ast::Stmt &node) {
        ast::each_slot(
            node, [&](ast::ExprPtr &e) { expr(e); }, [&](ast::StmtPtr &s) { stmt(s); }, [](ast::VarRef &) {});
    }

  private:
    // Folds below a slot; true when it asked @defined or @probewrite, which alone may make code unreachable here.
    bool expr(ast::ExprPtr &slot) {
        switch (slot->kind) {
            case ExprKind::Defined:
                answer(slot, !has_context(*static_cast<ast::Defined &>(*slot).operand));
                return true;
            case ExprKind::ProbeWrite:
                answer(slot, options_.own && writes(*options_.own, static_cast<ast::ProbeWrite &>(*slot).name));
                return true;
            case ExprKind::Ternary:
                return ternary(slot);
            case ExprKind::Logical:
                return logical(slot);
            default:
                break;
        }
        if (is_context(*slot)) {
            refuse(*slot);
            return false;
        }
        bool asked = false;
        ast::each_slot(*slot, [&](ast::ExprPtr &e) { asked |= expr(e); });
        return asked;
    }

    static void answer(ast::ExprPtr &slot, bool value) {
        slot = std::make_unique<ast::Number>(slot->at, value ? 1 : 0);
    }

    bool ternary(ast::ExprPtr &slot) {
        auto &choice = static_cast<ast::Ternary &>(*slot);
        bool asked = expr(choice.cond);
        if (std::optional<int64_t> value = asked ? constant(*choice.cond) : std::nullopt) {
            ast::ExprPtr kept = std::move(*value ? choice.then_expr : choice.else_expr);
            slot = std::move(kept);
            return expr(slot) || asked;
        }
        asked |= expr(choice.then_expr);
        return expr(choice.else_expr) || asked;
    }

    bool logical(ast::ExprPtr &slot) {
        auto &both = static_cast<ast::Logical &>(*slot);
        bool asked = expr(both.left);
        std::optional<int64_t> value = asked ? constant(*both.left) : std::nullopt;
        if (value && (*value != 0) != both.is_and) {
            answer(slot, *value != 0);
            return true;
        }
        return expr(both.right) || asked;
    }

    static std::optional<int64_t> constant(const ast::Expr &e) {
        switch (e.kind) {
            case ExprKind::Number:
                return static_cast<const ast::Number &>(e).value;
            case ExprKind::Unary: {
                const auto &unary = static_cast<const ast::Unary &>(e);
                if (unary.op != ast::UnaryOp::Not) return std::nullopt;
                std::optional<int64_t> value = constant(*unary.operand);
                return value ? std::optional<int64_t>(*value == 0) : std::nullopt;
            }
            case ExprKind::Logical: {
                const auto &both = static_cast<const ast::Logical &>(e);
                std::optional<int64_t> left = constant(*both.left), right = constant(*both.right);
                if (!left || !right) return std::nullopt;
                return both.is_and ? (*left && *right) : (*left || *right);
            }
            default:
                return std::nullopt;
        }
    }

    void refuse(const ast::Expr &e) {
        if (e.kind == ExprKind::Target && options_.in_function) {
            diagnostics_.report(Tag::TargetInFunction, e.at,
                                "target variables exist in probes only; pass " +
                                    static_cast<const ast::Target &>(e).name + " to the function as an argument");
            return;
        }
        diagnostics_.report(Tag::ContextUnsupported, e.at, context_name(e) + " is not supported yet");
    }

    const ContextOptions &options_;
    Diagnostics &diagnostics_;
};

}  // namespace

void resolve_context(ast::StmtPtr &body, const ContextOptions &options, Diagnostics &diagnostics) {
    Folder(options, diagnostics).stmt(body);
}

void resolve_context(ast::Stmt &body, const ContextOptions &options, Diagnostics &diagnostics) {
    Folder(options, diagnostics).children(body);
}

}  // namespace tapir::resolve
