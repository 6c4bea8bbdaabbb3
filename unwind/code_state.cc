// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/code_state.h"

#include <algorithm>

namespace tapir::unwind {

namespace {

using Flow = CodeInstruction::Flow;
using Map = CodeInstruction::Map;

constexpr uint8_t kPreserved[] = {kBx, kBp, kR12, 13, 14, kR15};
constexpr size_t kMostNames = 1 << 16;
constexpr int32_t kReturnSlot = -8;
// DWARF numbers, indexed by the number in instructions.
constexpr uint8_t kDwarf[] = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};
constexpr uint64_t kReturnColumn = 16;

bool is_preserved(uint8_t reg) {
    return !(kChangedByCalls >> reg & 1) && reg != kSp;
}

class Step {
  public:
    Step(const CodeInstruction &in, uint64_t end, NamedAddresses &names, CodeState &state)
        : in_(in), end_(end), names_(names), state_(state) {}

    void run() {
        const int32_t compared = in_.flow == Flow::Branch ? state_.compared : kUnknown;
        state_.compared = kUnknown;
        if (in_.vector || in_.map != Map::One || !one_byte()) any();
        if (compared != kUnknown) state_.compared = compared;
    }

  private:
    int32_t &value(unsigned reg) { return state_.values[reg & 15]; }

    void set(unsigned reg, int32_t to) {
        if (reg == kSp) {
            move_stack(to);
        } else {
            value(reg) = to;
        }
    }
    void move_stack(int32_t to) {
        if (to != kUnknown && !is_offset(to)) to = kUnknown;
        const int32_t from = state_.stack();
        state_.values[kSp] = to;
        if (!is_offset(to)) return;
        // Memory below the stack pointer may be overwritten at any time. If the old stack pointer is unknown, any slot
        // below the new one is lost.
        for (int32_t &slot : state_.slots)
            if (slot != kUnknown && slot < to && (!is_offset(from) || slot >= from)) slot = kUnknown;
    }
    void move_stack_by(int32_t bytes) {
        const int32_t from = state_.stack();
        move_stack(is_offset(from) && is_offset(from + bytes) ? from + bytes : kUnknown);
    }

    // Where the memory of the instruction is, from the CFA on; or kUnknown.
    int32_t memory() const {
        if (!in_.memory || in_.in_segment || in_.base == kNoCodeRegister || in_.index != kNoCodeRegister)
            return kUnknown;
        const int32_t base = state_.values[in_.base];
        if (!is_offset(base) || !is_offset(in_.displacement) || !is_offset(base + in_.displacement)) return kUnknown;
        return base + in_.displacement;
    }

    void overwrite(int32_t at, int32_t bytes) {
        for (int32_t &slot : state_.slots)
            if (slot != kUnknown && slot < at + bytes && at < slot + 8) slot = kUnknown;
        if (kReturnSlot < at + bytes && at < kReturnSlot + 8) state_.return_kept = false;
    }
    void store(int32_t at, unsigned reg) {
        const int32_t what = value(reg);
        // The same once more changes nothing.
        if (what == kOwn && state_.slots[reg] == at) return;
        overwrite(at, 8);
        if (what == kOwn && is_preserved(static_cast<uint8_t>(reg)) && state_.slots[reg] == kUnknown)
            state_.slots[reg] = at;
        if (what == kReturn && at == kReturnSlot) state_.return_kept = true;
    }
    int32_t load(int32_t at, unsigned reg) const {
        if (at == kUnknown) return kUnknown;
        if (at == state_.slots[reg]) return kOwn;
        return at == kReturnSlot && state_.return_kept ? kReturn : kUnknown;
    }

    void push(unsigned reg) {
        move_stack_by(-8);
        if (state_.stack() != kUnknown) store(state_.stack(), reg);
    }
    void push_other(int32_t bytes) {
        move_stack_by(-bytes);
        if (state_.stack() != kUnknown) overwrite(state_.stack(), bytes);
    }
    void pop(unsigned reg) {
        const int32_t what = is_offset(state_.stack()) ? load(state_.stack(), reg) : kUnknown;
        move_stack_by(8);
        set(reg, reg == kSp ? kUnknown : what);
    }
    void leave() {
        const int32_t frame = value(kBp);
        if (!is_offset(frame)) {
            move_stack(kUnknown);
            value(kBp) = kUnknown;
            return;
        }
        const int32_t what = load(frame, kBp);
        move_stack(frame + 8);
        value(kBp) = what;
    }

    // Operands of 64 bits, the only ones that compilers use. Others leave the stack pointer unknown.
    bool usual() {
        if (in_.narrow) move_stack(kUnknown);
        return !in_.narrow;
    }

    bool pop_operand() {
        if (!usual()) return false;
        if (in_.memory) {
            move_stack_by(8);
            stored();
        } else {
            pop(in_.rm);
        }
        return true;
    }

    // True: all is done.
    bool one_byte() {
        const uint8_t opcode = in_.opcode;
        if ((opcode & 0xf8) == 0x50 || (opcode & 0xf8) == 0x58) return stack_register();
        switch (opcode) {
            case 0x68:
            case 0x6a:
            case 0x9c:
                return usual() && (push_other(8), true);
            case 0x9d:
                return usual() && (move_stack_by(8), true);
            case 0xc9:
                return usual() && (leave(), true);
            case 0xc8:
                move_stack(kUnknown);
                value(kBp) = kUnknown;
                return true;
            case 0x8f:
                return pop_operand();
            case 0x98:
                // An index that is made wider.
                if (class_of(value(kAx)) == kTableEntry) return true;
                return false;
            default:
                return operands();
        }
    }

    bool stack_register() {
        const unsigned reg = (in_.opcode & 7) | (in_.rex_low ? 8 : 0);
        if (!usual()) return false;
        if (in_.opcode < 0x58) {
            push(reg);
        } else {
            pop(reg);
        }
        return true;
    }

    bool operands() {
        switch (in_.opcode) {
            case 0x89:
                return move_from();
            case 0x8b:
            case 0x63:
                return move_to();
            case 0x8d:
                return address();
            case 0x81:
            case 0x83:
                return arithmetic();
            case 0x3c:
            case 0x3d:
                state_.limit = limit_of(in_.opcode == 0x3c ? in_.immediate & 0xff : in_.immediate);
                return true;
            case 0x80:
                if (in_.digit() != 7) return false;
                state_.limit = limit_of(in_.immediate & 0xff);
                return true;
            case 0x39:
            case 0x3b:
                return compare();
            case 0x31:
            case 0x33:
                return clear();
            case 0x01:
            case 0x03:
                return add();
            case 0xff:
                return in_.digit() == 6 && usual() && (push_other(8), true);
            default:
                return false;
        }
    }

    static int32_t limit_of(int64_t number) {
        constexpr int64_t kMost = 4096;
        return number >= 0 && number < kMost ? -static_cast<int32_t>(number + 1) : 0;
    }

    bool move_from() {
        if (!in_.wide) return false;
        if (in_.memory) {
            const int32_t at = memory();
            if (at != kUnknown) store(at, in_.reg);
            return true;
        }
        copy(in_.rm, in_.reg);
        return true;
    }
    bool move_to() {
        if (!in_.memory) {
            if (!in_.wide) return false;
            if (in_.opcode == 0x63) {
                set(in_.reg, class_of(value(in_.rm)) == kTableEntry ? value(in_.rm) : kUnknown);
            } else {
                copy(in_.reg, in_.rm);
            }
            return true;
        }
        if (const int32_t entry = table_entry(); entry != kUnknown) {
            set(in_.reg, entry);
            return true;
        }
        if (!in_.wide || in_.opcode == 0x63) return false;
        set(in_.reg, load(memory(), in_.reg));
        return true;
    }
    // A copy of the caller's value does not count as saved: only one register is tracked for it.
    void copy(unsigned to, unsigned from) {
        if (to == from) return;
        set(to, value(from) == kOwn ? kUnknown : value(from));
    }
    // A word of a table of a switch: offsets of 4 bytes from its beginning, or pointers.
    int32_t table_entry() {
        if (in_.in_segment) return kUnknown;
        if (in_.wide && in_.opcode == 0x8b) {
            if (in_.base != kNoCodeRegister || in_.index == kNoCodeRegister || in_.scale != 8) return kUnknown;
            const int32_t table = names_.value_of(static_cast<uint64_t>(int64_t{in_.displacement}));
            return table == kUnknown ? kUnknown : with_class(table, kPointerEntry);
        }
        if (in_.displacement || in_.base == kNoCodeRegister || in_.index == kNoCodeRegister) return kUnknown;
        for (const uint8_t reg : {in_.base, in_.index})
            if (class_of(value(reg)) == kAddress) return with_class(value(reg), kTableEntry);
        return kUnknown;
    }

    bool address() {
        if (!in_.wide || in_.in_segment) return false;
        if (in_.after) {
            set(in_.reg, names_.value_of(end_ + static_cast<uint64_t>(int64_t{in_.displacement})));
        } else {
            set(in_.reg, memory());
        }
        return true;
    }

    bool arithmetic() {
        const unsigned digit = in_.digit();
        if (digit == 7) {
            state_.limit = limit_of(in_.immediate);
            return true;
        }
        if (!in_.wide || in_.memory || !is_offset(value(in_.rm))) return false;
        if (digit != 0 && digit != 5) return false;
        const int64_t sum = value(in_.rm) + (digit == 0 ? in_.immediate : -in_.immediate);
        set(in_.rm, sum > -kFarthest && sum < kFarthest ? static_cast<int32_t>(sum) : kUnknown);
        return true;
    }

    bool compare() {
        if (!in_.wide || in_.memory) return true;
        if (in_.rm == kSp && is_offset(value(in_.reg))) state_.compared = value(in_.reg);
        if (in_.reg == kSp && is_offset(value(in_.rm))) state_.compared = value(in_.rm);
        return true;
    }

    // The frame pointer of the outermost function is zero (System V ABI, AMD64 supplement, 3.4.1). A function with a
    // caller would have saved it before.
    bool clear() {
        if (in_.memory || in_.reg != in_.rm) return false;
        const auto saved = [](int32_t slot) { return slot != kUnknown; };
        if (in_.reg == kBp && value(kBp) == kOwn && std::none_of(state_.slots.begin(), state_.slots.end(), saved))
            state_.outermost = true;
        set(in_.reg, kUnknown);
        return true;
    }

    bool add() {
        if (!in_.wide || in_.memory) return false;
        const unsigned to = in_.opcode == 0x01 ? in_.rm : in_.reg, from = in_.opcode == 0x01 ? in_.reg : in_.rm;
        const int32_t a = value(to), b = value(from);
        const bool both = (class_of(a) == kTableEntry && class_of(b) == kAddress) ||
                          (class_of(b) == kTableEntry && class_of(a) == kAddress);
        set(to, both && with_class(a, kAddress) == with_class(b, kAddress) ? with_class(a, kTableTarget) : kUnknown);
        return true;
    }

    void stored() {
        const int32_t at = memory();
        if (in_.stored_bytes && at != kUnknown) overwrite(at, in_.stored_bytes);
    }

    // An instruction that is known only by its changes.
    void any() {
        stored();
        if (in_.map == Map::Two && !in_.vector && (in_.opcode & 0xf6) == 0xa0) {  // push and pop of %fs and %gs
            if (in_.opcode & 1) {
                move_stack_by(8);
            } else {
                push_other(8);
            }
            return;
        }
        uint32_t changed = in_.writes;
        if (in_.flow == Flow::Call || in_.flow == Flow::IndirectCall) {
            changed |= kChangedByCalls;
            // A call of the next instruction only puts its address on the stack.
            if (in_.flow == Flow::Call && in_.target == end_) push_other(8);
        }
        for (uint32_t left = changed; left; left &= left - 1)
            set(static_cast<unsigned>(__builtin_ctz(left)), kUnknown);
    }

    const CodeInstruction &in_;
    uint64_t end_;
    NamedAddresses &names_;
    CodeState &state_;
};

}  // namespace

void step(const CodeInstruction &in, uint64_t end, NamedAddresses &names, CodeState &state) {
    Step(in, end, names, state).run();
}

int32_t NamedAddresses::value_of(uint64_t address) {
    if (all_.size() >= kMostNames) return kUnknown;
    // Most are named again soon.
    const size_t from = all_.size() > 8 ? all_.size() - 8 : 0;
    for (size_t i = all_.size(); i-- > from;)
        if (all_[i] == address) return static_cast<int32_t>(i) | kAddress << kClassBits;
    all_.push_back(address);
    return static_cast<int32_t>(all_.size() - 1) | kAddress << kClassBits;
}

CodeState CodeState::at_entry() {
    CodeState state;
    state.values.fill(kOwn);
    state.slots.fill(kUnknown);
    state.values[kSp] = kReturnSlot;
    return state;
}

bool CodeState::restored() const {
    return std::all_of(std::begin(kPreserved), std::end(kPreserved), [&](uint8_t reg) { return values[reg] == kOwn; });
}

bool CodeState::agrees(const CodeState &other) const {
    return stack() == other.stack() && slots == other.slots && return_kept == other.return_kept &&
           is_offset(values[kBp]) == is_offset(other.values[kBp]);
}

bool CodeState::meet(const CodeState &other) {
    bool less = false;
    const auto both = [&less](auto &mine, auto theirs, auto nothing) {
        if (mine == theirs || mine == nothing) return;
        mine = nothing;
        less = true;
    };
    for (size_t i = 0; i < values.size(); i++) {
        both(values[i], other.values[i], static_cast<int32_t>(kUnknown));
        both(slots[i], other.slots[i], static_cast<int32_t>(kUnknown));
    }
    both(compared, other.compared, static_cast<int32_t>(kUnknown));
    both(limit, other.limit, 0);
    both(return_kept, other.return_kept, false);
    both(outermost, other.outermost, false);
    return less;
}

bool CodeState::row(RowState &out) const {
    out = {};
    if (outermost) {
        out.assign(kReturnColumn, {RegisterRule::kUndefined, 0, 0});
        return true;
    }
    // The frame pointer, if it is one; what calls preserve; the others.
    uint8_t base = kNoCodeRegister;
    if (is_offset(values[kBp]) && values[kBp] == slots[kBp]) {
        base = kBp;
    } else if (is_offset(stack())) {
        base = kSp;
    } else {
        for (const uint8_t reg : {uint8_t{kBp}, uint8_t{kBx}, uint8_t{kR12}, uint8_t{13}, uint8_t{14}, uint8_t{kR15},
                                  uint8_t{kR10}, uint8_t{kR11}, uint8_t{kAx}, uint8_t{kDx}, uint8_t{kCx}})
            if (base == kNoCodeRegister && is_offset(values[reg])) base = reg;
    }
    if (base == kNoCodeRegister) return false;
    out.cfa = {TAPIR_CFA_REGISTER, kDwarf[base], -values[base], 0};
    if (return_kept && (!is_offset(stack()) || stack() <= kReturnSlot)) {
        out.assign(kReturnColumn, {RegisterRule::kCfa, 0, kReturnSlot});
    } else {
        const auto kept = std::find(values.begin(), values.end(), static_cast<int32_t>(kReturn));
        if (kept == values.end()) return false;
        out.assign(kReturnColumn, {RegisterRule::kRegister, kDwarf[kept - values.begin()], 0});
    }
    for (const uint8_t reg : kPreserved) {
        if (slots[reg] != kUnknown) {
            out.assign(kDwarf[reg], {RegisterRule::kCfa, 0, slots[reg]});
        } else if (values[reg] != kOwn) {
            out.assign(kDwarf[reg], {RegisterRule::kUndefined, 0, 0});
        }
    }
    return true;
}

}  // namespace tapir::unwind
