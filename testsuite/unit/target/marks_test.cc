// SPDX-License-Identifier: GPL-2.0-or-later
// Marks of programs: notes of a program that the test compiles, and every form of argument.
#include "target/marks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "target/debug_info.h"

namespace tapir::target {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

// "bytes place", negative for signed: "-4 reg5", "8 [reg6 + 8]", "4 =7".
std::string text_of(const MarkArgument &argument) {
    std::string text = (argument.is_signed ? "-" : "") + std::to_string(argument.bytes) + " ";
    switch (argument.place.kind) {
        case ctypes::Place::Kind::Register:
            return text + ctypes::term_text(*argument.place.term);
        case ctypes::Place::Kind::Memory:
            return text + "[" + ctypes::term_text(*argument.place.term) + "]";
        case ctypes::Place::Kind::Value:
            return text + "=" + ctypes::term_text(*argument.place.term);
        default:
            return text + argument.place.why;
    }
}

std::vector<std::string> parse(std::string_view text, std::string_view arch = "x86_64") {
    std::vector<std::string> texts;
    for (const MarkArgument &argument : parse_mark_arguments(text, arch, nullptr))
        texts.push_back(text_of(argument));
    return texts;
}

TEST(MarkArguments, RegistersOfEverySize) {
    EXPECT_THAT(parse("8@%rdi -4@%esi 2@%r9w -1@%al 1@%r15b"),
                ElementsAre("8 reg5", "-4 reg4", "2 reg9", "-1 reg0", "1 reg15"));
    EXPECT_THAT(parse("%rax %ecx"), ElementsAre("8 reg0", "4 reg2"));
    EXPECT_THAT(parse("1@%ah"), ElementsAre("1 =(reg0 >>> 8)"));
}

TEST(MarkArguments, Constants) {
    EXPECT_THAT(parse("4@$5 -4@$-5 8@$0x10 $7"), ElementsAre("4 =5", "-4 =-5", "8 =16", "8 =7"));
}

TEST(MarkArguments, Memory) {
    EXPECT_THAT(parse("-4@-20(%rbp) 8@(%rax) 4@8(%rax,%rcx,4) 8@0x10(,%rdx,8)"),
                ElementsAre("-4 [(reg6 + -20)]", "8 [reg0]", "4 [((reg2 * 4) + (reg0 + 8))]", "8 [((reg1 * 8) + 16)]"));
}

// Arguments that a compiler makes of "m" (structure.member) with an offset, and of templates such as "%c0+4(%1)".
TEST(MarkArguments, SumsAndBlanks) {
    EXPECT_THAT(parse("-4@8+4(%rcx) 8@-16+8(%rbp) 8@8 + 4(%rdx) 4@$2"),
                ElementsAre("-4 [(reg2 + 12)]", "8 [(reg6 + -8)]", "8 [(reg1 + 12)]", "4 =2"));
    EXPECT_THAT(parse("8 + 4(%rcx) %rax (%rdx, %rsi, 2)"),
                ElementsAre("8 [(reg2 + 12)]", "8 reg0", "8 [((reg4 * 2) + reg1)]"));
    EXPECT_THAT(parse("-4@DWORD PTR [rbp - 4] 8@rax"), ElementsAre("-4 [(reg6 + -4)]", "8 reg0"));
}

TEST(MarkArguments, NarrowAddressesAndSegments) {
    EXPECT_THAT(parse("4@(%eax) -4@-8(%ebp) 8@%fs:40"),
                ElementsAre("4 [(reg0 & 4294967295)]", "-4 [((reg6 + -8) & 4294967295)]", "8 [(reg58 + 40)]"));
    EXPECT_THAT(parse("8@[x0, w1, sxtw 3]", "aarch64"), ElementsAre("8 [((((reg1 << 32) >> 32) * 8) + reg0)]"));
}

TEST(MarkArguments, Aarch64) {
    EXPECT_THAT(parse("8@x0 -4@w1 4@5 8@[sp, 16] -8@[x29]", "aarch64"),
                ElementsAre("8 reg0", "-4 reg1", "4 =5", "8 [(reg31 + 16)]", "-8 [reg29]"));
}

TEST(MarkArguments, WhatIsNotUnderstoodIsNamed) {
    EXPECT_THAT(parse("8f@%xmm0 4@%nothing 8@$x 8@sym(%rip) 4@(%ax) @ 8@3(%rax,%rcx,3) 16@(%rax)"),
                ElementsAre("8 its place '%xmm0' is not understood: floating-point registers are not saved at a probe",
                            "4 its place '%nothing' is not understood", "8 its place '$x' is not understood",
                            "8 its place 'sym(%rip)' is not understood", "4 its place '(%ax)' is not understood",
                            "8 its place '' is not understood", "8 its place '3(%rax,%rcx,3)' is not understood",
                            "8 its size in '16@(%rax)' is not 1, 2, 4 or 8 bytes"));
    EXPECT_TRUE(parse("").empty());
    EXPECT_TRUE(parse("   ").empty());
}

// The notes are written as sys/sdt.h does, which may not be installed.
constexpr char kMarkedProgram[] = R"(
unsigned short seconds_semaphore __attribute__((section(".probes")));
static int counted = 5;
__attribute__((noinline)) long work(long a)
{
    __asm__ volatile("990: nop\n"
                     ".pushsection .note.stapsdt,\"?\",\"note\"\n.balign 4\n.4byte 992f-991f, 994f-993f, 3\n"
                     "991: .asciz \"stapsdt\"\n992: .balign 4\n"
                     "993: .8byte 990b\n.8byte _.stapsdt.base\n.8byte seconds_semaphore\n"
                     ".asciz \"clock\"\n.asciz \"seconds\"\n.asciz \"-8@%0 4@%1 4@counted(%%rip)\"\n994: .balign 4\n.popsection\n"
                     ".ifndef _.stapsdt.base\n"
                     ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n.weak _.stapsdt.base\n"
                     "_.stapsdt.base: .space 1\n.size _.stapsdt.base,1\n.popsection\n.endif\n"
                     : : "r"(a), "i"(0), "m"(counted));
    return a + counted;
}
int main(int argc, char **argv) { (void)argv; return (int)work(argc); }
)";

class Marks : public testing::Test {
  protected:
    Marks() {
        std::string pattern = testing::TempDir() + "tapir-marks-XXXXXX";
        directory_ = fs::canonical(mkdtemp(pattern.data())).string();
        std::string source = kMarkedProgram;
        source.replace(source.find("4@%1"), 4, "4@$9");
        std::ofstream(directory_ + "/program.c") << source;
        EXPECT_EQ(system(("cd " + directory_ + " && gcc -O2 -g -o program program.c").c_str()), 0);
    }
    ~Marks() override { fs::remove_all(directory_); }

    std::string directory_;
};

TEST_F(Marks, AreReadFromNotes) {
    DebugInfo debug{DebugSources{}};
    std::string error;
    const DebugObject *program = debug.program(directory_ + "/program", error);
    ASSERT_TRUE(program) << error;
    const std::vector<Mark> marks = read_marks(*program->object);
    ASSERT_EQ(marks.size(), 1u);
    EXPECT_EQ(marks[0].provider, "clock");
    EXPECT_EQ(marks[0].name, "seconds");
    const auto at = program->object->symbols().symbol_at(marks[0].address);
    ASSERT_TRUE(at);
    EXPECT_EQ(at->symbol, "work");
    EXPECT_EQ(marks[0].semaphore, program->object->symbol_address("seconds_semaphore"));
    EXPECT_TRUE(program->program->offset(marks[0].semaphore));
    EXPECT_FALSE(program->program->code_offset(marks[0].semaphore));

    const auto scope = make_mark_scope(*program, marks[0], "x86_64");
    ASSERT_EQ(scope->variables().size(), 3u);
    EXPECT_EQ(ctypes::type_name(scope->find("arg1")->type), "int64_t");
    EXPECT_EQ(ctypes::term_text(*scope->find("arg2")->place.term), "9");
    const auto counted = scope->find("arg3");
    ASSERT_EQ(counted->place.kind, ctypes::Place::Kind::Memory) << counted->place.why;
    EXPECT_EQ(counted->place.term->op, ctypes::TermOp::Relocated);
    EXPECT_EQ(static_cast<uint64_t>(counted->place.term->constant), program->object->symbol_address("counted"));
    EXPECT_FALSE(scope->find("arg4"));
    EXPECT_EQ(scope->probe_name(), "seconds");
    EXPECT_EQ(scope->probe_provider(), "clock");
    EXPECT_TRUE(scope->user());
    EXPECT_TRUE(scope->find_type("int"));
}

TEST_F(Marks, ProgramsWithoutNotesHaveNone) {
    std::string error;
    const auto object = dwarf::Object::open("/proc/self/exe", error);
    ASSERT_TRUE(object);
    EXPECT_TRUE(read_marks(*object).empty());
}

}  // namespace
}  // namespace tapir::target
