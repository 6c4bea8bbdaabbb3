// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/location.h"

#include <dwarf.h>
#include <gelf.h>

#include <cstdlib>
#include <cstring>
#include <optional>

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
constexpr int kMaxDepth = 8;     // frame bases within locations, calls
constexpr int kMaxBranches = 4;  // each doubles what is followed

class Evaluator {
  public:
    Evaluator(const LocationContext &context, int depth) : context_(context), depth_(depth) {}

    // Memory unless the expression says otherwise.
    Place run(const Dwarf_Op *ops, size_t count) {
        if (count == 0) return absent("it is optimized out here");
        if (count > kMaxOperations) return absent("its location is too long");
        return follow(ops, count);
    }

  private:
    enum class Ends { No, Register, Value };

    Place follow(const Dwarf_Op *ops, size_t count) {
        Place whole;
        for (size_t i = 0; i < count; ++i) {
            const Dwarf_Op &op = ops[i];
            if (op.atom == DW_OP_bra) return branch(ops, count, i);
            if (op.atom == DW_OP_skip) {
                const std::optional<size_t> to = target(ops, count, i);
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

    // Where a jump goes. Only forward, so that it ends.
    static std::optional<size_t> target(const Dwarf_Op *ops, size_t count, size_t jump) {
        constexpr Dwarf_Word kJumpBytes = 3;
        const auto by = static_cast<int16_t>(ops[jump].number);
        if (by < 0) return std::nullopt;
        const Dwarf_Word offset = ops[jump].offset + kJumpBytes + static_cast<Dwarf_Word>(by);
        size_t to = jump + 1;
        while (to < count && ops[to].offset < offset)
            ++to;
        return to;
    }

    // Goes both ways; the value in the end is no + (condition != 0) * (yes - no).
    Place branch(const Dwarf_Op *ops, size_t count, size_t jump) {
        TermPtr condition = pop();
        const std::optional<size_t> to = target(ops, count, jump);
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

    void reset() {
        stack_.clear();
        ends_ = Ends::No;
        value_.clear();
    }

    Place finish_piece() {
        return stack_.empty() && value_.empty() ? absent("a part of it is optimized out") : finish();
    }

    Place finish() {
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
        place.term = stack_.back();
        return place;
    }

    bool fail(std::string why) {
        why_ = std::move(why);
        return false;
    }

    bool push(TermPtr term) {
        if (!term || stack_.size() >= kMaxStack) return false;
        stack_.push_back(std::move(term));
        return true;
    }

    TermPtr pop() {
        if (stack_.empty()) return nullptr;
        TermPtr top = std::move(stack_.back());
        stack_.pop_back();
        return top;
    }

    bool binary(TermOp op) {
        TermPtr right = pop(), left = pop();
        return left && right && push(make_term(op, std::move(left), std::move(right)));
    }

    bool unary(TermOp op) {
        TermPtr operand = pop();
        return operand && push(make_term(op, std::move(operand)));
    }

    bool load(uint64_t size) {
        TermPtr address = pop();
        if (size != 1 && size != 2 && size != 4 && size != 8) return fail("it is read through memory of an odd size");
        return address && push(load_term(static_cast<uint8_t>(size), std::move(address)));
    }

    bool based(uint64_t reg, uint64_t offset) {
        return push(make_term(TermOp::Add, register_term(static_cast<int64_t>(reg)),
                              constant_term(static_cast<int64_t>(offset))));
    }

    bool in_register(uint64_t reg) {
        ends_ = Ends::Register;
        return push(register_term(static_cast<int64_t>(reg)));
    }

    bool pick(size_t index) { return index < stack_.size() && push(stack_[stack_.size() - 1 - index]); }

    bool frame_base(uint64_t offset) {
        Dwarf_Attribute attribute;
        if (!context_.function || depth_ >= kMaxDepth ||
            !dwarf_attr_integrate(context_.function, DW_AT_frame_base, &attribute))
            return fail("it is in the frame of a function whose frame base is not known");
        Dwarf_Op *ops = nullptr;
        size_t count = 0;
        if (dwarf_getlocation_addr(&attribute, context_.pc, &ops, &count, 1) != 1)
            return fail("the frame base is not known here");
        const Place base = Evaluator(context_, depth_ + 1).run(ops, count);
        if (base.kind != Place::Kind::Memory && base.kind != Place::Kind::Register)
            return fail("the frame base is not known here");
        return push(make_term(TermOp::Add, base.term, constant_term(static_cast<int64_t>(offset))));
    }

    // At the function's first instruction registers have the values they had when it was entered.
    bool entry_value(const Dwarf_Op &op) {
        if (!context_.at_entry)
            return fail(
                "only its value when the function was entered is known; probe the function's entry, or use @entry");
        Dwarf_Attribute attribute;
        Dwarf_Op *ops = nullptr;
        size_t count = 0;
        if (!entry_expression(op, attribute, ops, count)) return false;
        Evaluator inner(context_, depth_ + 1);
        const Place place = depth_ < kMaxDepth ? inner.run(ops, count) : absent("");
        if (place.kind == Place::Kind::Absent || place.kind == Place::Kind::Pieces)
            return fail("its value at entry cannot be read");
        return push(place.term);
    }

    bool entry_expression(const Dwarf_Op &op, Dwarf_Attribute &attribute, Dwarf_Op *&ops, size_t &count) {
        return attribute_ && dwarf_getlocation_attr(attribute_, &op, &attribute) == 0 &&
               dwarf_getlocation(&attribute, &ops, &count) == 0;
    }

    bool step(const Dwarf_Op &op);
    bool step_stack(const Dwarf_Op &op);
    bool step_arithmetic(const Dwarf_Op &op);

    const LocationContext &context_;
    int depth_;
    int branches_ = 0;
    std::vector<TermPtr> stack_;
    Ends ends_ = Ends::No;
    std::string value_;
    std::string why_;

  public:
    Dwarf_Attribute *attribute_ = nullptr;  // that the operations came from
};

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
        case DW_OP_implicit_value: {
            Dwarf_Block block;
            if (!attribute_ || dwarf_getlocation_implicit_value(attribute_, &op, &block) != 0 || block.length == 0)
                return false;
            value_.assign(reinterpret_cast<const char *>(block.data), block.length);
            return true;
        }
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
            return unary(TermOp::ThreadLocal);
        case DW_OP_GNU_parameter_ref:
            return fail("it is optimized out here");
        case DW_OP_addrx:
        case DW_OP_GNU_addr_index:
        case DW_OP_constx:
        case DW_OP_GNU_const_index: {
            Dwarf_Attribute address;
            Dwarf_Addr value = 0;
            if (!attribute_ || dwarf_getlocation_attr(attribute_, &op, &address) != 0 ||
                dwarf_formaddr(&address, &value) != 0)
                return false;
            const bool is_address = op.atom == DW_OP_addrx || op.atom == DW_OP_GNU_addr_index;
            return push(is_address ? relocated_term(value) : constant_term(static_cast<int64_t>(value)));
        }
        case DW_OP_nop:
            return true;
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
            return load(8);
        case DW_OP_deref_size:
            return load(op.number);
        case DW_OP_plus_uconst:
            return push(constant_term(static_cast<int64_t>(op.number))) && binary(TermOp::Add);
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
            return binary(TermOp::Divide);
        case DW_OP_mod:
            return binary(TermOp::Modulo);
        case DW_OP_shl:
            return binary(TermOp::ShiftLeft);
        case DW_OP_shr:
            return binary(TermOp::ShiftRight);
        case DW_OP_shra:
            return binary(TermOp::ShiftRightArithmetic);
        case DW_OP_eq:
            return binary(TermOp::Equal);
        case DW_OP_ne:
            return binary(TermOp::NotEqual);
        case DW_OP_lt:
            return binary(TermOp::Less);
        case DW_OP_le:
            return binary(TermOp::LessEqual);
        case DW_OP_gt:
            return binary(TermOp::Greater);
        case DW_OP_ge:
            return binary(TermOp::GreaterEqual);
        default:
            return fail("its location uses an operation that is not supported (DW_OP 0x" + [&] {
                char text[8];
                std::snprintf(text, sizeof text, "%02x", op.atom);
                return std::string(text);
            }() + ")");
    }
}

Place constant_place(Dwarf_Attribute *attribute) {
    Place place;
    place.kind = Place::Kind::Value;
    Dwarf_Sword number = 0;
    Dwarf_Block block;
    if (dwarf_formsdata(attribute, &number) == 0) {
        place.term = constant_term(number);
    } else if (dwarf_formblock(attribute, &block) == 0 && block.length > 0 && block.length <= 8) {
        uint64_t bits = 0;
        std::memcpy(&bits, block.data, block.length);
        place.term = constant_term(static_cast<int64_t>(bits));
    } else {
        return absent("it is a constant that does not fit 64 bits");
    }
    return place;
}

}  // namespace

TermPtr frame_address(const LocationContext &context) {
    Dwarf_CFI *table = context.object.cfi(context.pc);
    Dwarf_Frame *frame = nullptr;
    if (!table || dwarf_cfi_addrframe(table, context.pc, &frame) != 0) return nullptr;
    Dwarf_Op *ops = nullptr;
    size_t count = 0;
    TermPtr address;
    if (dwarf_frame_cfa(frame, &ops, &count) == 0 && count > 0) {
        // A rule of the table, which may name registers but no frame base.
        const LocationContext plain{context.object, context.pc, nullptr, context.at_entry};
        const Place place = Evaluator(plain, kMaxDepth).run(ops, count);
        if (place.kind == Place::Kind::Memory || place.kind == Place::Kind::Value) address = place.term;
    }
    free(frame);
    return address;
}

// The description for context.pc. At a function's entry one of an empty range holds before those that begin there: what
// the caller has left, before anything that the function says of its variables.
static int find_description(Dwarf_Attribute *attribute, const LocationContext &context, Dwarf_Op *&ops, size_t &count) {
    Dwarf_Addr base = 0, start = 0, end = 0;
    for (ptrdiff_t at = 0;
         context.at_entry && (at = dwarf_getlocations(attribute, at, &base, &start, &end, &ops, &count)) > 0;)
        if (start == context.pc && end == context.pc) return 1;
    return dwarf_getlocation_addr(attribute, context.pc, &ops, &count, 1);
}

Place locate(Dwarf_Die *die, const LocationContext &context) {
    Dwarf_Attribute attribute;
    if (dwarf_attr_integrate(die, DW_AT_const_value, &attribute)) return constant_place(&attribute);
    if (!dwarf_attr_integrate(die, DW_AT_location, &attribute)) return absent("it is optimized out");
    Dwarf_Op *ops = nullptr;
    size_t count = 0;
    const int found = find_description(&attribute, context, ops, count);
    if (found < 0) return absent("its location cannot be read");
    if (found == 0) return absent("it is optimized out here");
    GElf_Addr bias = 0;
    Elf *elf = dwfl_module_getelf(context.object.module(), &bias);
    if (elf && gelf_getclass(elf) == ELFCLASS32 && (count != 1 || ops[0].atom != DW_OP_addr))
        return absent("only variables at fixed addresses are read of 32-bit programs");
    Evaluator evaluator(context, 0);
    evaluator.attribute_ = &attribute;
    return evaluator.run(ops, count);
}

}  // namespace tapir::dwarf
