// SPDX-License-Identifier: GPL-2.0-or-later
#include <elf.h>
#include <gtest/gtest.h>

#include <vector>

#include "arch/decode/instruction.h"

namespace tapir::decode {
namespace {

using Flow = Instruction::Flow;
using Does = Instruction::Does;

Instruction decoded(const std::vector<unsigned char> &code) {
    Instruction in, flow;
    const Decoder *decoder = decoder_of(EM_X86_64);
    EXPECT_TRUE(decoder->decode(code, 0x1000, in));
    EXPECT_TRUE(decoder->decode_flow(code, 0x1000, flow));
    EXPECT_EQ(in.flow, flow.flow);
    EXPECT_EQ(in.length, flow.length);
    EXPECT_EQ(in.has_target, flow.has_target);
    EXPECT_EQ(in.target, flow.target);
    return in;
}

TEST(Decode, OtherProcessorsAreNotUnderstood) {
    EXPECT_EQ(decoder_of(EM_AARCH64), nullptr);
    EXPECT_EQ(decoder_of(EM_386), nullptr);
}

TEST(Decode, WaysOfReturning) {
    EXPECT_EQ(decoded({0xc3}).flow, Flow::Return);
    EXPECT_EQ(decoded({0xf3, 0xc3}).flow, Flow::Return);        // rep ret
    EXPECT_EQ(decoded({0xf2, 0xc3}).flow, Flow::Return);        // bnd ret
    EXPECT_EQ(decoded({0xc2, 0x08, 0x00}).flow, Flow::Return);  // ret $8
    EXPECT_EQ(decoded({0xf3, 0xc3}).length, 2);
    EXPECT_EQ(decoded({0xcb}).flow, Flow::OddReturn);              // lret
    EXPECT_EQ(decoded({0x48, 0xcb}).flow, Flow::OddReturn);        // lretq
    EXPECT_EQ(decoded({0xca, 0x08, 0x00}).flow, Flow::OddReturn);  // lret $8
    EXPECT_EQ(decoded({0x48, 0xcf}).flow, Flow::OddReturn);        // iretq
    EXPECT_EQ(decoded({0x0f, 0x07}).flow, Flow::OddReturn);        // sysret
    EXPECT_EQ(decoded({0x66, 0xc3}).flow, Flow::OddReturn);        // retw
}

TEST(Decode, JumpsAndCalls) {
    const Instruction jump = decoded({0xe9, 0xfb, 0xff, 0xff, 0xff});
    EXPECT_EQ(jump.flow, Flow::Jump);
    EXPECT_EQ(jump.target, 0x1000u);
    EXPECT_EQ(decoded({0xeb, 0x10}).target, 0x1012u);
    const Instruction above = decoded({0x77, 0xfe});
    EXPECT_EQ(above.flow, Flow::Branch);
    EXPECT_TRUE(above.if_above && above.has_target);
    EXPECT_TRUE(decoded({0x0f, 0x83, 0, 0, 0, 0}).if_at_least);
    EXPECT_EQ(decoded({0xe2, 0xfe}).flow, Flow::Branch);                 // loop
    EXPECT_EQ(decoded({0xc7, 0xf8, 0x10, 0, 0, 0}).flow, Flow::Branch);  // xbegin
    EXPECT_EQ(decoded({0xc7, 0xf8, 0x10, 0, 0, 0}).target, 0x1016u);
    EXPECT_EQ(decoded({0xe8, 0, 0, 0, 0}).flow, Flow::Call);
    EXPECT_TRUE(decoded({0xe8, 0, 0, 0, 0}).has_target);
    EXPECT_EQ(decoded({0xff, 0xd0}).flow, Flow::Call);
    EXPECT_FALSE(decoded({0xff, 0xd0}).has_target);
    EXPECT_EQ(decoded({0xff, 0xe0}).flow, Flow::IndirectJump);
    EXPECT_EQ(decoded({0xff, 0xe2}).from, 2);
    EXPECT_FALSE(decoded({0xff, 0xe0}).of_switch);
    EXPECT_TRUE(decoded({0x3e, 0xff, 0xe0}).of_switch);  // notrack jmp *%rax
}

TEST(Decode, Prefixes) {
    EXPECT_EQ(decoded({0xf0, 0x0f, 0xc1, 0x02}).prefixes, 1);  // lock xadd %eax,(%rdx)
    EXPECT_EQ(decoded({0x0f, 0xc1, 0x02}).prefixes, 0);
}

TEST(Decode, TrapsAndFilling) {
    for (const auto &code : std::vector<std::vector<unsigned char>>{{0x0f, 0x0b}, {0xf4}, {0xcc}})
        EXPECT_EQ(decoded(code).flow, Flow::Stop);
    for (const auto &code : std::vector<std::vector<unsigned char>>{
             {0x90}, {0x66, 0x90}, {0x0f, 0x1f, 0x40, 0}, {0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0}, {0xcc}})
        EXPECT_TRUE(decoded(code).filler);
    EXPECT_FALSE(decoded({0xf3, 0x0f, 0x1e, 0xfa}).filler);  // endbr64
    EXPECT_EQ(decoded({0x0f, 0x05}).flow, Flow::Next);       // syscall
}

TEST(Decode, OperandsOfJumpTables) {
    const Instruction address = decoded({0x48, 0x8d, 0x15, 0xf9, 0x0f, 0, 0});  // lea 0xff9(%rip),%rdx
    EXPECT_EQ(address.does, Does::Address);
    EXPECT_EQ(address.to, 2);
    EXPECT_EQ(address.memory.displacement, 0x2000u);
    EXPECT_EQ(address.memory.base, kNoRegister);
    const Instruction load = decoded({0x4a, 0x63, 0x04, 0xb2});  // movslq (%rdx,%r14,4),%rax
    EXPECT_EQ(load.does, Does::Load);
    EXPECT_EQ(load.bytes, 4);
    EXPECT_EQ(load.memory.base, 2);
    EXPECT_EQ(load.memory.index, 14);
    EXPECT_EQ(load.memory.scale, 4);
    const Instruction add = decoded({0x48, 0x01, 0xd0});  // add %rdx,%rax
    EXPECT_EQ(add.does, Does::Add);
    EXPECT_EQ(add.to, 0);
    EXPECT_EQ(add.from, 2);
    EXPECT_EQ(add.writes, 1u);
    const Instruction shift = decoded({0x48, 0xc1, 0xe2, 0x02});  // shl $2,%rdx
    EXPECT_EQ(shift.does, Does::Address);
    EXPECT_EQ(shift.to, 2);
    EXPECT_EQ(shift.memory.index, 2);
    EXPECT_EQ(shift.memory.scale, 4);
    EXPECT_EQ(decoded({0x48, 0xc1, 0xe2, 0x08}).does, Does::Other);          // shl $8,%rdx
    const Instruction jump = decoded({0xff, 0x24, 0xc5, 0, 0x20, 0x40, 0});  // jmp *0x402000(,%rax,8)
    EXPECT_EQ(jump.does, Does::Load);
    EXPECT_EQ(jump.bytes, 8);
    EXPECT_EQ(jump.memory.displacement, 0x402000u);
    const Instruction compare = decoded({0x83, 0xff, 0x05});  // cmp $5,%edi
    EXPECT_EQ(compare.does, Does::Compare);
    EXPECT_EQ(compare.to, 7);
    EXPECT_EQ(compare.number, 5);
    EXPECT_FALSE(decoded({0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0}).memory.known);  // mov %fs:0,%rax
}

TEST(Decode, WhatTakesNoUprobe) {
    EXPECT_TRUE(decoded({0xf0, 0x48, 0x83, 0x07, 0x01}).no_uprobe);  // lock addq $1,(%rdi)
    EXPECT_TRUE(decoded({0x3e, 0xff, 0xe0}).no_uprobe);              // notrack jmp *%rax
    EXPECT_FALSE(decoded({0x48, 0x83, 0x07, 0x01}).no_uprobe);
    EXPECT_FALSE(decoded({0xf3, 0xc3}).no_uprobe);                                   // repz ret
    EXPECT_FALSE(decoded({0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0}).no_uprobe);  // mov %fs:0x28,%rax
}

TEST(Decode, WhatIsNoInstruction) {
    Instruction in;
    const std::vector<unsigned char> bad = {0x06}, cut = {0xe9, 0};
    EXPECT_FALSE(decoder_of(EM_X86_64)->decode(bad, 0, in));
    EXPECT_FALSE(decoder_of(EM_X86_64)->decode(cut, 0, in));
    EXPECT_FALSE(decoder_of(EM_X86_64)->decode({}, 0, in));
}

}  // namespace
}  // namespace tapir::decode
