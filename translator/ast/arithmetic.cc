// SPDX-License-Identifier: GPL-2.0-or-later
#include "ast/arithmetic.h"

namespace tapir::ast {

std::optional<int64_t> compute(BinaryOp op, int64_t a, int64_t b) {
    auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
    switch (op) {
        case BinaryOp::Add:
            return static_cast<int64_t>(ua + ub);
        case BinaryOp::Sub:
            return static_cast<int64_t>(ua - ub);
        case BinaryOp::Mul:
            return static_cast<int64_t>(ua * ub);
        case BinaryOp::Div:
            if (b == 0) return std::nullopt;
            return b == -1 ? static_cast<int64_t>(0 - ua) : a / b;
        case BinaryOp::Mod:
            if (b == 0) return std::nullopt;
            return b == -1 ? 0 : a % b;
        case BinaryOp::And:
            return a & b;
        case BinaryOp::Or:
            return a | b;
        case BinaryOp::Xor:
            return a ^ b;
        case BinaryOp::Shl:
            return static_cast<int64_t>(ua << (ub & 63));
        case BinaryOp::Shr:
            return a >> (ub & 63);
        case BinaryOp::ShrLogical:
            return static_cast<int64_t>(ua >> (ub & 63));
    }
    return std::nullopt;
}

int64_t compute(UnaryOp op, int64_t a) {
    switch (op) {
        case UnaryOp::Plus:
            return a;
        case UnaryOp::Minus:
            return static_cast<int64_t>(0 - static_cast<uint64_t>(a));
        case UnaryOp::Not:
            return a == 0;
        case UnaryOp::Complement:
            return ~a;
    }
    return a;
}

bool holds(CompareOp op, int order) {
    switch (op) {
        case CompareOp::Lt:
            return order < 0;
        case CompareOp::Le:
            return order <= 0;
        case CompareOp::Gt:
            return order > 0;
        case CompareOp::Ge:
            return order >= 0;
        case CompareOp::Eq:
            return order == 0;
        case CompareOp::Ne:
            return order != 0;
    }
    return false;
}

}  // namespace tapir::ast
