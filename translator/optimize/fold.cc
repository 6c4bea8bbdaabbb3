// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstring>
#include <optional>

#include "ast/arithmetic.h"
#include "ast/walk.h"
#include "optimize/passes.h"

namespace tapir::optimize {

namespace {

const int64_t *number(const ast::ExprPtr &e) {
    return e && e->kind == ast::ExprKind::Number ? &static_cast<const ast::Number &>(*e).value : nullptr;
}

const std::string *text(const ast::ExprPtr &e) {
    return e && e->kind == ast::ExprKind::String ? &static_cast<const ast::String &>(*e).value : nullptr;
}

void become(ast::ExprPtr &slot, int64_t n) {
    auto made = std::make_unique<ast::Number>(slot->at, n);
    made->type = ast::Type::Long;
    slot = std::move(made);
}

void become(ast::ExprPtr &slot, std::string s) {
    auto made = std::make_unique<ast::String>(slot->at, std::move(s));
    made->type = ast::Type::String;
    slot = std::move(made);
}

void fold_unary(ast::ExprPtr &slot) {
    auto &e = static_cast<ast::Unary &>(*slot);
    const int64_t *n = number(e.operand);
    if (!n) return;
    become(slot, ast::compute(e.op, *n));
}

void fold_compare(ast::ExprPtr &slot, size_t capacity) {
    auto &e = static_cast<ast::Compare &>(*slot);
    if (const int64_t *a = number(e.left))
        if (const int64_t *b = number(e.right)) return become(slot, ast::holds(e.op, *a < *b ? -1 : *a > *b));
    const std::string *a = text(e.left), *b = text(e.right);
    if (a && b && a->size() < capacity && b->size() < capacity)
        become(slot, ast::holds(e.op, std::strcmp(a->c_str(), b->c_str())));
}

// The right side of a decided && or || is its truth value.
void fold_logical(ast::ExprPtr &slot) {
    auto &e = static_cast<ast::Logical &>(*slot);
    const int64_t *a = number(e.left), *b = number(e.right);
    if (!a) return;
    bool decided = e.is_and ? *a == 0 : *a != 0;
    if (decided) return become(slot, !e.is_and);
    if (b) become(slot, *b != 0);
}

void fold_concat(ast::ExprPtr &slot, size_t capacity) {
    auto &e = static_cast<ast::Concat &>(*slot);
    const std::string *a = text(e.left), *b = text(e.right);
    if (!a || !b) return;
    std::string whole = a->substr(0, a->find('\0')) + b->substr(0, b->find('\0'));
    if (whole.size() < capacity) become(slot, std::move(whole));
}

}  // namespace

void fold(ast::ExprPtr &slot, const OptimizeOptions &options) {
    ast::each_slot(*slot, [&](ast::ExprPtr &child) { fold(child, options); });
    switch (slot->kind) {
        case ast::ExprKind::Unary:
            return fold_unary(slot);
        case ast::ExprKind::Binary: {
            auto &e = static_cast<ast::Binary &>(*slot);
            const int64_t *a = number(e.left), *b = number(e.right);
            const std::optional<int64_t> result = a && b ? ast::compute(e.op, *a, *b) : std::nullopt;
            if (result) become(slot, *result);
            return;
        }
        case ast::ExprKind::Compare:
            return fold_compare(slot, options.string_capacity);
        case ast::ExprKind::Logical:
            return fold_logical(slot);
        case ast::ExprKind::Concat:
            return fold_concat(slot, options.string_capacity);
        case ast::ExprKind::Ternary: {
            auto &e = static_cast<ast::Ternary &>(*slot);
            const int64_t *cond = number(e.cond);
            if (!cond) return;
            ast::ExprPtr taken = std::move(*cond ? e.then_expr : e.else_expr);
            slot = std::move(taken);
            return;
        }
        default:
            return;
    }
}

}  // namespace tapir::optimize
