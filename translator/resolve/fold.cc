// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/fold.h"

namespace tapir::resolve {

using ast::ExprKind;

std::optional<int64_t> constant(const ast::Expr &expr) {
    switch (expr.kind) {
        case ExprKind::Number:
            return static_cast<const ast::Number &>(expr).value;
        case ExprKind::Unary: {
            const auto &unary = static_cast<const ast::Unary &>(expr);
            if (unary.op != ast::UnaryOp::Not) return std::nullopt;
            std::optional<int64_t> value = constant(*unary.operand);
            return value ? std::optional<int64_t>(*value == 0) : std::nullopt;
        }
        case ExprKind::Logical: {
            const auto &both = static_cast<const ast::Logical &>(expr);
            std::optional<int64_t> left = constant(*both.left), right = constant(*both.right);
            if (!left || !right) return std::nullopt;
            return both.is_and ? (*left && *right) : (*left || *right);
        }
        default:
            return std::nullopt;
    }
}

bool take_branch(ast::StmtPtr &slot) {
    if (slot->kind != ast::StmtKind::If) return false;
    auto &branch = static_cast<ast::If &>(*slot);
    const std::optional<int64_t> value = constant(*branch.cond);
    if (!value) return false;
    ast::StmtPtr kept = std::move(*value ? branch.then_stmt : branch.else_stmt);
    if (!kept) kept = std::make_unique<ast::NullStmt>(slot->at);
    slot = std::move(kept);
    return true;
}

bool take_branch(ast::ExprPtr &slot) {
    if (slot->kind == ExprKind::Ternary) {
        auto &choice = static_cast<ast::Ternary &>(*slot);
        const std::optional<int64_t> value = constant(*choice.cond);
        if (!value) return false;
        ast::ExprPtr kept = std::move(*value ? choice.then_expr : choice.else_expr);
        slot = std::move(kept);
        return true;
    }
    if (slot->kind != ExprKind::Logical) return false;
    auto &both = static_cast<ast::Logical &>(*slot);
    const std::optional<int64_t> left = constant(*both.left);
    if (!left || (*left != 0) == both.is_and) return false;
    slot = std::make_unique<ast::Number>(slot->at, *left != 0);
    return true;
}

namespace {

bool acts(const ast::Expr &expr) {
    switch (expr.kind) {
        case ExprKind::Call:
        case ExprKind::Print:
            return true;
        case ExprKind::Logical:
            return acts(*static_cast<const ast::Logical &>(expr).right);
        case ExprKind::Ternary:
            return acts(*static_cast<const ast::Ternary &>(expr).then_expr) ||
                   acts(*static_cast<const ast::Ternary &>(expr).else_expr);
        default:
            return false;
    }
}

}  // namespace

bool as_branch(ast::StmtPtr &slot) {
    if (slot->kind != ast::StmtKind::Expr) return false;
    ast::ExprPtr &whole = static_cast<ast::ExprStmt &>(*slot).expr;
    const bool is_choice = whole->kind == ExprKind::Ternary;
    if ((!is_choice && whole->kind != ExprKind::Logical) || !acts(*whole)) return false;
    auto branch = std::make_unique<ast::If>(slot->at);
    const auto statement = [](ast::ExprPtr expr) {
        const SourceRef at = expr->at;
        return std::make_unique<ast::ExprStmt>(at, std::move(expr));
    };
    if (is_choice) {
        auto &choice = static_cast<ast::Ternary &>(*whole);
        branch->cond = std::move(choice.cond);
        branch->then_stmt = statement(std::move(choice.then_expr));
        branch->else_stmt = statement(std::move(choice.else_expr));
    } else {
        auto &both = static_cast<ast::Logical &>(*whole);
        branch->cond = both.is_and ? std::move(both.left)
                                   : std::make_unique<ast::Unary>(both.at, ast::UnaryOp::Not, std::move(both.left));
        branch->then_stmt = statement(std::move(both.right));
    }
    slot = std::move(branch);
    return true;
}

}  // namespace tapir::resolve
