// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The little of x86-64 instructions that a search for frames needs (Intel 64 and IA-32 Architectures Software
 * Developer's Manual, volume 2): how long one is, where it goes, and which registers and memory it changes. Own code,
 * because staprun is static, and a library for it is not to be had so everywhere.
 */
#pragma once

#include <cstdint>
#include <string_view>

namespace tapir::unwind {

// Numbers of registers as instructions have them, not as DWARF has them.
enum CodeRegister : uint8_t { kAx, kCx, kDx, kBx, kSp, kBp, kSi, kDi, kR8, kR9, kR10, kR11, kR12, kR15 = 15 };
constexpr uint8_t kNoCodeRegister = 0xff;

struct CodeInstruction {
    enum class Flow : uint8_t { Next, Call, IndirectCall, Jump, IndirectJump, Branch, Return, Stop };
    enum class Map : uint8_t { One, Two, Three38, Three3a };  // how many bytes the opcode has

    bool is(Map which, uint8_t code) const { return map == which && opcode == code && !vector; }
    // Tells instructions of a group with the same opcode apart.
    uint8_t digit() const { return reg & 7; }
    // One operand is a register or memory, and here it is a register.
    bool of_registers() const { return has_operands && !memory; }

    Flow flow = Flow::Next;
    Map map = Map::One;
    uint8_t opcode = 0;
    uint8_t length = 0;
    bool vector = false;                            // coded as VEX or EVEX
    bool wide = false;                              // of 64 bits, by REX.W
    bool rex_low = false;                           // the register that is part of the opcode is one of the upper eight
    bool narrow = false;                            // of 16 bits, by a prefix
    bool repeated = false, repeated_other = false;  // F3 and F2
    bool has_operands = false;
    bool memory = false;
    bool in_segment = false;  // the memory is in %fs or %gs
    bool after = false;       // the memory is counted from the next instruction
    uint8_t reg = 0, rm = 0;  // `rm` where it is a register
    uint8_t base = kNoCodeRegister, index = kNoCodeRegister, scale = 1;
    int32_t displacement = 0;
    int64_t immediate = 0;
    uint64_t target = 0;       // of a call, jump or branch that is not indirect
    uint32_t writes = 0;       // general registers that may change, 1 << number; not the stack pointer of push and pop
    uint8_t stored_bytes = 0;  // of that memory, at most; 0: it is not written
};

// Decodes the instruction at the beginning of `code`. False if it is cut off, or is not an instruction of user
// programs.
bool decode_instruction(std::string_view code, uint64_t address, CodeInstruction &out);

}  // namespace tapir::unwind
