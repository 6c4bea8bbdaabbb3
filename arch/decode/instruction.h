// SPDX-License-Identifier: GPL-2.0-or-later
// Machine code, one instruction at a time: its length, its successors, and the few effects by which jump tables are
// recognized. One implementation per processor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace tapir::decode {

constexpr uint8_t kNoRegister = 0xff;

// An operand in memory: at displacement + base + index * scale. For an operand relative to the instruction, the
// displacement includes the instruction's address.
struct Memory {
    uint8_t base = kNoRegister, index = kNoRegister, scale = 0;
    uint64_t displacement = 0;
    bool known = true;  // false: the address has another part, as of a segment
};

struct Instruction {
    enum class Flow : uint8_t {
        Next,          // to the next one only
        Jump,          // to `target` only
        Branch,        // to `target` or the next one
        Call,          // to `target`, if that is known, and later to the next one
        Return,        // to the caller of the function
        OddReturn,     // a return of another kind: to another segment, from an interrupt
        IndirectJump,  // through a register or memory
        Stop           // traps; control does not continue
    };
    // The action, as far as jump tables need it. Registers are general ones, by the processor's numbers.
    enum class Does : uint8_t {
        Other,
        Address,  // `to` = address of `memory`
        Load,     // `to` = content of `memory`, `bytes` of it; of an IndirectJump the target
        Add,      // `to` += `from`
        Copy,     // `to` = `from`, or its lower half extended
        Compare   // `to` with `number`
    };

    uint64_t address = 0;
    uint64_t target = 0;
    bool has_target = false;
    uint8_t length = 0;  // bytes, at least 1
    uint8_t prefixes =
        0;  // bytes before the instruction proper, as of a lock; assemblers take these for one of its own
    Flow flow = Flow::Next;
    Does does = Does::Other;
    uint8_t to = kNoRegister, from = kNoRegister;
    uint8_t bytes = 0;
    bool filler = false;       // changes nothing; compilers fill gaps with it
    bool no_uprobe = false;    // the kernel puts no uprobe on it: arch/x86/kernel/uprobes.c, is_prefix_bad()
    bool of_switch = false;    // an IndirectJump that is marked as one through a table of the function's own places
    bool if_above = false;     // a Branch that is taken if the compared value is larger, or at_least, unsigned
    bool if_at_least = false;  // likewise larger or equal
    uint32_t writes = 0;       // general registers whose content it changes, 1 << number
    int64_t number = 0;
    Memory memory;

    uint64_t end() const { return address + length; }
    bool goes_on() const { return flow == Flow::Next || flow == Flow::Branch || flow == Flow::Call; }
};

class Decoder {
  public:
    virtual ~Decoder() = default;
    // Decodes the instruction that `code` begins with, at `address`. False if it is invalid or cut off.
    virtual bool decode(std::span<const unsigned char> code, uint64_t address, Instruction &out) const = 0;
    // The same without `does` and what belongs to it, several times as fast.
    virtual bool decode_flow(std::span<const unsigned char> code, uint64_t address, Instruction &out) const = 0;
    // General registers that a function may change, 1 << number.
    virtual uint32_t changed_by_calls() const = 0;
};

// For the code of an ELF machine, of 64 bits; nullptr: it is not understood.
const Decoder *decoder_of(unsigned elf_machine);

}  // namespace tapir::decode
