// SPDX-License-Identifier: GPL-2.0-or-later
#include "syntax/operator_kinds.h"

#include "grammar.hh"

namespace tapir::syntax {

using T = Grammar::token;

bool is_assignment(int kind) {
    switch (kind) {
        case T::ASSIGN:
        case T::ADD_ASSIGN:
        case T::SUB_ASSIGN:
        case T::MUL_ASSIGN:
        case T::DIV_ASSIGN:
        case T::MOD_ASSIGN:
        case T::AND_ASSIGN:
        case T::OR_ASSIGN:
        case T::XOR_ASSIGN:
        case T::SHL_ASSIGN:
        case T::SHR_ASSIGN:
        case T::SHRL_ASSIGN:
        case T::CONCAT_ASSIGN:
            return true;
        default:
            return false;
    }
}

bool wants_operand(int kind) {
    switch (kind) {
        case T::PLUS:
        case T::MINUS:
        case T::STAR:
        case T::SLASH:
        case T::PERCENT:
        case T::AND:
        case T::OR:
        case T::XOR:
        case T::TILDE:
        case T::NOT:
        case T::LESS:
        case T::GREATER:
        case T::DOT:
        case T::COLON:
        case T::QUESTION:
        case T::SHL:
        case T::SHR:
        case T::SHRL:
        case T::SAMPLE:
        case T::EQUAL:
        case T::NOT_EQUAL:
        case T::LESS_EQUAL:
        case T::GREATER_EQUAL:
        case T::AND_AND:
        case T::OR_OR:
            return true;
        default:
            return is_assignment(kind);
    }
}

}  // namespace tapir::syntax
