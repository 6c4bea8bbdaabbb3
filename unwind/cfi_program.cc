// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/cfi_program.h"

#include "unwind/expression.h"

namespace tapir::unwind {

namespace {

enum CfiOp : uint8_t {
    kNop = 0x00,
    kSetLoc = 0x01,
    kAdvanceLoc1 = 0x02,
    kAdvanceLoc2 = 0x03,
    kAdvanceLoc4 = 0x04,
    kOffsetExtended = 0x05,
    kRestoreExtended = 0x06,
    kUndefined = 0x07,
    kSameValue = 0x08,
    kRegister = 0x09,
    kRememberState = 0x0a,
    kRestoreState = 0x0b,
    kDefCfa = 0x0c,
    kDefCfaRegister = 0x0d,
    kDefCfaOffset = 0x0e,
    kDefCfaExpression = 0x0f,
    kExpression = 0x10,
    kOffsetExtendedSf = 0x11,
    kDefCfaSf = 0x12,
    kDefCfaOffsetSf = 0x13,
    kValOffset = 0x14,
    kValOffsetSf = 0x15,
    kValExpression = 0x16,
    kNegateRaState = 0x2d,  // GNU_window_save elsewhere
    kGnuArgsSize = 0x2e,
    kGnuNegativeOffsetExtended = 0x2f,
    // With an operand in the low six bits.
    kAdvanceLoc = 0x40,
    kOffset = 0x80,
    kRestore = 0xc0,
};

constexpr size_t kMaxRemembered = 64;

int64_t product(uint64_t a, int64_t b) {
    return static_cast<int64_t>(a * static_cast<uint64_t>(b));
}

}  // namespace

void Program::set_cfa(uint64_t reg, int64_t offset) {
    state_.cfa = {};
    if (reg >= TAPIR_UNWIND_REGISTERS || !fits(offset)) return;
    state_.cfa.kind = TAPIR_CFA_REGISTER;
    state_.cfa.base = static_cast<uint8_t>(reg);
    state_.cfa.offset = static_cast<int32_t>(offset);
}

void Program::set_register(uint64_t reg, RegisterRule::Kind kind, int64_t offset) {
    RegisterRule rule;
    rule.kind = fits(offset) ? kind : RegisterRule::kUnknown;
    rule.offset = fits(offset) ? static_cast<int32_t>(offset) : 0;
    state_.assign(reg, rule);
}

Program::Done Program::advance(uint64_t delta) {
    target_ = location_ + delta * cie_.code_factor;
    return target_ >= location_ ? Done::kMoved : Done::kBad;
}

Program::Done Program::restore(uint64_t reg) {
    if (reg < TAPIR_UNWIND_REGISTERS)
        state_.assign(reg, cie_.initial.set >> reg & 1 ? cie_.initial.registers[reg] : RegisterRule());
    return Done::kOk;
}

Program::Done Program::define_cfa(uint8_t opcode, Bytes &in) {
    CfaRule &cfa = state_.cfa;
    switch (opcode) {
        case kDefCfa: {
            const uint64_t reg = in.uleb();
            set_cfa(reg, static_cast<int64_t>(in.uleb()));
            return Done::kOk;
        }
        case kDefCfaSf: {
            const uint64_t reg = in.uleb();
            set_cfa(reg, product(static_cast<uint64_t>(in.sleb()), cie_.data_factor));
            return Done::kOk;
        }
        case kDefCfaExpression: {
            const std::optional<CfaRule> rule = cfa_of_expression(in.take(in.uleb()), machine_);
            cfa = rule ? *rule : CfaRule();
            return Done::kOk;
        }
    }
    // The others change one part of "register + offset".
    if (cfa.kind != TAPIR_CFA_REGISTER) return Done::kBad;
    if (opcode == kDefCfaRegister) {
        set_cfa(in.uleb(), cfa.offset);
    } else if (opcode == kDefCfaOffset) {
        set_cfa(cfa.base, static_cast<int64_t>(in.uleb()));
    } else {
        set_cfa(cfa.base, product(static_cast<uint64_t>(in.sleb()), cie_.data_factor));
    }
    return Done::kOk;
}

// Instructions that say where one register is.
Program::Done Program::save(uint8_t opcode, Bytes &in) {
    const uint64_t reg = in.uleb();
    switch (opcode) {
        case kOffsetExtended:
            set_register(reg, RegisterRule::kCfa, product(in.uleb(), cie_.data_factor));
            return Done::kOk;
        case kOffsetExtendedSf:
            set_register(reg, RegisterRule::kCfa, product(static_cast<uint64_t>(in.sleb()), cie_.data_factor));
            return Done::kOk;
        case kGnuNegativeOffsetExtended:
            set_register(reg, RegisterRule::kCfa, product(0 - in.uleb(), cie_.data_factor));
            return Done::kOk;
        case kValOffset:
            set_register(reg, RegisterRule::kValue, product(in.uleb(), cie_.data_factor));
            return Done::kOk;
        case kValOffsetSf:
            set_register(reg, RegisterRule::kValue, product(static_cast<uint64_t>(in.sleb()), cie_.data_factor));
            return Done::kOk;
        case kUndefined:
            set_register(reg, RegisterRule::kUndefined, 0);
            return Done::kOk;
        case kSameValue:
            set_register(reg, RegisterRule::kSame, 0);
            return Done::kOk;
        case kRegister: {
            const uint64_t other = in.uleb();
            RegisterRule rule;
            rule.kind = other < TAPIR_UNWIND_REGISTERS ? RegisterRule::kRegister : RegisterRule::kUnknown;
            rule.base = static_cast<uint8_t>(other < TAPIR_UNWIND_REGISTERS ? other : 0);
            state_.assign(reg, rule);
            return Done::kOk;
        }
        case kExpression:
        case kValExpression: {
            const std::optional<RegisterRule> rule =
                register_of_expression(in.take(in.uleb()), machine_, opcode == kValExpression);
            RegisterRule unknown;
            unknown.kind = RegisterRule::kUnknown;
            state_.assign(reg, rule ? *rule : unknown);
            return Done::kOk;
        }
    }
    return Done::kBad;
}

Program::Done Program::extended(uint8_t opcode, Bytes &in) {
    switch (opcode) {
        case kNop:
            return Done::kOk;
        case kSetLoc: {
            PointerBase base;
            base.content = code_address_;
            const std::optional<uint64_t> pointer = read_pointer(in, cie_.pointer_encoding, base);
            if (!pointer || *pointer < location_) return Done::kBad;
            target_ = *pointer;
            return Done::kMoved;
        }
        case kAdvanceLoc1:
            return advance(in.u8());
        case kAdvanceLoc2:
            return advance(in.u16());
        case kAdvanceLoc4:
            return advance(in.u32());
        case kRestoreExtended:
            return restore(in.uleb());
        case kRememberState:
            if (remembered_.size() == kMaxRemembered) return Done::kBad;
            remembered_.push_back(state_);
            return Done::kOk;
        case kRestoreState:
            if (remembered_.empty()) return Done::kBad;
            state_ = remembered_.back();
            remembered_.pop_back();
            return Done::kOk;
        case kDefCfa:
        case kDefCfaRegister:
        case kDefCfaOffset:
        case kDefCfaExpression:
        case kDefCfaSf:
        case kDefCfaOffsetSf:
            return define_cfa(opcode, in);
        case kGnuArgsSize:
            in.uleb();
            return Done::kOk;
        case kNegateRaState:
            // The signature is taken out of every return address, signed or not.
            return tapir_unwind_signs_returns(machine_) ? Done::kOk : Done::kBad;
    }
    return save(opcode, in);
}

Program::Done Program::step(Bytes &in) {
    const uint8_t opcode = in.u8();
    const uint8_t operand = opcode & 0x3f;
    switch (opcode & 0xc0) {
        case kAdvanceLoc:
            return advance(operand);
        case kOffset:
            set_register(operand, RegisterRule::kCfa, product(in.uleb(), cie_.data_factor));
            return Done::kOk;
        case kRestore:
            return restore(operand);
    }
    return extended(opcode, in);
}

bool Program::run_initial(std::string_view instructions, RowState &state) {
    state_ = {};
    Bytes in(instructions);
    while (!in.done())
        if (step(in) != Done::kOk) return false;
    state = state_;
    return !in.failed();
}

bool Program::run(const Fde &fde, RowSink &sink) {
    state_ = cie_.initial;
    remembered_.clear();
    code_address_ = fde.program_address;
    location_ = fde.start;
    Bytes in(fde.program);
    while (!in.done()) {
        const Done done = step(in);
        if (done == Done::kBad || in.failed()) return false;
        if (done != Done::kMoved || target_ == location_) continue;
        sink.row(location_, state_);
        location_ = target_;
        // Rows beyond the function's end are ignored.
        if (location_ >= fde.end) return true;
    }
    sink.row(location_, state_);
    return true;
}

}  // namespace tapir::unwind
