// SPDX-License-Identifier: GPL-2.0-or-later
// The constants against the text of the ABIs: each number here is from the document that the comment names.
#include "arch/arch.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/utsname.h>

#include <string>
#include <vector>

namespace tapir::arch {
namespace {

using testing::ElementsAre;

std::string text_of(const Operand &operand) {
    const auto part = [](const std::optional<Register> &reg) {
        return reg ? "r" + std::to_string(reg->number) + "." + std::to_string(reg->bytes) +
                         (reg->shift ? ">>" + std::to_string(reg->shift) : "")
                   : std::string("-");
    };
    const std::string sum =
        (operand.symbol.empty() ? "" : std::string(operand.symbol) + " ") + std::to_string(operand.number);
    const char *const extended[] = {"", "u", "s"};
    switch (operand.kind) {
        case Operand::Kind::Number:
            return sum;
        case Operand::Kind::Register:
            return part(operand.base);
        case Operand::Kind::Memory:
            return (operand.segment ? part(operand.segment) + ":" : "") + (operand.narrow ? "32" : "") + "[" +
                   part(operand.base) + " " + part(operand.index) +
                   extended[static_cast<size_t>(operand.extend_index)] + "*" + std::to_string(operand.scale) + " " +
                   sum + "]";
        case Operand::Kind::Address:
            return "&" + sum;
    }
    return "";
}

struct OperandCase {
    const char *text, *meaning;  // nullptr: none
};

void check(const Arch &arch, const std::vector<OperandCase> &cases) {
    for (const OperandCase &c : cases) {
        const auto operand = arch.parse_operand(c.text);
        EXPECT_EQ(operand ? text_of(*operand) : "none", c.meaning ? c.meaning : "none") << arch.name << ": " << c.text;
    }
}

TEST(Arch, IsFoundByNameAndMachine) {
    EXPECT_EQ(find("x86_64"), &kX86_64);
    EXPECT_EQ(find("aarch64"), &kAarch64);
    EXPECT_EQ(find("riscv64"), nullptr);
    EXPECT_EQ(find(""), nullptr);
    EXPECT_EQ(of_machine(EM_X86_64), &kX86_64);
    EXPECT_EQ(of_machine(EM_AARCH64), &kAarch64);
    EXPECT_EQ(of_machine(EM_386), nullptr);
    EXPECT_THAT(all(), ElementsAre(&kX86_64, &kAarch64));
    struct utsname names;
    ASSERT_EQ(uname(&names), 0);
    EXPECT_EQ(host().name, names.machine);
}

// Linux's names for them: arch/*/Kconfig, Makefile's SRCARCH; Debian: dpkg-architecture -L.
TEST(Arch, NamesOfKernels) {
    EXPECT_EQ(kX86_64.config_symbol, "CONFIG_X86_64");
    EXPECT_EQ(kX86_64.source_name, "x86");
    EXPECT_EQ(kX86_64.debian_name, "amd64");
    EXPECT_EQ(kAarch64.config_symbol, "CONFIG_ARM64");
    EXPECT_EQ(kAarch64.source_name, "arm64");
    EXPECT_EQ(kAarch64.debian_name, "arm64");
}

// System V ABI, AMD64 supplement: section 3.2.3, figures 3.4 and 3.36.
TEST(Arch, CallsOfX86_64) {
    const Arguments &arguments = kX86_64.arguments;
    EXPECT_THAT(arguments.in_registers(), ElementsAre(5, 4, 1, 2, 8, 9));
    EXPECT_EQ(arguments.stack_pointer, 7);
    EXPECT_EQ(arguments.stack_offset, 8u);
    EXPECT_FALSE(arguments.large_by_reference || arguments.stack_ends_registers || arguments.pairs_begin_even);
    EXPECT_EQ(kX86_64.preserved, 1u << 3 | 1u << 6 | 1u << 12 | 1u << 13 | 1u << 14 | 1u << 15);  // figure 3.4
    EXPECT_EQ(kX86_64.result.first, 0);
    EXPECT_EQ(kX86_64.result.second, 1);
    EXPECT_TRUE(kX86_64.result.address_is_argument && kX86_64.result.address_is_returned);
    EXPECT_EQ(kX86_64.saved_registers, 17u);
    // call and jmp with 32 bits, jmp with 8 bits; call *%rax
    EXPECT_EQ(kX86_64.call_length(std::array<unsigned char, 5>{0xe8, 1, 2, 3, 4}), 5u);
    EXPECT_EQ(kX86_64.call_length(std::array<unsigned char, 5>{0xe9, 1, 2, 3, 4}), 5u);
    EXPECT_EQ(kX86_64.call_length(std::array<unsigned char, 5>{0x90, 1, 2, 0xeb, 4}), 2u);
    EXPECT_EQ(kX86_64.call_length(std::array<unsigned char, 5>{0x90, 1, 2, 0xff, 0xd0}), 0u);
    const auto idle = [](std::vector<unsigned char> code) { return kX86_64.idle_length(code); };
    EXPECT_EQ(idle({0xf3, 0x0f, 0x1e, 0xfa, 0x55}), 4u);
    EXPECT_EQ(idle({0x90, 0x90}), 1u);
    EXPECT_EQ(idle({0x66, 0x90, 0x55}), 2u);
    EXPECT_EQ(idle({0x0f, 0x1f, 0x00, 0x55}), 3u);
    EXPECT_EQ(idle({0x0f, 0x1f, 0x44, 0x00, 0x08}), 5u);
    EXPECT_EQ(idle({0x0f, 0x1f, 0x44, 0x00}), 0u);
    EXPECT_EQ(idle({0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0}), 10u);
    EXPECT_EQ(idle({0x55, 0x48, 0x89, 0xe5}), 0u);
    EXPECT_EQ(idle({0x66}), 0u);
    EXPECT_EQ(idle({}), 0u);
    EXPECT_TRUE(kX86_64.watches_after_access);  // data breakpoints are traps
    EXPECT_EQ(kX86_64.thread_local_storage.pointer, 58);
    EXPECT_TRUE(kX86_64.thread_local_storage.blocks_below);
}

// Procedure Call Standard for the Arm 64-bit Architecture: sections 6.1.1, 6.8.2 (C.10, C.11, C.13, C.14), 6.9; DWARF
// for it: table 3.
TEST(Arch, CallsOfAarch64) {
    EXPECT_EQ(kAarch64.preserved, (uint64_t{1} << 30) - (uint64_t{1} << 19));
    const Arguments &arguments = kAarch64.arguments;
    EXPECT_THAT(arguments.in_registers(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
    EXPECT_EQ(arguments.stack_pointer, 31);
    EXPECT_EQ(arguments.stack_offset, 0u);
    EXPECT_TRUE(arguments.large_by_reference && arguments.stack_ends_registers && arguments.pairs_begin_even);
    EXPECT_EQ(kAarch64.result.first, 0);
    EXPECT_EQ(kAarch64.result.second, 1);
    EXPECT_FALSE(kAarch64.result.address_is_argument || kAarch64.result.address_is_returned);
    EXPECT_EQ(kAarch64.saved_registers, 33u);
    // bl, b; blr
    EXPECT_EQ(kAarch64.call_length(std::array<unsigned char, 5>{0, 1, 2, 3, 0x94}), 4u);
    EXPECT_EQ(kAarch64.idle_length(std::array<unsigned char, 4>{0x1f, 0x20, 0x03, 0xd5}), 4u);
    EXPECT_EQ(kAarch64.idle_length(std::array<unsigned char, 5>{0x5f, 0x24, 0x03, 0xd5, 0}), 4u);
    EXPECT_EQ(kAarch64.idle_length(std::array<unsigned char, 4>{0x3f, 0x23, 0x03, 0xd5}), 0u);
    EXPECT_EQ(kAarch64.call_length(std::array<unsigned char, 5>{0, 1, 2, 3, 0x14}), 4u);
    EXPECT_EQ(kAarch64.call_length(std::array<unsigned char, 5>{0, 0, 0, 0x3f, 0xd6}), 0u);
    EXPECT_FALSE(kAarch64.watches_after_access);  // watchpoint exceptions come before the access
    EXPECT_EQ(kAarch64.thread_local_storage.pointer, 36);
    EXPECT_FALSE(kAarch64.thread_local_storage.blocks_below);
    EXPECT_EQ(kAarch64.thread_local_storage.header, 16u);
}

// A hit saves what handlers read without a context, and they read arguments at entries and results at returns.
TEST(Arch, LeafRegistersAreSaved) {
    for (const Arch *arch : all()) {
        uint64_t arguments = 0;
        for (uint8_t number : arch->arguments.in_registers())
            arguments |= uint64_t{1} << number;
        EXPECT_TRUE(arch->leaf_entry == 0 || arch->leaf_entry == arguments) << arch->name;
        for (uint64_t set : {arch->leaf_entry, arch->leaf_return, arch->leaf_program})
            EXPECT_EQ(set >> arch->saved_registers, 0u) << arch->name;
    }
    EXPECT_NE(kX86_64.leaf_entry, 0u);
}

TEST(Arch, OperandsOfX86_64) {
    check(kX86_64, {{"$5", "5"},
                    {"$-0x10", "-16"},
                    {"%rax", "r0.8"},
                    {"%edx", "r1.4"},
                    {"%cx", "r2.2"},
                    {"%bl", "r3.1"},
                    {"%ah", "r0.1>>8"},
                    {"%rsi", "r4.8"},
                    {"%dil", "r5.1"},
                    {"%rbp", "r6.8"},
                    {"%rsp", "r7.8"},
                    {"%r8d", "r8.4"},
                    {"%r15w", "r15.2"},
                    {"-4(%rbp)", "[r6.8 -*1 -4]"},
                    {"(%rsp)", "[r7.8 -*1 0]"},
                    {"8(%rax,%rcx,4)", "[r0.8 r2.8*4 8]"},
                    {"8(,%rcx,2)", "[- r2.8*2 8]"},
                    {"counter(%rip)", "[- -*1 counter 0]"},
                    {"counter+8(%rip)", "[- -*1 counter 8]"},
                    {"8+counter(%rip)", "[- -*1 counter 8]"},
                    {"counter-4(%rip)", "[- -*1 counter -4]"},
                    {"counter", "[- -*1 counter 0]"},
                    {"counter+4(%rax)", "[r0.8 -*1 counter 4]"},
                    {"counter(,%rax,8)", "[- r0.8*8 counter 0]"},
                    {"counter@GOTPCREL(%rip)", "&counter 0"},
                    {"$counter+4", "counter 4"},
                    {"8+4(%rcx)", "[r2.8 -*1 12]"},
                    {"-8+4(%rcx)", "[r2.8 -*1 -4]"},
                    {"4-8+16(%rcx)", "[r2.8 -*1 12]"},
                    {"(8+4)(%rcx)", "[r2.8 -*1 12]"},
                    {"2*(8+4)-1(%rcx,%rdx)", "[r2.8 r1.8*1 23]"},
                    {"8 + 4(%rcx)", "[r2.8 -*1 12]"},
                    {"010(%rcx)", "[r2.8 -*1 8]"},
                    {"0b101(%rcx)", "[r2.8 -*1 5]"},
                    {"$0x10|1", "17"},
                    {"$1<<4", "16"},
                    {"$~0", "-1"},
                    {"$'a", "97"},
                    {"$8+4", "12"},
                    {"(%rax,%riz)", "[r0.8 -*1 0]"},
                    {"8(%eax)", "32[r0.4 -*1 8]"},
                    {"-8(%ebp,%ecx,4)", "32[r6.4 r2.4*4 -8]"},
                    {"%fs:40", "r58.8:[- -*1 40]"},
                    {"%fs:-8(%rax)", "r58.8:[r0.8 -*1 -8]"},
                    {"%ds:8(%rax)", "[r0.8 -*1 8]"},
                    {"DWORD PTR [rbp-4]", "[r6.8 -*1 -4]"},
                    {"QWORD PTR [rax+rcx*8+16]", "[r0.8 r2.8*8 16]"},
                    {"QWORD PTR counter[rip+8]", "[- -*1 counter 8]"},
                    {"QWORD PTR fs:[0]", "r58.8:[- -*1 0]"},
                    {"eax", "r0.4"},
                    {"OFFSET FLAT:counter", "counter 0"},
                    {"5", "5"},
                    {"8(%rip)", nullptr},
                    {"(%rip)", nullptr},
                    {"8(%eax,%rcx)", nullptr},
                    {"8(%ax)", nullptr},
                    {"8(%rax,%rcx,3)", nullptr},
                    {"8+(%rax)", nullptr},
                    {"counter@TPOFF(%rax)", nullptr},
                    {"counter*2(%rip)", nullptr},
                    {"%xmm0", nullptr},
                    {"%x0", nullptr},
                    {"$", nullptr},
                    {"$1/0", nullptr},
                    {"", nullptr}});
}

TEST(Arch, OperandsOfAarch64) {
    check(kAarch64, {{"5", "5"},
                     {"-1", "-1"},
                     {"x0", "r0.8"},
                     {"w1", "r1.4"},
                     {"x30", "r30.8"},
                     {"sp", "r31.8"},
                     {"[sp, 16]", "[r31.8 -*1 16]"},
                     {"[sp,-8]", "[r31.8 -*1 -8]"},
                     {"[x29]", "[r29.8 -*1 0]"},
                     {"#5", "5"},
                     {"8+4", "12"},
                     {"xzr", "0"},
                     {"lr", "r30.8"},
                     {"[sp, #16]", "[r31.8 -*1 16]"},
                     {"[sp, 8+8]", "[r31.8 -*1 16]"},
                     {"[x0, 16]!", "[r0.8 -*1 16]"},
                     {"[x0, x1]", "[r0.8 r1.8*1 0]"},
                     {"[x0, x1, lsl 3]", "[r0.8 r1.8*8 0]"},
                     {"[x0, w1, sxtw #2]", "[r0.8 r1.4s*4 0]"},
                     {"[x0, w1, uxtw]", "[r0.8 r1.4u*1 0]"},
                     {"[x0, :lo12:counter]", "[- -*1 counter 0]"},
                     {"[x0, #:lo12:counter+8]", "[- -*1 counter 8]"},
                     {"counter", "[- -*1 counter 0]"},
                     {"[w0]", nullptr},
                     {"[x0, w1]", nullptr},
                     {"[x0, x1, lsl 9]", nullptr},
                     {"[x0", nullptr},
                     {"%rax", nullptr},
                     {"[", nullptr},
                     {"", nullptr}});
}

// A table's entry, and where the slot is that it jumps through: section at 0x1000, offsets at 0x4000.
struct EntryCase {
    unsigned machine;
    std::vector<unsigned char> bytes;
    std::optional<uint64_t> slot;
};

TEST(Arch, EntriesOfLinkageTables) {
    const std::vector<EntryCase> cases = {
        // jmp *0x2fda(%rip)
        {EM_X86_64, {0xff, 0x25, 0xda, 0x2f, 0, 0}, 0x1000 + 6 + 0x2fda},
        // endbr64; bnd jmp *0x2fd5(%rip)
        {EM_X86_64, {0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 0xd5, 0x2f, 0, 0}, 0x1000 + 11 + 0x2fd5},
        // jmp *0x40(%rax)
        {EM_X86_64, {0xff, 0xa0, 0x40, 0, 0, 0}, std::nullopt},
        {EM_X86_64, {0xff, 0x25, 0xda}, std::nullopt},
        // jmp *0x804c00c
        {EM_386, {0xff, 0x25, 0x0c, 0xc0, 0x04, 0x08}, 0x804c00c},
        // jmp *0xc(%ebx)
        {EM_386, {0xff, 0xa3, 0x0c, 0, 0, 0}, 0x4000 + 0xc},
        // adrp x16, 0x20000; ldr x17, [x16, #24]
        {EM_AARCH64, {0xf0, 0x00, 0x00, 0xf0, 0x11, 0x0e, 0x40, 0xf9}, 0x20000 + 24},
        // bti c; the same from its place
        {EM_AARCH64, {0x5f, 0x24, 0x03, 0xd5, 0xf0, 0x00, 0x00, 0xf0, 0x11, 0x0e, 0x40, 0xf9}, 0x20000 + 24},
        // adrp x1; ldr x17, [x16]
        {EM_AARCH64, {0xe1, 0x00, 0x00, 0xf0, 0x11, 0x02, 0x40, 0xf9}, std::nullopt},
        {EM_AARCH64, {0xf0, 0x00, 0x00, 0xf0}, std::nullopt},
    };
    for (const EntryCase &c : cases) {
        const LinkageTable *table = linkage_table(c.machine);
        ASSERT_TRUE(table);
        EXPECT_EQ(table->slot({c.bytes.data(), c.bytes.size(), 0x1000}, 0, 0x4000), c.slot)
            << "machine " << c.machine << ", case " << &c - cases.data();
    }
    EXPECT_EQ(linkage_table(EM_RISCV), nullptr);
}

// Beginnings of functions as Go 1.16 and 1.19 compile them; objdump tells what they are.
struct CheckCase {
    const Arch &arch;
    std::vector<unsigned char> bytes;
    size_t length;
    int64_t jumps_to;
};

TEST(Arch, StackChecksOfGo) {
    const std::vector<CheckCase> cases = {
        // cmp 0x10(%r14),%rsp; jbe +0x10d; sub $0x48,%rsp
        {kX86_64, {0x49, 0x3b, 0x66, 0x10, 0x0f, 0x86, 0x07, 1, 0, 0, 0x48, 0x83, 0xec, 0x48}, 10, 0x111},
        // cmp 0x10(%r14),%rsp; jbe +0x20
        {kX86_64, {0x49, 0x3b, 0x66, 0x10, 0x76, 0x20, 0x55}, 6, 0x26},
        // lea -0x1a8(%rsp),%r12; cmp 0x10(%r14),%r12; jbe +0xcb
        {kX86_64,
         {0x4c, 0x8d, 0xa4, 0x24, 0x58, 0xfe, 0xff, 0xff, 0x4d, 0x3b, 0x66, 0x10, 0x0f, 0x86, 0xcb, 0, 0, 0},
         18,
         0xdd},
        // mov %rsp,%r12; sub $0x1fa8,%r12; jb +0xdd; cmp 0x10(%r14),%r12; jbe +0xd3; sub
        {kX86_64,
         {0x49, 0x89, 0xe4, 0x49, 0x81, 0xec, 0xa8, 0x1f, 0,    0, 0x0f, 0x82, 0xdd, 0,
          0,    0,    0x4d, 0x3b, 0x66, 0x10, 0x0f, 0x86, 0xd3, 0, 0,    0,    0x48, 0x81},
         26,
         0xed},
        // mov %fs:0xfffffffffffffff8,%rcx; cmp 0x10(%rcx),%rsp; jbe +0x45
        {kX86_64, {0x64, 0x48, 0x8b, 0x0c, 0x25, 0xf8, 0xff, 0xff, 0xff, 0x48, 0x3b, 0x61, 0x10, 0x76, 0x45}, 15, 0x54},
        // Assembly, mov %fs:0xfffffffffffffff8,%r14; cmp 0x10(%r14),%rsp; jbe +0x45
        {kX86_64, {0x64, 0x4c, 0x8b, 0x34, 0x25, 0xf8, 0xff, 0xff, 0xff, 0x49, 0x3b, 0x66, 0x10, 0x76, 0x45}, 15, 0x54},
        // The same in a relocatable program, mov $-8,%r14; mov %fs:(%r14),%r14
        {kX86_64,
         {0x49, 0xc7, 0xc6, 0xf8, 0xff, 0xff, 0xff, 0x64, 0x4d, 0x8b, 0x36, 0x49, 0x3b, 0x66, 0x10, 0x76, 0x45},
         17,
         0x56},
        // Where the offset is not fixed, mov 0x1234(%rip),%r14; mov %fs:(%r14),%r14
        {kX86_64,
         {0x4c, 0x8b, 0x35, 0x34, 0x12, 0, 0, 0x64, 0x4d, 0x8b, 0x36, 0x49, 0x3b, 0x66, 0x10, 0x76, 0x45},
         17,
         0x56},
        // mov %rax,0x8(%rsp)
        {kX86_64, {0x48, 0x89, 0x44, 0x24, 0x08}, 0, 0},
        // cmp 0x10(%r14),%rsp, and nothing more
        {kX86_64, {0x49, 0x3b, 0x66, 0x10}, 0, 0},
        {kX86_64, {0x76, 0x20}, 0, 0},
        {kX86_64, {}, 0, 0},
        // ldr x16, [x28, #16]; cmp sp, x16; b.ls +0x104; str x30, [sp, #-96]!
        {kAarch64,
         {0x90, 0x0b, 0x40, 0xf9, 0xff, 0x63, 0x30, 0xeb, 0x29, 0x08, 0, 0x54, 0xfe, 0x0f, 0x1a, 0xf8},
         12,
         0x10c},
        // ldr x16, [x28, #16]; sub x17, sp, #0x1b0; cmp x17, x16; b.ls +0xac
        {kAarch64,
         {0x90, 0x0b, 0x40, 0xf9, 0xf1, 0xc3, 0x06, 0xd1, 0x3f, 0x02, 0x10, 0xeb, 0x69, 0x05, 0, 0x54},
         16,
         0xb8},
        // str x30, [sp, #-96]!
        {kAarch64, {0xfe, 0x0f, 0x1a, 0xf8}, 0, 0},
    };
    for (const CheckCase &c : cases) {
        int64_t to = 0;
        EXPECT_EQ(c.arch.go.stack_check(c.bytes, to), c.length) << "case " << &c - cases.data();
        EXPECT_EQ(to, c.jumps_to) << "case " << &c - cases.data();
    }
}

// As Go's compiler puts it in front of the call of runtime.morestack.
TEST(Go, TellsWhatIsStoredBeforeTheStackGrows) {
    // mov %rax,0x8(%rsp); mov %r9b,0x18(%rsp); movss %xmm1,0x90(%rsp); call; mov %rbx,0x10(%rsp)
    const std::vector<unsigned char> x86 = {0x48, 0x89, 0x44, 0x24, 0x08, 0x44, 0x88, 0x4c, 0x24, 0x18,
                                            0xf3, 0x0f, 0x11, 0x8c, 0x24, 0x90, 0,    0,    0,    0xe8,
                                            0,    0,    0,    0,    0x48, 0x89, 0x5c, 0x24, 0x10};
    std::bitset<128> wanted;
    for (const size_t number : {0, 9, 18})
        wanted.set(number);
    EXPECT_EQ(kX86_64.go.stored(x86), wanted);
    // nopl 0x0(%rax); call
    EXPECT_TRUE(kX86_64.go.stored(std::vector<unsigned char>{0x0f, 0x1f, 0x40, 0, 0xe8, 0, 0, 0, 0}).none());
    EXPECT_TRUE(kX86_64.go.stored({}).none());
    // str x0, [sp, #8]; stp x1, x2, [sp, #16]; str d3, [sp, #32]; mov x3, x30; bl; str x5, [sp, #8]
    const std::vector<unsigned char> arm = {0xe0, 0x07, 0x00, 0xf9, 0xe1, 0x0b, 0x01, 0xa9, 0xe3, 0x13, 0x00, 0xfd,
                                            0xe3, 0x03, 0x1e, 0xaa, 0,    0,    0,    0x94, 0xe5, 0x07, 0x00, 0xf9};
    wanted.reset();
    for (const size_t number : {0, 1, 2, 67})
        wanted.set(number);
    EXPECT_EQ(kAarch64.go.stored(arm), wanted);
}

}  // namespace
}  // namespace tapir::arch
