// SPDX-License-Identifier: GPL-2.0-or-later
// A row of call frame information: where the CFA is, and where the caller's registers are.
#pragma once

#include <tapir/unwind.h>

#include <array>
#include <cstdint>
#include <limits>

namespace tapir::unwind {

// Rules have room for this many bytes.
inline bool fits(int64_t value) {
    return value >= std::numeric_limits<int32_t>::min() && value <= std::numeric_limits<int32_t>::max();
}

// Values of enum tapir_unwind_cfa, and why not.
struct CfaRule {
    uint8_t kind = TAPIR_CFA_NONE;
    uint8_t base = TAPIR_UNWIND_EXPRESSION;
    int32_t offset = 0;
    int32_t add = 0;
    bool operator==(const CfaRule &) const = default;
};

struct RegisterRule {
    // The first four are as enum tapir_unwind_how. kUnknown: the rule was not understood.
    enum Kind : uint8_t { kCfa, kMemory, kValue, kRegister, kSame, kUndefined, kUnknown };
    Kind kind = kSame;
    uint8_t base = 0;
    int32_t offset = 0;
    bool operator==(const RegisterRule &) const = default;
};

// One row. Registers that are not set have the same value in the caller.
struct RowState {
    CfaRule cfa;
    uint64_t set = 0;  // 1 << register
    std::array<RegisterRule, TAPIR_UNWIND_REGISTERS> registers = {};

    void assign(uint64_t reg, const RegisterRule &rule) {
        if (reg >= TAPIR_UNWIND_REGISTERS) return;  // vector registers and such, which no frame is found by
        registers[reg] = rule;
        if (rule.kind == RegisterRule::kSame) {
            set &= ~(uint64_t{1} << reg);
        } else {
            set |= uint64_t{1} << reg;
        }
    }
    bool operator==(const RowState &other) const {
        if (!(cfa == other.cfa) || set != other.set) return false;
        for (uint64_t left = set; left; left &= left - 1) {
            const auto reg = static_cast<size_t>(__builtin_ctzll(left));
            if (!(registers[reg] == other.registers[reg])) return false;
        }
        return true;
    }
};

}  // namespace tapir::unwind
