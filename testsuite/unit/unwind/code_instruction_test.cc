// SPDX-License-Identifier: GPL-2.0-or-later
// Instructions of real libraries, as the library Zydis decodes them.
#include "unwind/code_instruction.h"

#include <Zydis/Zydis.h>
#include <gtest/gtest.h>

#include <array>

#include "load.h"
#include "unwind/cfi.h"

namespace tapir::unwind {
namespace {

using Flow = CodeInstruction::Flow;

struct Decoded {
    ZydisDecodedInstruction in;
    std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT> operands;
};

uint8_t number_of(ZydisRegister reg) {
    const ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
    return ZydisRegisterGetClass(whole) == ZYDIS_REGCLASS_GPR64 ? static_cast<uint8_t>(ZydisRegisterGetId(whole))
                                                                : kNoCodeRegister;
}

Flow flow_of(const ZydisDecodedInstruction &in) {
    const bool direct = in.raw.imm[0].is_relative;
    switch (in.mnemonic) {
        case ZYDIS_MNEMONIC_CALL:
            return direct ? Flow::Call : Flow::IndirectCall;
        case ZYDIS_MNEMONIC_JMP:
            return direct ? Flow::Jump : Flow::IndirectJump;
        case ZYDIS_MNEMONIC_RET:
            return in.opcode == 0xc3 || in.opcode == 0xc2 ? Flow::Return : Flow::Stop;
        case ZYDIS_MNEMONIC_HLT:
        case ZYDIS_MNEMONIC_INT3:
        case ZYDIS_MNEMONIC_INT1:
        case ZYDIS_MNEMONIC_UD0:
        case ZYDIS_MNEMONIC_UD1:
        case ZYDIS_MNEMONIC_UD2:
        case ZYDIS_MNEMONIC_IRETQ:
        case ZYDIS_MNEMONIC_SYSRET:
        case ZYDIS_MNEMONIC_SYSEXIT:
        case ZYDIS_MNEMONIC_XEND:
            return in.mnemonic == ZYDIS_MNEMONIC_XEND ? Flow::Next : Flow::Stop;
        default:
            return direct ? Flow::Branch : Flow::Next;
    }
}

// Returns the first mistake in our decoding, or "".
std::string compare_memory(const CodeInstruction &ours, const ZydisDecodedOperand &operand) {
    const auto &mem = operand.mem;
    if (mem.type == ZYDIS_MEMOP_TYPE_MIB || !ours.memory) return ours.memory ? "" : "memory";
    if (mem.base == ZYDIS_REGISTER_RIP) return ours.after ? "" : "relative to the next";
    const auto number = [](ZydisRegister reg) { return reg == ZYDIS_REGISTER_NONE ? kNoCodeRegister : number_of(reg); };
    if (ours.base != number(mem.base)) return "base";
    const bool vector_index = mem.index != ZYDIS_REGISTER_NONE && number(mem.index) == kNoCodeRegister;
    if (!vector_index && ours.index != number(mem.index)) return "index";
    if (!vector_index && mem.index != ZYDIS_REGISTER_NONE && ours.scale != mem.scale) return "scale";
    if (!ours.vector && mem.disp.has_displacement && ours.displacement != mem.disp.value) return "displacement";
    return {};
}

std::string compare(const CodeInstruction &ours, const Decoded &known, uint64_t address) {
    if (ours.length != known.in.length) return "length";
    const Flow flow = flow_of(known.in);
    if (ours.flow != flow) return "flow";
    if ((flow == Flow::Call || flow == Flow::Jump || flow == Flow::Branch) &&
        ours.target != address + ours.length + static_cast<uint64_t>(known.in.raw.imm[0].value.s))
        return "target";
    for (size_t i = 0; i < known.in.operand_count; i++) {
        const ZydisDecodedOperand &operand = known.operands[i];
        const bool written = operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
        if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER && written) {
            const uint8_t reg = number_of(operand.reg.value);
            if (reg != kNoCodeRegister && !(reg == kSp && i >= known.in.operand_count_visible) &&
                !(ours.writes >> reg & 1))
                return std::string("writes ") + ZydisRegisterGetString(operand.reg.value);
        }
        if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY || operand.visibility != ZYDIS_OPERAND_VISIBILITY_EXPLICIT)
            continue;
        if (known.in.raw.modrm.offset) {
            const std::string why = compare_memory(ours, operand);
            if (!why.empty()) return why;
            if (written && ours.stored_bytes < std::min(operand.size / 8, 255)) return "stores less";
        }
    }
    return {};
}

void expect_equal_instructions(const std::string &path, unsigned at_least) {
    TableOptions options;
    options.rows = options.symbols = false;
    const Object object(path, options);
    ASSERT_EQ(object.why, "");
    ASSERT_EQ(object.file.machine(), TAPIR_UNWIND_X86_64);
    ZydisDecoder decoder;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    uint64_t frames_at = 0;
    const std::string_view frames = object.file.eh_frame_by_segment(frames_at);
    CfiSection section(frames, frames_at, true, object.file.machine());
    unsigned count = 0, wrong = 0, unknown = 0;
    for (const Fde &fde : section.read()) {
        const std::string_view code = object.file.content_at(fde.start).substr(0, fde.end - fde.start);
        for (size_t at = 0; at < code.size() && wrong < 20;) {
            Decoded known;
            if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code.data() + at, code.size() - at, &known.in,
                                                     known.operands.data())))
                break;
            CodeInstruction ours;
            if (!decode_instruction(code.substr(at), fde.start + at, ours)) {
                unknown++;
            } else if (const std::string why = compare(ours, known, fde.start + at); !why.empty()) {
                wrong++;
                ADD_FAILURE() << path << " " << std::hex << fde.start + at << " "
                              << ZydisMnemonicGetString(known.in.mnemonic) << ": " << why;
            }
            at += known.in.length;
            count++;
        }
    }
    EXPECT_GE(count, at_least);
    EXPECT_LE(unknown, count / 1000) << path;
}

TEST(CodeInstruction, IsThatOfTheCLibrary) {
    expect_equal_instructions(library_path("libc.so.6"), 300000);
}
TEST(CodeInstruction, IsThatOfTheCxxLibrary) {
    expect_equal_instructions(library_path("libstdc++.so.6"), 200000);
}
TEST(CodeInstruction, IsThatOfTheMathematicsLibrary) {
    expect_equal_instructions(library_path("libm.so.6"), 100000);
}
TEST(CodeInstruction, IsThatOfTheDynamicLinker) {
    expect_equal_instructions("/lib64/ld-linux-x86-64.so.2", 10000);
}
// With assembly for vectors of all lengths.
TEST(CodeInstruction, IsThatOfCryptography) {
    const std::string path = library_path("libcrypto.so.3");
    if (path.empty()) GTEST_SKIP() << "libcrypto.so.3 is not there";
    expect_equal_instructions(path, 300000);
}

// The decoder uses no more bytes than there are.
TEST(CodeInstruction, EndsWhereItIsCut) {
    const std::string_view code("\x48\x8b\x84\xd1\x78\x56\x34\x12", 8);  // mov 0x12345678(%rcx,%rdx,8), %rax
    CodeInstruction in;
    ASSERT_TRUE(decode_instruction(code, 0, in));
    EXPECT_EQ(in.length, 8);
    for (size_t bytes = 0; bytes < code.size(); bytes++)
        EXPECT_FALSE(decode_instruction(code.substr(0, bytes), 0, in)) << bytes;
}

}  // namespace
}  // namespace tapir::unwind
