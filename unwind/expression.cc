// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/expression.h"

#include <array>

#include "unwind/bytes.h"

namespace tapir::unwind {

namespace {

enum ExpressionOp : uint8_t {
    kDeref = 0x06,
    kConst1u = 0x08,
    kConst1s = 0x09,
    kConst2u = 0x0a,
    kConst2s = 0x0b,
    kConst4u = 0x0c,
    kConst4s = 0x0d,
    kConst8u = 0x0e,
    kConst8s = 0x0f,
    kConstu = 0x10,
    kConsts = 0x11,
    kDup = 0x12,
    kDrop = 0x13,
    kSwap = 0x16,
    kAnd = 0x1a,
    kMinus = 0x1c,
    kPlus = 0x22,
    kPlusUconst = 0x23,
    kShl = 0x24,
    kGe = 0x2a,
    kLit0 = 0x30,
    kLit31 = 0x4f,
    kBreg0 = 0x70,
    kBreg31 = 0x8f,
    kBregx = 0x92,
    kNoOperation = 0x96,
};

constexpr uint64_t kCfa = ~uint64_t{0};  // as a register: the value on the stack before the expression

// A value on the stack.
struct Value {
    enum Kind {
        kNumber,    // offset
        kRegister,  // reg + offset
        kMemory,    // *(reg + offset) + add
        kMasked,    // pc & mask
        kTested,    // (pc & mask) >= threshold
        kShifted,   // ((pc & mask) >= threshold) << shift
        kPlt,       // reg + offset + that
    };
    Kind kind = kNumber;
    uint64_t reg = 0;
    int64_t offset = 0, add = 0;
    uint8_t mask = 0, threshold = 0, shift = 0;

    bool is_byte() const { return kind == kNumber && offset >= 0 && offset < 256; }
};

class Evaluator {
  public:
    Evaluator(std::string_view expression, uint32_t machine, bool with_cfa) : in_(expression), machine_(machine) {
        if (with_cfa) push({Value::kRegister, kCfa});
    }
    std::optional<Value> run() {
        while (!in_.done())
            if (!step(in_.u8())) return std::nullopt;
        if (in_.failed() || depth_ == 0) return std::nullopt;
        return stack_[depth_ - 1];
    }

  private:
    // Only in the form of linkage tables.
    bool is_pc(uint64_t reg) const { return reg != kCfa && tapir_unwind_is_pc(machine_, static_cast<u32>(reg)); }
    bool push(const Value &value) {
        if (depth_ == stack_.size()) return false;
        stack_[depth_++] = value;
        return true;
    }
    bool number(int64_t value) { return push({Value::kNumber, 0, value}); }
    bool step(uint8_t opcode);
    bool constant(uint8_t opcode);
    bool unary(uint8_t opcode);
    bool binary(uint8_t opcode);

    Bytes in_;
    const uint32_t machine_;
    std::array<Value, 16> stack_ = {};
    size_t depth_ = 0;
};

int64_t wrapped_sum(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

bool add_number(Value &value, int64_t number) {
    switch (value.kind) {
        case Value::kNumber:
        case Value::kRegister:
        case Value::kPlt:
            value.offset = wrapped_sum(value.offset, number);
            return true;
        case Value::kMemory:
            value.add = wrapped_sum(value.add, number);
            return true;
        default:
            return false;
    }
}

// a + b
bool add_values(Value &a, const Value &b) {
    if (b.kind == Value::kNumber) return add_number(a, b.offset);
    if (a.kind == Value::kNumber) {
        const int64_t number = a.offset;
        a = b;
        return add_number(a, number);
    }
    if (a.kind != Value::kRegister || b.kind != Value::kShifted) return false;
    const Value base = a;
    a = b;
    a.kind = Value::kPlt;
    a.reg = base.reg;
    a.offset = base.offset;
    return true;
}

bool Evaluator::constant(uint8_t opcode) {
    switch (opcode) {
        case kConst1u:
            return number(in_.u8());
        case kConst1s:
            return number(in_.fixed<int8_t>());
        case kConst2u:
            return number(in_.u16());
        case kConst2s:
            return number(in_.fixed<int16_t>());
        case kConst4u:
            return number(in_.u32());
        case kConst4s:
            return number(in_.fixed<int32_t>());
        case kConst8u:
        case kConst8s:
            return number(in_.fixed<int64_t>());
        case kConstu:
            return number(static_cast<int64_t>(in_.uleb()));
        case kConsts:
            return number(in_.sleb());
    }
    return false;
}

bool Evaluator::unary(uint8_t opcode) {
    if (depth_ < 1) return false;
    Value &top = stack_[depth_ - 1];
    switch (opcode) {
        case kDeref:
            if (top.kind != Value::kRegister) return false;
            top.kind = Value::kMemory;
            return true;
        case kPlusUconst:
            return add_number(top, static_cast<int64_t>(in_.uleb()));
        case kDup:
            return push(Value(top));
        case kDrop:
            depth_--;
            return true;
    }
    return false;
}

bool Evaluator::binary(uint8_t opcode) {
    if (depth_ < 2) return false;
    Value &a = stack_[depth_ - 2];
    const Value b = stack_[depth_ - 1];
    if (opcode == kSwap) {
        stack_[depth_ - 1] = a;
        a = b;
        return true;
    }
    depth_--;
    switch (opcode) {
        case kPlus:
            return add_values(a, b);
        case kMinus:
            return b.kind == Value::kNumber && add_number(a, static_cast<int64_t>(0 - static_cast<uint64_t>(b.offset)));
        case kAnd:
            if (a.kind != Value::kRegister || !is_pc(a.reg) || a.offset != 0 || !b.is_byte()) return false;
            a.kind = Value::kMasked;
            a.mask = static_cast<uint8_t>(b.offset);
            return true;
        case kGe:
            if (a.kind != Value::kMasked || !b.is_byte()) return false;
            a.kind = Value::kTested;
            a.threshold = static_cast<uint8_t>(b.offset);
            return true;
        case kShl:
            if (a.kind != Value::kTested || !b.is_byte() || b.offset > 7) return false;
            a.kind = Value::kShifted;
            a.shift = static_cast<uint8_t>(b.offset);
            return true;
    }
    return false;
}

bool Evaluator::step(uint8_t opcode) {
    if (opcode >= kLit0 && opcode <= kLit31) return number(opcode - kLit0);
    if (opcode >= kBreg0 && opcode <= kBreg31)
        return push({Value::kRegister, static_cast<uint64_t>(opcode - kBreg0), in_.sleb()});
    if (opcode >= kConst1u && opcode <= kConsts) return constant(opcode);
    switch (opcode) {
        case kBregx: {
            const uint64_t reg = in_.uleb();
            return push({Value::kRegister, reg, in_.sleb()});
        }
        case kNoOperation:
            return true;
        case kDeref:
        case kPlusUconst:
        case kDup:
        case kDrop:
            return unary(opcode);
        default:
            return binary(opcode);
    }
}

}  // namespace

std::optional<CfaRule> cfa_of_expression(std::string_view expression, uint32_t machine) {
    const std::optional<Value> value = Evaluator(expression, machine, false).run();
    if (!value || value->reg >= TAPIR_UNWIND_REGISTERS || !fits(value->offset) || !fits(value->add))
        return std::nullopt;
    CfaRule rule;
    rule.base = static_cast<uint8_t>(value->reg);
    rule.offset = static_cast<int32_t>(value->offset);
    switch (value->kind) {
        case Value::kRegister:
            rule.kind = TAPIR_CFA_REGISTER;
            return rule;
        case Value::kMemory:
            rule.kind = TAPIR_CFA_MEMORY;
            rule.add = static_cast<int32_t>(value->add);
            return rule;
        case Value::kPlt:
            rule.kind = TAPIR_CFA_PLT;
            rule.add = 1 << (value->shift + 16) | value->mask << 8 | value->threshold;
            return rule;
        default:
            return std::nullopt;
    }
}

std::optional<RegisterRule> register_of_expression(std::string_view expression, uint32_t machine, bool is_value) {
    const std::optional<Value> value = Evaluator(expression, machine, true).run();
    if (!value || value->kind != Value::kRegister || !fits(value->offset)) return std::nullopt;
    RegisterRule rule;
    rule.offset = static_cast<int32_t>(value->offset);
    if (value->reg == kCfa) {
        rule.kind = is_value ? RegisterRule::kValue : RegisterRule::kCfa;
        return rule;
    }
    if (value->reg >= TAPIR_UNWIND_REGISTERS) return std::nullopt;
    rule.kind = is_value ? RegisterRule::kRegister : RegisterRule::kMemory;
    rule.base = static_cast<uint8_t>(value->reg);
    return rule;
}

}  // namespace tapir::unwind
