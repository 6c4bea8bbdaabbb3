// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/evaluator.h"

#include <dwarf.h>

#include <cstdio>
#include <cstring>
#include <limits>
#include <utility>

#include "dwarf/expressions.h"
#include "dwarf/numbers.h"

namespace tapir::dwarf {

using ctypes::absent;
using ctypes::constant_term;
using ctypes::load_term;
using ctypes::make_term;
using ctypes::Place;
using ctypes::register_term;
using ctypes::relocated_term;
using ctypes::TermOp;
using ctypes::TermPtr;

namespace {

// Expressions are short; a longer one is damaged or hostile.
constexpr size_t kMaxOperations = 1000, kMaxStack = 100;
constexpr int kMaxBranches = 4, kMaxCalls = 8;  // each branch doubles the operations to follow
const std::string kOnlyAtEntry =
    "only its value when the function was entered is known; probe the function's entry, or use @entry";

TermPtr difference_of_signs(TermPtr term) {
    return make_term(TermOp::Xor, std::move(term), constant_term(std::numeric_limits<int64_t>::min()));
}

}  // namespace

Place Evaluator::run(const Dwarf_Op *ops, size_t count) {
    if (count == 0) return absent("it is optimized out here");
    if (count > kMaxOperations) return absent("its location is too long");
    return follow(ops, count);
}

Place Evaluator::follow(const Dwarf_Op *ops, size_t count) {
    Place whole;
    for (size_t i = 0; i < count; ++i) {
        const Dwarf_Op &op = ops[i];
        if (op.atom == DW_OP_bra) return branch(ops, count, i);
        if (op.atom == DW_OP_skip) {
            const std::optional<size_t> to = jump_target(ops, count, i);
            if (!to) return absent("its location cannot be read");
            i = *to - 1;
        } else if (op.atom == DW_OP_piece) {
            whole.kind = Place::Kind::Pieces;
            whole.pieces.push_back({finish_piece(), op.number});
            reset();
        } else if (!step(op)) {
            return absent(why_.empty() ? "its location cannot be read" : why_);
        }
    }
    if (whole.kind != Place::Kind::Pieces) return finish();
    if (!stack_.empty() || !value_.empty()) return absent("its location cannot be read");
    return whole;
}

// Follows both ways; the final value is no + (condition != 0) * (yes - no).
Place Evaluator::branch(const Dwarf_Op *ops, size_t count, size_t jump) {
    TermPtr condition = pop();
    const std::optional<size_t> to = jump_target(ops, count, jump);
    if (!condition || !to || ++branches_ > kMaxBranches) return absent("its location cannot be read");
    Evaluator other = *this;
    const Place yes = other.follow(ops + *to, count - *to);
    Place no = follow(ops + jump + 1, count - jump - 1);
    if (yes.kind == Place::Kind::Absent) return yes;
    if (no.kind == Place::Kind::Absent) return no;
    if (yes.kind != no.kind || (yes.kind != Place::Kind::Value && yes.kind != Place::Kind::Memory))
        return absent("its location cannot be read");
    TermPtr taken = make_term(TermOp::NotEqual, std::move(condition), constant_term(0));
    TermPtr difference = make_term(TermOp::Subtract, yes.term, no.term);
    no.term = make_term(TermOp::Add, no.term, make_term(TermOp::Multiply, std::move(taken), std::move(difference)));
    return no;
}

void Evaluator::reset() {
    stack_.clear();
    ends_ = Ends::No;
    value_.clear();
}

Place Evaluator::finish_piece() {
    return stack_.empty() && value_.empty() ? absent("a part of it is optimized out") : finish();
}

Place Evaluator::finish() {
    Place place;
    if (!value_.empty()) {  // DW_OP_implicit_value
        if (value_.size() > 8) return absent("it is a constant that does not fit 64 bits");
        uint64_t bits = 0;
        std::memcpy(&bits, value_.data(), value_.size());
        place.kind = Place::Kind::Value;
        place.term = constant_term(static_cast<int64_t>(bits));
        return place;
    }
    if (stack_.empty()) return absent("its location cannot be read");
    place.kind = ends_ == Ends::No         ? Place::Kind::Memory
                 : ends_ == Ends::Register ? Place::Kind::Register
                                           : Place::Kind::Value;
    place.term = stack_.back().term;
    return place;
}

bool Evaluator::fail(std::string why) {
    why_ = std::move(why);
    return false;
}

bool Evaluator::fail_operation(const Dwarf_Op &op) {
    char text[8];
    std::snprintf(text, sizeof text, "%02x", op.atom);
    return fail("its location uses an operation that is not supported (DW_OP 0x" + std::string(text) + ")");
}

// ---- the stack

bool Evaluator::push(TermPtr term, Base base) {
    if (!term || stack_.size() >= kMaxStack) return false;
    if (base.bytes && !base.is_float) term = ctypes::extended_term(std::move(term), base.bytes, base.is_signed);
    stack_.push_back({std::move(term), base});
    return true;
}

bool Evaluator::pop(Value &value) {
    if (stack_.empty()) return false;
    value = std::move(stack_.back());
    stack_.pop_back();
    return true;
}

TermPtr Evaluator::pop() {
    Value top;
    return pop(top) ? std::move(top.term) : nullptr;
}

bool Evaluator::pick(size_t index) {
    if (index >= stack_.size()) return false;
    const Value value = stack_[stack_.size() - 1 - index];
    return push(value.term, value.base);
}

bool Evaluator::based(uint64_t reg, uint64_t offset) {
    TermPtr value = value_of_register(reg);
    return value && push(make_term(TermOp::Add, std::move(value), constant_term(static_cast<int64_t>(offset))));
}

bool Evaluator::in_register(uint64_t reg) {
    ends_ = context_.frame ? Ends::Value : Ends::Register;
    return push(value_of_register(reg));
}

// In a caller it is the value that the callee has saved.
TermPtr Evaluator::value_of_register(uint64_t reg) {
    if (!context_.frame) return register_term(static_cast<int64_t>(reg));
    TermPtr value = context_.frame->value_of(reg);
    if (!value) fail("a register of the caller is lost");
    return value;
}

uint64_t Evaluator::address_bytes() const {
    uint8_t bytes = 8;
    if (attribute_) dwarf_cu_info(attribute_->cu, nullptr, nullptr, nullptr, nullptr, nullptr, &bytes, nullptr);
    return bytes;
}

bool Evaluator::load(uint64_t size, Base base) {
    TermPtr address = pop();
    if (size != 1 && size != 2 && size != 4 && size != 8) return fail("it is read through memory of an odd size");
    return address && push(load_term(static_cast<uint8_t>(size), std::move(address)), base);
}

// ---- arithmetic

bool Evaluator::unary(TermOp op) {
    Value operand;
    if (!pop(operand)) return false;
    if (operand.base.is_float) return fail("it is computed with floating point");
    return push(make_term(op, std::move(operand.term)), operand.base);
}

// Typed values are kept extended to 64 bits, so that a result only needs to be cut to its type again.
bool Evaluator::binary(TermOp op) {
    Value right, left;
    if (!pop(right) || !pop(left)) return false;
    const bool is_shift = op == TermOp::ShiftLeft || op == TermOp::ShiftRight || op == TermOp::ShiftRightArithmetic;
    if (left.base.is_float || right.base.is_float) return fail("it is computed with floating point");
    if (!is_shift && !(left.base == right.base)) return false;
    return push(make_term(op, std::move(left.term), std::move(right.term)), left.base);
}

// Numbers of the generic type have a sign here.
bool Evaluator::compare(TermOp op) {
    if (stack_.size() < 2) return false;
    Value &right = stack_.back(), &left = stack_[stack_.size() - 2];
    if (left.base.bytes == 8 && !left.base.is_signed && !left.base.is_float && left.base == right.base) {
        left.term = difference_of_signs(std::move(left.term));
        right.term = difference_of_signs(std::move(right.term));
    }
    if (!binary(op)) return false;
    stack_.back().base = {};
    return true;
}

bool Evaluator::divide() {
    if (stack_.size() < 2) return false;
    const Base base = stack_.back().base;
    if (base.bytes == 8 && !base.is_signed && !base.is_float)
        return fail("it is computed with a division of 64 bits without a sign");
    return binary(TermOp::Divide);
}

// The generic type is unsigned, but terms are signed, so its larger half is negative here. Computes the remainder of
// twice the half.
bool Evaluator::modulo() {
    if (stack_.size() < 2) return false;
    const Base base = stack_.back().base;
    if (base.is_float || !(base == stack_[stack_.size() - 2].base) || (base.bytes && base.bytes < 8) || base.is_signed)
        return binary(TermOp::Modulo);
    Value right, left;
    if (!pop(right) || !pop(left)) return false;
    TermPtr half = make_term(TermOp::ShiftRight, left.term, constant_term(1));
    half = make_term(TermOp::Modulo, std::move(half), right.term);
    TermPtr whole = make_term(TermOp::Add, half, half);
    whole = make_term(TermOp::Add, std::move(whole), make_term(TermOp::And, left.term, constant_term(1)));
    return push(make_term(TermOp::Modulo, std::move(whole), right.term), base);
}

// The bits that come in are zeros, or the sign, of as many bits as the type has.
bool Evaluator::shift_right(TermOp op) {
    if (stack_.size() < 2) return false;
    Value &value = stack_[stack_.size() - 2];
    if (value.base.bytes && !value.base.is_float)
        value.term = ctypes::extended_term(std::move(value.term), value.base.bytes, op == TermOp::ShiftRightArithmetic);
    return binary(op);
}

// ---- types

// Finds the base type that an operation names; none is the generic type.
bool Evaluator::base_type(const Dwarf_Op &op, Base &base) {
    Dwarf_Die die;
    base = {};
    const bool converts = op.atom == DW_OP_convert || op.atom == DW_OP_GNU_convert || op.atom == DW_OP_reinterpret ||
                          op.atom == DW_OP_GNU_reinterpret;
    if (converts && op.number == 0) return true;
    if (!attribute_ || dwarf_getlocation_die(attribute_, &op, &die) != 0) return false;
    const Number bytes = number_of(&die, DW_AT_byte_size), bits = number_of(&die, DW_AT_bit_size);
    const Number encoding = number_of(&die, DW_AT_encoding);
    if (encoding.kind != Number::Kind::Constant) return fail("it is computed with a type that is not known");
    if (bytes.kind == Number::Kind::Constant)
        base.bytes = static_cast<uint64_t>(bytes.value);
    else if (bits.kind == Number::Kind::Constant && bits.value % 8 == 0)
        base.bytes = static_cast<uint64_t>(bits.value) / 8;
    // LLVM computes with as many bytes as a structure has left.
    const bool is_float = encoding.value == DW_ATE_float;
    if (base.bytes < 1 || base.bytes > 8 || (is_float && base.bytes != 4 && base.bytes != 8))
        return fail("it is computed with numbers of an odd size");
    switch (encoding.value) {
        case DW_ATE_signed:
        case DW_ATE_signed_char:
            base.is_signed = true;
            return true;
        case DW_ATE_unsigned:
        case DW_ATE_unsigned_char:
        case DW_ATE_boolean:
        case DW_ATE_address:
        case DW_ATE_UTF:
            return true;
        case DW_ATE_float:
            base.is_float = true;
            return true;
        default:
            return fail("it is computed with a type that is not known");
    }
}

bool Evaluator::convert(const Dwarf_Op &op, bool keeps_bits) {
    Base base;
    Value value;
    if (!base_type(op, base) || !pop(value)) return false;
    if (!keeps_bits && base.is_float != value.base.is_float) return fail("it is computed with floating point");
    if (!keeps_bits && base.is_float && base.bytes != value.base.bytes)
        return fail("it is computed with floating point");
    const auto bytes_of = [](const Base &of) { return of.bytes ? of.bytes : 8; };
    if (keeps_bits && bytes_of(base) != bytes_of(value.base)) return false;
    return push(std::move(value.term), base);
}

bool Evaluator::typed_constant(const Dwarf_Op &op) {
    Base base;
    Dwarf_Attribute constant;
    Dwarf_Block block;
    if (!base_type(op, base) || dwarf_getlocation_attr(attribute_, &op, &constant) != 0 ||
        dwarf_formblock(&constant, &block) != 0 || block.length > 8)
        return false;
    uint64_t bits = 0;
    std::memcpy(&bits, block.data, block.length);
    return push(constant_term(static_cast<int64_t>(bits)), base);
}

// ---- what lies elsewhere

bool Evaluator::implicit_value(const Dwarf_Op &op) {
    Dwarf_Block block;
    if (!attribute_ || dwarf_getlocation_implicit_value(attribute_, &op, &block) != 0 || block.length == 0)
        return false;
    value_.assign(reinterpret_cast<const char *>(block.data), block.length);
    return true;
}

bool Evaluator::indexed(const Dwarf_Op &op) {
    Dwarf_Attribute address;
    Dwarf_Addr value = 0;
    const bool is_address = op.atom == DW_OP_addrx || op.atom == DW_OP_GNU_addr_index;
    if (!attribute_ || dwarf_getlocation_attr(attribute_, &op, &address) != 0 ||
        (is_address ? dwarf_formaddr(&address, &value) : dwarf_formudata(&address, &value)) != 0)
        return false;
    of_table_ = !is_address;
    return push(is_address ? relocated_term(value) : constant_term(static_cast<int64_t>(value)));
}

// Finds a thread-local variable by its offset. Split DWARF of GCC has the address of its initial value instead.
bool Evaluator::thread_local_variable() {
    if (of_table_ && !stack_.empty() && stack_.back().term->op == TermOp::Constant)
        if (const auto offset = context_.object.thread_offset(static_cast<uint64_t>(stack_.back().term->constant)))
            stack_.back().term = constant_term(static_cast<int64_t>(*offset));
    return unary(TermOp::ThreadLocal);
}

// The location of another DIE continues with this stack; one without a location does nothing.
bool Evaluator::call(const Dwarf_Op &op) {
    Dwarf_Die die;
    Dwarf_Attribute location;
    Dwarf_Op *ops = nullptr;
    size_t count = 0;
    if (!attribute_ || dwarf_getlocation_die(attribute_, &op, &die) != 0 || ++calls_ > kMaxCalls) return false;
    if (!dwarf_attr(&die, DW_AT_location, &location)) return true;
    if (expression_at(location, context_.pc, ops, count) != 1 || count > kMaxOperations) return false;
    Dwarf_Attribute *const outer = std::exchange(attribute_, &location);
    bool good = true;
    for (size_t i = 0; i < count && good; ++i)
        good = step(ops[i]);
    attribute_ = outer;
    --calls_;
    return good;
}

bool Evaluator::variable_value(const Dwarf_Op &op) {
    Dwarf_Die die;
    if (!attribute_ || dwarf_getlocation_die(attribute_, &op, &die) != 0 || depth_ >= kMaxExpressionDepth) return false;
    const Place value = value_of_variable(&die, context_, depth_ + 1);
    return value.kind == Place::Kind::Absent ? fail(value.why) : push(value.term);
}

bool Evaluator::frame_base(uint64_t offset) {
    Dwarf_Attribute attribute;
    if (!context_.function || depth_ >= kMaxExpressionDepth ||
        !dwarf_attr_integrate(context_.function, DW_AT_frame_base, &attribute))
        return fail("it is in the frame of a function whose frame base is not known");
    Dwarf_Op *ops = nullptr;
    size_t count = 0;
    if (expression_at(attribute, context_.pc, ops, count) != 1) return fail("the frame base is not known here");
    const Place base = Evaluator(context_, &attribute, depth_ + 1).run(ops, count);
    if (base.kind != Place::Kind::Memory && base.kind != Place::Kind::Register)
        return fail("the frame base is not known here");
    return push(make_term(TermOp::Add, base.term, constant_term(static_cast<int64_t>(offset))));
}

// At the function's first instruction registers have the values they had when it was entered. Later, its callers' call
// sites have them.
bool Evaluator::entry_value(const Dwarf_Op &op) {
    Dwarf_Attribute attribute;
    Dwarf_Op *ops = nullptr;
    size_t count = 0;
    if (!attribute_ || dwarf_getlocation_attr(attribute_, &op, &attribute) != 0 ||
        expression_of(attribute, ops, count) != 0)
        return false;
    if (!context_.at_entry) {
        const auto reg = single_register(ops, count);
        return reg ? push_from_callers({*reg, {}}) : fail(kOnlyAtEntry);
    }
    Evaluator inner(context_, attribute_, depth_ + 1);
    const Place place = depth_ < kMaxExpressionDepth ? inner.run(ops, count) : absent("");
    if (place.kind == Place::Kind::Absent || place.kind == Place::Kind::Pieces)
        return fail("its value at entry cannot be read");
    return push(place.term);
}

// Pushes a parameter that the function itself does without, as its callers computed it.
bool Evaluator::parameter_of_caller(const Dwarf_Op &op) {
    CallerParameter parameter;
    if (!attribute_ || dwarf_getlocation_die(attribute_, &op, &parameter.die) != 0) return false;
    return push_from_callers(parameter);
}

bool Evaluator::push_from_callers(const CallerParameter &parameter) {
    const bool in_caller = context_.frame && !context_.frames;
    if (in_caller || !context_.index || !context_.function || depth_ >= kMaxExpressionDepth) return fail(kOnlyAtEntry);
    const Place value = context_.frames ? value_from_frames(parameter, context_, depth_ + 1)
                                        : value_from_callers(parameter, context_, depth_ + 1);
    return value.kind == Place::Kind::Value ? push(value.term) : fail(kOnlyAtEntry + (": " + value.why));
}

// ---- operations

bool Evaluator::step(const Dwarf_Op &op) {
    if (op.atom >= DW_OP_lit0 && op.atom <= DW_OP_lit31) return push(constant_term(op.atom - DW_OP_lit0));
    if (op.atom >= DW_OP_reg0 && op.atom <= DW_OP_reg31) return in_register(op.atom - DW_OP_reg0);
    if (op.atom >= DW_OP_breg0 && op.atom <= DW_OP_breg31) return based(op.atom - DW_OP_breg0, op.number);
    switch (op.atom) {
        case DW_OP_addr:
            return push(relocated_term(op.number));
        case DW_OP_const1u:
        case DW_OP_const1s:
        case DW_OP_const2u:
        case DW_OP_const2s:
        case DW_OP_const4u:
        case DW_OP_const4s:
        case DW_OP_const8u:
        case DW_OP_const8s:
        case DW_OP_constu:
        case DW_OP_consts:
            return push(constant_term(static_cast<int64_t>(op.number)));
        case DW_OP_regx:
            return in_register(op.number);
        case DW_OP_bregx:
            return based(op.number, op.number2);
        case DW_OP_fbreg:
            return frame_base(op.number);
        case DW_OP_call_frame_cfa: {
            TermPtr cfa = frame_address(context_);
            return cfa ? push(std::move(cfa)) : fail("the frame of this place is not known");
        }
        case DW_OP_stack_value:
            ends_ = Ends::Value;
            return !stack_.empty();
        case DW_OP_nop:
            return true;
        default:
            return step_place(op);
    }
}

bool Evaluator::step_place(const Dwarf_Op &op) {
    switch (op.atom) {
        case DW_OP_implicit_value:
            return implicit_value(op);
        case DW_OP_GNU_entry_value:
        case DW_OP_entry_value:
            return entry_value(op);
        case DW_OP_implicit_pointer:
        case DW_OP_GNU_implicit_pointer:
            return fail("the pointer itself is optimized out");
        case DW_OP_GNU_uninit:
            return fail("it has no value here yet");
        case DW_OP_bit_piece:
            return fail("it is spread over bits of several places");
        case DW_OP_form_tls_address:
        case DW_OP_GNU_push_tls_address:
            return thread_local_variable();
        case DW_OP_GNU_parameter_ref:
            return parameter_of_caller(op);
        case DW_OP_addrx:
        case DW_OP_GNU_addr_index:
        case DW_OP_constx:
        case DW_OP_GNU_const_index:
            return indexed(op);
        case DW_OP_call2:
        case DW_OP_call4:
        case DW_OP_call_ref:
            return call(op);
        case DW_OP_GNU_variable_value:
            return variable_value(op);
        case DW_OP_push_object_address:
            return object_ ? push(object_) : fail("it depends on the object that it is part of");
        default:
            return step_typed(op);
    }
}

bool Evaluator::step_typed(const Dwarf_Op &op) {
    Base base;
    switch (op.atom) {
        case DW_OP_convert:
        case DW_OP_GNU_convert:
            return convert(op, false);
        case DW_OP_reinterpret:
        case DW_OP_GNU_reinterpret:
            return convert(op, true);
        case DW_OP_regval_type:
        case DW_OP_GNU_regval_type:
            return base_type(op, base) && push(value_of_register(op.number), base);
        case DW_OP_deref_type:
        case DW_OP_GNU_deref_type:
            return base_type(op, base) && load(op.number, base);
        case DW_OP_const_type:
        case DW_OP_GNU_const_type:
            return typed_constant(op);
        default:
            return step_stack(op);
    }
}

bool Evaluator::step_stack(const Dwarf_Op &op) {
    switch (op.atom) {
        case DW_OP_dup:
            return pick(0);
        case DW_OP_over:
            return pick(1);
        case DW_OP_pick:
            return pick(op.number);
        case DW_OP_drop:
            return pop() != nullptr;
        case DW_OP_swap:
            if (stack_.size() < 2) return false;
            std::swap(stack_[stack_.size() - 1], stack_[stack_.size() - 2]);
            return true;
        case DW_OP_rot:
            if (stack_.size() < 3) return false;
            std::swap(stack_[stack_.size() - 1], stack_[stack_.size() - 2]);
            std::swap(stack_[stack_.size() - 2], stack_[stack_.size() - 3]);
            return true;
        case DW_OP_deref:
            return load(address_bytes());
        case DW_OP_deref_size:
            return load(op.number);
        case DW_OP_plus_uconst: {
            if (stack_.empty()) return false;
            const Base base = stack_.back().base;
            return push(constant_term(static_cast<int64_t>(op.number)), base) && binary(TermOp::Add);
        }
        default:
            return step_arithmetic(op);
    }
}

bool Evaluator::step_arithmetic(const Dwarf_Op &op) {
    switch (op.atom) {
        case DW_OP_abs:
            return unary(TermOp::Absolute);
        case DW_OP_neg:
            return unary(TermOp::Negate);
        case DW_OP_not:
            return unary(TermOp::Complement);
        case DW_OP_and:
            return binary(TermOp::And);
        case DW_OP_or:
            return binary(TermOp::Or);
        case DW_OP_xor:
            return binary(TermOp::Xor);
        case DW_OP_plus:
            return binary(TermOp::Add);
        case DW_OP_minus:
            return binary(TermOp::Subtract);
        case DW_OP_mul:
            return binary(TermOp::Multiply);
        case DW_OP_div:
            return divide();
        case DW_OP_mod:
            return modulo();
        case DW_OP_shl:
            return binary(TermOp::ShiftLeft);
        case DW_OP_shr:
            return shift_right(TermOp::ShiftRight);
        case DW_OP_shra:
            return shift_right(TermOp::ShiftRightArithmetic);
        case DW_OP_eq:
            return compare(TermOp::Equal);
        case DW_OP_ne:
            return compare(TermOp::NotEqual);
        case DW_OP_lt:
            return compare(TermOp::Less);
        case DW_OP_le:
            return compare(TermOp::LessEqual);
        case DW_OP_gt:
            return compare(TermOp::Greater);
        case DW_OP_ge:
            return compare(TermOp::GreaterEqual);
        default:
            return fail_operation(op);
    }
}

}  // namespace tapir::dwarf
