// SPDX-License-Identifier: GPL-2.0-or-later
// x86-64, by the library Zydis.
#include <Zydis/Zydis.h>
#include <elf.h>

#include <array>

#include "arch/decode/machines.h"

namespace tapir::decode {

namespace {

using Flow = Instruction::Flow;
using Does = Instruction::Does;

uint8_t number_of(ZydisRegister reg) {
    const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
    if (ZydisRegisterGetClass(whole) != ZYDIS_REGCLASS_GPR64) return kNoRegister;
    const ZyanI8 id = ZydisRegisterGetId(whole);
    return id < 0 ? kNoRegister : static_cast<uint8_t>(id);
}

bool is_general(const ZydisDecodedOperand &operand) {
    return operand.type == ZYDIS_OPERAND_TYPE_REGISTER && number_of(operand.reg.value) != kNoRegister;
}

Memory memory_of(const ZydisDecodedInstruction &in, const ZydisDecodedOperand &operand, uint64_t end) {
    Memory memory;
    const auto &mem = operand.mem;
    memory.displacement = mem.disp.has_displacement ? static_cast<uint64_t>(mem.disp.value) : 0;
    memory.known = in.address_width == 64 && mem.segment != ZYDIS_REGISTER_FS && mem.segment != ZYDIS_REGISTER_GS;
    if (mem.base == ZYDIS_REGISTER_RIP) {
        memory.displacement += end;
    } else if (mem.base != ZYDIS_REGISTER_NONE) {
        memory.base = number_of(mem.base);
    }
    if (mem.index != ZYDIS_REGISTER_NONE) {
        memory.index = number_of(mem.index);
        memory.scale = mem.scale;
        if (memory.index == kNoRegister) memory.known = false;  // a vector of them
    }
    return memory;
}

class Zydis final : public Decoder {
  public:
    Zydis() {
        ZydisDecoderInit(&full_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
        ZydisDecoderInit(&minimal_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
        ZydisDecoderEnableMode(&minimal_, ZYDIS_DECODER_MODE_MINIMAL, ZYAN_TRUE);
    }

    bool decode(std::span<const unsigned char> code, uint64_t address, Instruction &out) const override {
        ZydisDecodedInstruction in;
        std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT> operands;
        if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&full_, code.data(), code.size(), &in, operands.data()))) return false;
        flow_of(in, address, out);
        out.of_switch = (in.attributes & ZYDIS_ATTRIB_HAS_NOTRACK) != 0;
        out.writes = written_by(std::span(operands).first(in.operand_count));
        describe(in, std::span(operands).first(in.operand_count_visible), out);
        return true;
    }

    bool decode_flow(std::span<const unsigned char> code, uint64_t address, Instruction &out) const override {
        ZydisDecodedInstruction in;
        ZydisDecoderContext context;
        if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&minimal_, &context, code.data(), code.size(), &in)))
            return false;
        flow_of(in, address, out);
        return true;
    }

    // Those that the System V ABI does not have preserved.
    uint32_t changed_by_calls() const override { return 0x0fc7; }

  private:
    static void to_target(const ZydisDecodedInstruction &in, Flow flow, Flow without, Instruction &out) {
        out.has_target = in.raw.imm[0].is_relative;
        out.target = out.end() + static_cast<uint64_t>(in.raw.imm[0].value.s);
        out.flow = out.has_target ? flow : without;
    }

    static void flow_of(const ZydisDecodedInstruction &in, uint64_t address, Instruction &out) {
        out = {};
        out.address = address;
        out.length = in.length;
        out.prefixes = in.raw.prefix_count;
        for (size_t i = 0; i < in.raw.prefix_count; ++i)
            out.no_uprobe |= is_refused_prefix(in.raw.prefixes[i].value);
        switch (in.mnemonic) {
            case ZYDIS_MNEMONIC_CALL:
                return to_target(in, Flow::Call, Flow::Call, out);
            case ZYDIS_MNEMONIC_JMP:
                return to_target(in, Flow::Jump, Flow::IndirectJump, out);
            case ZYDIS_MNEMONIC_RET:
                out.flow = is_near_return(in) ? Flow::Return : Flow::OddReturn;
                return;
            case ZYDIS_MNEMONIC_IRET:
            case ZYDIS_MNEMONIC_IRETD:
            case ZYDIS_MNEMONIC_IRETQ:
            case ZYDIS_MNEMONIC_UIRET:
            case ZYDIS_MNEMONIC_SYSRET:
            case ZYDIS_MNEMONIC_SYSEXIT:
            case ZYDIS_MNEMONIC_RSM:
                out.flow = Flow::OddReturn;
                return;
            case ZYDIS_MNEMONIC_HLT:
            case ZYDIS_MNEMONIC_INT3:
            case ZYDIS_MNEMONIC_UD0:
            case ZYDIS_MNEMONIC_UD1:
            case ZYDIS_MNEMONIC_UD2:
                out.flow = Flow::Stop;
                out.filler = in.mnemonic == ZYDIS_MNEMONIC_INT3 || in.mnemonic == ZYDIS_MNEMONIC_UD2;
                return;
            case ZYDIS_MNEMONIC_NOP:
                out.filler = true;
                return;
            default:
                // Conditional jumps, loops, and the beginnings of transactions.
                if (in.raw.imm[0].is_relative) to_target(in, Flow::Branch, Flow::Branch, out);
                out.if_above = in.mnemonic == ZYDIS_MNEMONIC_JNBE;
                out.if_at_least = in.mnemonic == ZYDIS_MNEMONIC_JNB;
        }
    }

    // LOCK, and the segments ES, CS, SS and DS; the latter is also what marks a jump of a switch.
    static bool is_refused_prefix(uint8_t prefix) {
        return prefix == 0xf0 || prefix == 0x26 || prefix == 0x2e || prefix == 0x36 || prefix == 0x3e;
    }

    // With an operand size of 16 bits it takes two bytes from the stack.
    static bool is_near_return(const ZydisDecodedInstruction &in) {
        const bool near = in.opcode == 0xc3 || in.opcode == 0xc2;
        const bool short_operand = in.operand_width == 16 || (in.attributes & ZYDIS_ATTRIB_HAS_OPERANDSIZE);
        return near && !short_operand;
    }

    static uint32_t written_by(std::span<const ZydisDecodedOperand> operands) {
        uint32_t written = 0;
        for (const ZydisDecodedOperand &operand : operands)
            if (is_general(operand) && (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
                written |= uint32_t{1} << number_of(operand.reg.value);
        return written;
    }

    static void describe(const ZydisDecodedInstruction &in, std::span<const ZydisDecodedOperand> operands,
                         Instruction &out) {
        if (out.flow == Flow::IndirectJump) {
            if (operands.empty()) return;
            if (operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY) {
                out.does = Does::Load;
                out.bytes = static_cast<uint8_t>(operands[0].size / 8);
                out.memory = memory_of(in, operands[0], out.end());
            } else if (is_general(operands[0])) {
                out.from = number_of(operands[0].reg.value);
            }
            return;
        }
        if (in.mnemonic == ZYDIS_MNEMONIC_CDQE) {
            out.does = Does::Copy;
            out.to = out.from = number_of(ZYDIS_REGISTER_RAX);
        }
        if (operands.size() != 2) return;
        const ZydisDecodedOperand &to = operands[0], &from = operands[1];
        if (in.mnemonic == ZYDIS_MNEMONIC_CMP && is_general(to) && from.type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
            out.does = Does::Compare;
            out.to = number_of(to.reg.value);
            out.number = from.imm.value.s;
            return;
        }
        if (!is_general(to)) return;
        out.to = number_of(to.reg.value);
        switch (in.mnemonic) {
            case ZYDIS_MNEMONIC_LEA:
                out.does = Does::Address;
                out.memory = memory_of(in, from, out.end());
                return;
            case ZYDIS_MNEMONIC_MOV:
            case ZYDIS_MNEMONIC_MOVSXD:
                describe_move(in, from, out);
                return;
            case ZYDIS_MNEMONIC_SHL:
                // An index that is multiplied by the size of a table's entries.
                if (to.size != 64 || from.type != ZYDIS_OPERAND_TYPE_IMMEDIATE || from.imm.value.u > 3) return;
                out.does = Does::Address;
                out.memory.index = out.to;
                out.memory.scale = static_cast<uint8_t>(1u << from.imm.value.u);
                return;
            case ZYDIS_MNEMONIC_ADD:
                if (to.size != 64 || !is_general(from)) return;
                out.does = Does::Add;
                out.from = number_of(from.reg.value);
                return;
            default:
                return;
        }
    }

    static void describe_move(const ZydisDecodedInstruction &in, const ZydisDecodedOperand &from, Instruction &out) {
        if (from.type == ZYDIS_OPERAND_TYPE_MEMORY) {
            if (from.size != 64 && from.size != 32) return;
            out.does = Does::Load;
            out.bytes = static_cast<uint8_t>(from.size / 8);
            out.memory = memory_of(in, from, out.end());
        } else if (is_general(from) && from.size >= 32) {
            out.does = Does::Copy;
            out.from = number_of(from.reg.value);
        } else if (from.type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
            // An address, where code is not moved.
            out.does = Does::Address;
            out.memory.displacement = from.imm.value.u;
        }
    }

    ZydisDecoder full_, minimal_;
};

}  // namespace

Machine x86_64() {
    static const Zydis kDecoder;
    return {EM_X86_64, &kDecoder};
}

}  // namespace tapir::decode
