// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstring>
#include <limits>

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

// False where the script must fail at run time.
bool compute(ast::BinaryOp op, int64_t a, int64_t b, int64_t &out) {
    auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
    switch (op) {
        case ast::BinaryOp::Add:
            out = static_cast<int64_t>(ua + ub);
            return true;
        case ast::BinaryOp::Sub:
            out = static_cast<int64_t>(ua - ub);
            return true;
        case ast::BinaryOp::Mul:
            out = static_cast<int64_t>(ua * ub);
            return true;
        case ast::BinaryOp::Div:
            if (b == 0) return false;
            out = b == -1 ? static_cast<int64_t>(0 - ua) : a / b;
            return true;
        case ast::BinaryOp::Mod:
            if (b == 0) return false;
            out = b == -1 ? 0 : a % b;
            return true;
        case ast::BinaryOp::And:
            out = a & b;
            return true;
        case ast::BinaryOp::Or:
            out = a | b;
            return true;
        case ast::BinaryOp::Xor:
            out = a ^ b;
            return true;
        case ast::BinaryOp::Shl:
            out = static_cast<int64_t>(ua << (ub & 63));
            return true;
        case ast::BinaryOp::Shr:
            out = a >> (ub & 63);
            return true;
        case ast::BinaryOp::ShrLogical:
            out = static_cast<int64_t>(ua >> (ub & 63));
            return true;
    }
    return false;
}

bool holds(ast::CompareOp op, int order) {
    switch (op) {
        case ast::CompareOp::Lt:
            return order < 0;
        case ast::CompareOp::Le:
            return order <= 0;
        case ast::CompareOp::Gt:
            return order > 0;
        case ast::CompareOp::Ge:
            return order >= 0;
        case ast::CompareOp::Eq:
            return order == 0;
        case ast::CompareOp::Ne:
            return order != 0;
    }
    return false;
}

void fold_unary(ast::ExprPtr &slot) {
    auto &e = static_cast<ast::Unary &>(*slot);
    const int64_t *n = number(e.operand);
    if (!n) return;
    switch (e.op) {
        case ast::UnaryOp::Plus:
            return become(slot, *n);
        case ast::UnaryOp::Minus:
            return become(slot, static_cast<int64_t>(0 - static_cast<uint64_t>(*n)));
        case ast::UnaryOp::Not:
            return become(slot, *n == 0);
        case ast::UnaryOp::Complement:
            return become(slot, ~*n);
    }
}

void fold_compare(ast::ExprPtr &slot, size_t capacity) {
    auto &e = static_cast<ast::Compare &>(*slot);
    if (const int64_t *a = number(e.left))
        if (const int64_t *b = number(e.right)) return become(slot, holds(e.op, *a < *b ? -1 : *a > *b));
    const std::string *a = text(e.left), *b = text(e.right);
    if (a && b && a->size() < capacity && b->size() < capacity)
        become(slot, holds(e.op, std::strcmp(a->c_str(), b->c_str())));
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
            int64_t result = 0;
            if (a && b && compute(e.op, *a, *b, result)) become(slot, result);
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
