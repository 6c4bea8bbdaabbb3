// SPDX-License-Identifier: GPL-2.0-or-later
#include "ctypes/place.h"

#include <algorithm>

namespace tapir::ctypes {

namespace {

// Folds an operation on constants; false for those that could fail when run.
bool fold(TermOp op, int64_t a, int64_t b, int64_t &result) {
    const auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
    switch (op) {
        case TermOp::Add:
            result = static_cast<int64_t>(ua + ub);
            return true;
        case TermOp::Subtract:
            result = static_cast<int64_t>(ua - ub);
            return true;
        case TermOp::Multiply:
            result = static_cast<int64_t>(ua * ub);
            return true;
        case TermOp::And:
            result = a & b;
            return true;
        case TermOp::Or:
            result = a | b;
            return true;
        case TermOp::Xor:
            result = a ^ b;
            return true;
        case TermOp::Negate:
            result = static_cast<int64_t>(-ua);
            return true;
        case TermOp::Complement:
            result = ~a;
            return true;
        default:
            return false;
    }
}

std::string_view infix(TermOp op) {
    switch (op) {
        case TermOp::Add:
            return " + ";
        case TermOp::Subtract:
            return " - ";
        case TermOp::Multiply:
            return " * ";
        case TermOp::Divide:
            return " / ";
        case TermOp::Modulo:
            return " % ";
        case TermOp::And:
            return " & ";
        case TermOp::Or:
            return " | ";
        case TermOp::Xor:
            return " ^ ";
        case TermOp::ShiftLeft:
            return " << ";
        case TermOp::ShiftRight:
            return " >>> ";
        case TermOp::ShiftRightArithmetic:
            return " >> ";
        case TermOp::Equal:
            return " == ";
        case TermOp::NotEqual:
            return " != ";
        case TermOp::Less:
            return " < ";
        case TermOp::LessEqual:
            return " <= ";
        case TermOp::Greater:
            return " > ";
        case TermOp::GreaterEqual:
            return " >= ";
        default:
            return " ? ";
    }
}

TermPtr make(TermOp op, int64_t constant, uint8_t size, std::vector<TermPtr> operands) {
    return std::make_shared<const Term>(Term{op, constant, size, std::move(operands)});
}

}  // namespace

TermPtr constant_term(int64_t value) {
    return make(TermOp::Constant, value, 0, {});
}
TermPtr register_term(int64_t dwarf_number) {
    return make(TermOp::Register, dwarf_number, 0, {});
}
TermPtr argument_term(int64_t number) {
    return make(TermOp::Argument, number, 0, {});
}
TermPtr load_term(uint8_t size, TermPtr address) {
    return make(TermOp::Load, 0, size, {std::move(address)});
}
TermPtr relocated_term(uint64_t linked_address) {
    return make(TermOp::Relocated, static_cast<int64_t>(linked_address), 0, {});
}
TermPtr object_term() {
    return make(TermOp::Object, 0, 0, {});
}
TermPtr unknown_term() {
    return make(TermOp::Unknown, 0, 0, {});
}
TermPtr select_term(TermPtr condition, TermPtr yes, TermPtr no) {
    return make(TermOp::Select, 0, 0, {std::move(condition), std::move(yes), std::move(no)});
}

TermPtr make_term(TermOp op, TermPtr left, TermPtr right) {
    const bool left_constant = left->op == TermOp::Constant;
    const bool right_constant = !right || right->op == TermOp::Constant;
    if (left_constant && right_constant) {
        int64_t value = 0;
        if (fold(op, left->constant, right ? right->constant : 0, value)) return constant_term(value);
    }
    if (op == TermOp::Add && left_constant && !right_constant) return make_term(op, std::move(right), std::move(left));
    if (op == TermOp::Subtract && right && right_constant)
        return make_term(TermOp::Add, std::move(left), make_term(TermOp::Negate, std::move(right)));
    if (op == TermOp::Add && right && right_constant) {
        if (right->constant == 0) return left;
        if (left->op == TermOp::Add && left->operands[1]->op == TermOp::Constant)
            return make_term(op, left->operands[0], make_term(op, left->operands[1], std::move(right)));
        if (left->op == TermOp::Relocated)
            return relocated_term(static_cast<uint64_t>(left->constant) + static_cast<uint64_t>(right->constant));
    }
    std::vector<TermPtr> operands{std::move(left)};
    if (right) operands.push_back(std::move(right));
    return make(op, 0, 0, std::move(operands));
}

TermPtr extended_term(TermPtr value, uint64_t bytes, bool is_signed) {
    if (bytes >= 8) return value;
    if (!is_signed && value->op == TermOp::Load && value->size <= bytes) return value;
    const auto unused = static_cast<int64_t>(64 - bytes * 8);
    if (!is_signed) return make_term(TermOp::And, std::move(value), constant_term((int64_t{1} << bytes * 8) - 1));
    if (value->op == TermOp::Constant)
        return constant_term(static_cast<int64_t>(static_cast<uint64_t>(value->constant) << unused) >> unused);
    TermPtr shifted = make_term(TermOp::ShiftLeft, std::move(value), constant_term(unused));
    return make_term(TermOp::ShiftRightArithmetic, std::move(shifted), constant_term(unused));
}

TermPtr number_at(const Place &place, uint64_t bytes, bool is_signed) {
    if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) return nullptr;
    switch (place.kind) {
        case Place::Kind::Memory:
            return extended_term(load_term(static_cast<uint8_t>(bytes), place.term), bytes, is_signed);
        case Place::Kind::Register:
        case Place::Kind::Value:
            return extended_term(place.term, bytes, is_signed);
        default:
            return nullptr;
    }
}

bool has_op(const Term &term, TermOp op) {
    return term.op == op || std::any_of(term.operands.begin(), term.operands.end(),
                                        [op](const TermPtr &operand) { return has_op(*operand, op); });
}

std::string term_text(const Term &term) {
    switch (term.op) {
        case TermOp::Constant:
            return std::to_string(term.constant);
        case TermOp::Register:
            return "reg" + std::to_string(term.constant);
        case TermOp::Argument:
            return "argument" + std::to_string(term.constant);
        case TermOp::Relocated:
            return "address " + std::to_string(static_cast<uint64_t>(term.constant));
        case TermOp::Load:
            return "u" + std::to_string(term.size * 8) + "[" + term_text(*term.operands[0]) + "]";
        case TermOp::ThreadLocal:
            return "thread-local " + term_text(*term.operands[0]);
        case TermOp::Object:
            return "object";
        case TermOp::Unknown:
            return "unknown";
        case TermOp::Select:
            return "(" + term_text(*term.operands[0]) + " ? " + term_text(*term.operands[1]) + " : " +
                   term_text(*term.operands[2]) + ")";
        case TermOp::Negate:
            return "-" + term_text(*term.operands[0]);
        case TermOp::Complement:
            return "~" + term_text(*term.operands[0]);
        case TermOp::Absolute:
            return "abs(" + term_text(*term.operands[0]) + ")";
        default:
            break;
    }
    return "(" + term_text(*term.operands[0]) + std::string(infix(term.op)) + term_text(*term.operands[1]) + ")";
}

Place absent(std::string why) {
    Place place;
    place.why = std::move(why);
    return place;
}

}  // namespace tapir::ctypes
