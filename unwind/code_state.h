// SPDX-License-Identifier: GPL-2.0-or-later
// The known state of the stack and the registers between two instructions of a function, and the effect of an
// instruction on it.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "unwind/code_instruction.h"
#include "unwind/row_state.h"

namespace tapir::unwind {

// A known value is an offset from the CFA if it is within kFarthest of 0; else one of kUnknown, kOwn and kReturn, or a
// class and the index of an address that the function has named.
enum : int32_t {
    kFarthest = 1 << 28,
    kClassBits = 28,
    kUnknown = std::numeric_limits<int32_t>::min(),
    kOwn,     // the caller's value of this register
    kReturn,  // the return address
};
enum ValueClass : int32_t {
    kAddress = 1,       // an address
    kTableEntry = 2,    // a word of the table at an address, from where its target is counted
    kTableTarget = 3,   // that target
    kPointerEntry = 4,  // a pointer of the table at an address
};

inline bool is_offset(int32_t value) {
    return value > -kFarthest && value < kFarthest;
}

struct CodeState {
    std::array<int32_t, 16> values;  // by register
    std::array<int32_t, 16> slots;   // where the caller's value of a register is saved, from the CFA on; or kUnknown
    int32_t compared = kUnknown;     // the value of the stack pointer that was just compared to
    int32_t limit = 0;               // of the index of a table: so many it has; negated before the branch that says so
    bool return_kept = true;         // the return address is where the call has put it
    bool outermost = false;          // the function has no caller

    static CodeState at_entry();
    int32_t stack() const { return values[kSp]; }
    // True if callee-saved registers have their values from the function's entry.
    bool restored() const;
    // True if the stacks, and the saved values there, are the same.
    bool agrees(const CodeState &other) const;
    // Only what both say stays. True if this says less than before.
    bool meet(const CodeState &other);
    // Returns false if no frame is found; else describes it in `out`.
    bool row(RowState &out) const;
};

// Addresses that instructions name, by index.
class NamedAddresses {
  public:
    // A value of the class kAddress; kUnknown when there are too many.
    int32_t value_of(uint64_t address);
    uint64_t address_of(int32_t value) const { return all_[static_cast<size_t>(value & ((1 << kClassBits) - 1))]; }
    void clear() { all_.clear(); }

  private:
    std::vector<uint64_t> all_;
};

inline int32_t class_of(int32_t value) {
    return is_offset(value) || value <= kReturn ? 0 : value >> kClassBits;
}
inline int32_t with_class(int32_t value, ValueClass wanted) {
    return (value & ((1 << kClassBits) - 1)) | static_cast<int32_t>(static_cast<uint32_t>(wanted) << kClassBits);
}

// Registers that a called function need not preserve.
constexpr uint32_t kChangedByCalls = 0x0fc7;

// Applies an instruction, which ends at address `end`, to `state`. A call counts as returned.
void step(const CodeInstruction &in, uint64_t end, NamedAddresses &names, CodeState &state);

}  // namespace tapir::unwind
