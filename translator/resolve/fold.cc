// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/fold.h"

#include <optional>
#include <utility>

#include "ast/arithmetic.h"
#include "ast/walk.h"

namespace tapir::resolve {

using ast::ExprKind;

bool is_effect(const ast::Expr &e) {
    return e.kind == ExprKind::Call || e.kind == ExprKind::Print || e.kind == ExprKind::Assign ||
           e.kind == ExprKind::IncDec || e.kind == ExprKind::EmbeddedC || e.kind == ExprKind::Regex;
}

bool has_effect(const ast::Expr &expr) {
    bool found = false;
    ast::each_expr(expr, [&](const ast::Expr &e) { found |= is_effect(e); });
    return found;
}

ast::ExprPtr *condition_of(ast::Stmt &stmt) {
    switch (stmt.kind) {
        case ast::StmtKind::If:
            return &static_cast<ast::If &>(stmt).cond;
        case ast::StmtKind::While:
            return &static_cast<ast::While &>(stmt).cond;
        case ast::StmtKind::For:
            return &static_cast<ast::For &>(stmt).cond;
        default:
            return nullptr;
    }
}

namespace {

// The value that an expression has in any case, if it is not an error; it may have effects.
std::optional<int64_t> known(const ast::Expr &expr) {
    switch (expr.kind) {
        case ExprKind::Number:
            return static_cast<const ast::Number &>(expr).value;
        case ExprKind::Unary: {
            const auto &unary = static_cast<const ast::Unary &>(expr);
            const std::optional<int64_t> value = known(*unary.operand);
            return value ? std::optional<int64_t>(ast::compute(unary.op, *value)) : std::nullopt;
        }
        case ExprKind::Binary: {
            const auto &binary = static_cast<const ast::Binary &>(expr);
            const std::optional<int64_t> left = known(*binary.left), right = known(*binary.right);
            return left && right ? ast::compute(binary.op, *left, *right) : std::nullopt;
        }
        case ExprKind::Compare: {
            const auto &compare = static_cast<const ast::Compare &>(expr);
            const std::optional<int64_t> left = known(*compare.left), right = known(*compare.right);
            if (!left || !right) return std::nullopt;
            return ast::holds(compare.op, *left < *right ? -1 : *left > *right);
        }
        case ExprKind::Logical: {
            const auto &both = static_cast<const ast::Logical &>(expr);
            const std::optional<int64_t> left = known(*both.left), right = known(*both.right);
            if ((left && (*left != 0) != both.is_and) || (right && (*right != 0) != both.is_and)) return !both.is_and;
            return left && right ? std::optional<int64_t>(both.is_and) : std::nullopt;
        }
        default:
            return std::nullopt;
    }
}

ast::StmtPtr statement(ast::ExprPtr expr, const SourceRef &at) {
    if (!expr) return std::make_unique<ast::NullStmt>(at);
    return std::make_unique<ast::ExprStmt>(expr->at, std::move(expr));
}

// A loop that never begins becomes the expression before its first turn.
ast::StmtPtr leave_loop(ast::StmtPtr &slot, ast::ExprPtr &cond, ast::ExprPtr *before) {
    const std::optional<int64_t> value = cond ? known(*cond) : 1;  // "for (;;)" has no condition
    if (!value || *value) return nullptr;
    const SourceRef at = slot->at;
    auto kept = std::make_unique<ast::Block>(at);
    if (before && *before) kept->body.push_back(statement(std::move(*before), at));
    if (has_effect(*cond)) kept->body.push_back(statement(std::move(cond), at));
    return std::exchange(slot, std::move(kept));
}

}  // namespace

bool asks(const ast::Expr &expr) {
    bool found = false;
    ast::each_expr(expr, [&](const ast::Expr &e) { found |= e.kind == ExprKind::Defined; });
    return found;
}

ast::StmtPtr take_branch(ast::StmtPtr &slot) {
    if (slot->kind == ast::StmtKind::While) return leave_loop(slot, static_cast<ast::While &>(*slot).cond, nullptr);
    if (slot->kind == ast::StmtKind::For) {
        auto &loop = static_cast<ast::For &>(*slot);
        return leave_loop(slot, loop.cond, &loop.init);
    }
    if (slot->kind != ast::StmtKind::If) return nullptr;
    auto &branch = static_cast<ast::If &>(*slot);
    const std::optional<int64_t> value = known(*branch.cond);
    if (!value) return nullptr;
    ast::StmtPtr kept = std::move(*value ? branch.then_stmt : branch.else_stmt);
    if (!kept) kept = std::make_unique<ast::NullStmt>(slot->at);
    if (has_effect(*branch.cond)) {
        auto both = std::make_unique<ast::Block>(slot->at);
        both->body.push_back(statement(std::move(branch.cond), slot->at));
        both->body.push_back(std::move(kept));
        kept = std::move(both);
    }
    return std::exchange(slot, std::move(kept));
}

ast::ExprPtr take_branch(ast::ExprPtr &slot) {
    if (slot->kind == ExprKind::Ternary) {
        auto &choice = static_cast<ast::Ternary &>(*slot);
        const std::optional<int64_t> value = known(*choice.cond);
        if (!value || has_effect(*choice.cond)) return nullptr;
        ast::ExprPtr kept = std::move(*value ? choice.then_expr : choice.else_expr);
        return std::exchange(slot, std::move(kept));
    }
    if (slot->kind != ExprKind::Logical) return nullptr;
    auto &both = static_cast<ast::Logical &>(*slot);
    const std::optional<int64_t> left = known(*both.left);
    if (!left || (*left != 0) == both.is_and || has_effect(*both.left)) return nullptr;
    return std::exchange(slot, std::make_unique<ast::Number>(slot->at, *left != 0));
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
    if (is_choice) {
        auto &choice = static_cast<ast::Ternary &>(*whole);
        branch->cond = std::move(choice.cond);
        branch->then_stmt = statement(std::move(choice.then_expr), slot->at);
        branch->else_stmt = statement(std::move(choice.else_expr), slot->at);
    } else {
        auto &both = static_cast<ast::Logical &>(*whole);
        branch->cond = both.is_and ? std::move(both.left)
                                   : std::make_unique<ast::Unary>(both.at, ast::UnaryOp::Not, std::move(both.left));
        branch->then_stmt = statement(std::move(both.right), slot->at);
    }
    slot = std::move(branch);
    return true;
}

}  // namespace tapir::resolve
