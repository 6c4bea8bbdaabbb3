// SPDX-License-Identifier: GPL-2.0-or-later
// Facts about AArch64, compared with the output of its compiler. Nothing runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "target/calling_convention.h"
#include "target/debug_info.h"
#include "target/entry_arguments.h"
#include "target/marks.h"
#include "target/plt.h"
#include "target/thread_local.h"

namespace tapir::target {
namespace {

namespace fs = std::filesystem;
using ctypes::Place;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

constexpr char kProgram[] = R"(
typedef struct { long a, b; } pair;
typedef struct { long a, b, c; } large;
volatile long sink;
extern long outside(long);
__thread long counter = 1;
long *thread_local_place(void) { return &counter; }
__attribute__((noinline)) long plain(int first, long *to, pair two, large far, long last)
{
    sink = first + two.b + far.c;
    *to = last;
    return sink + two.a;
}
__attribute__((noinline)) long wide(long first, __int128 second, long third)
{
    sink = first;
    return (long)second + third;
}
__attribute__((noinline)) large returned(int first, long *to)
{
    return (large){first, *to, sink};
}
__attribute__((noinline)) long marked(long a, long b)
{
    volatile long here[4] = {a, b, 1, 2};
    __asm__ volatile("990: nop\n"
                     ".pushsection .note.stapsdt,\"\",\"note\"\n.balign 4\n.4byte 992f-991f, 994f-993f, 3\n"
                     "991: .asciz \"stapsdt\"\n992: .balign 4\n"
                     "993: .8byte 990b\n.8byte 0\n.8byte 0\n"
                     ".asciz \"clock\"\n.asciz \"seconds\"\n.asciz \"-8@%0 -4@%w1 8@%2 -8@%3\"\n994: .balign 4\n.popsection\n"
                     : : "r"(a), "r"(b), "i"(9), "m"(here[3]));
    return here[0];
}
long caller(long a)
{
    large far = {a, a, a};
    long to = outside(a);
    return plain(1, &to, (pair){a, a}, far, 4) + to + outside(to);
}
)";

class Aarch64Programs : public testing::Test {
  protected:
    void SetUp() override {
        if (system("aarch64-linux-gnu-gcc --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no aarch64-linux-gnu-gcc";
        std::string pattern = testing::TempDir() + "tapir-aarch64-XXXXXX";
        directory_ = mkdtemp(pattern.data());
        std::ofstream(directory_ / "program.c") << kProgram;
        const std::string command = "cd '" + directory_.string() +
                                    "' && aarch64-linux-gnu-gcc -g -O1 -fPIC -mtls-dialect=trad -nostdlib -shared -o "
                                    "program program.c";
        ASSERT_EQ(system(command.c_str()), 0);
        std::string error;
        object_ = debug_.program((directory_ / "program").string(), error);
        ASSERT_TRUE(object_ && object_->index) << error;
    }
    void TearDown() override {
        if (!directory_.empty()) fs::remove_all(directory_);
    }

    dwarf::CodeSite site(const std::string &function) const {
        std::string error;
        const auto sites = dwarf::find_functions(*object_->object, *object_->index,
                                                 *dwarf::parse_function_pattern(function, error), {});
        EXPECT_EQ(sites.size(), 1u) << function;
        return sites.empty() ? dwarf::CodeSite{} : sites[0];
    }
    static std::string text(const Place &place) {
        if (place.kind == Place::Kind::Absent) return place.why;
        std::string all;
        for (const auto &piece : place.pieces)
            all += (all.empty() ? "" : ",") + text(piece.place) + ":" + std::to_string(piece.bytes);
        if (place.kind == Place::Kind::Pieces) return all;
        return (place.kind == Place::Kind::Memory ? "at " : "") + ctypes::term_text(*place.term);
    }
    // By debug information where it tells, else by the calling convention.
    std::vector<std::string> arguments(const std::string &function) const {
        std::vector<std::string> texts;
        for (const Variable &variable : make_scope(*object_, site(function))->variables())
            if (variable.parameter) texts.push_back(text(variable.place));
        return texts;
    }

    fs::path directory_;
    const DebugInfo debug_{DebugSources{}};
    const DebugObject *object_ = nullptr;
};

TEST_F(Aarch64Programs, ArgumentsAreWhereTheCompilerHasThem) {
    EXPECT_EQ(object_->object->machine(), "aarch64");
    EXPECT_THAT(arguments("plain"), ElementsAre("reg0", "reg1", "reg2:8,reg3:8", "at reg4", "reg5"));
    EXPECT_THAT(arguments("wide"), ElementsAre("reg0", "reg2:8,reg3:8", "reg4"));
    // The address of the result is in a register of its own.
    EXPECT_THAT(arguments("returned"), ElementsAre("reg0", "reg1"));
}

TEST_F(Aarch64Programs, CallsEndWhereDebugInformationSays) {
    const auto callees = dwarf::find_callees(*object_->object, *object_->index, {site("caller")}, "plain", 1);
    ASSERT_EQ(callees.size(), 1u);
    // The disassembler, of the instruction at that address.
    const std::string command =
        "cd '" + directory_.string() + "' && aarch64-linux-gnu-objdump -d program | grep -qE '^ *" +
        [&] {
            char address[24];
            std::snprintf(address, sizeof address, "%llx", static_cast<unsigned long long>(callees[0].call));
            return std::string(address);
        }() +
        ":.*[[:space:]]bl[[:space:]].*<plain'";
    EXPECT_EQ(system(command.c_str()), 0) << command;
}

TEST_F(Aarch64Programs, OperandsOfMarks) {
    const std::vector<Mark> marks = read_marks(*object_->object);
    ASSERT_EQ(marks.size(), 1u);
    const auto arguments = parse_mark_arguments(marks[0].arguments, "aarch64", object_->object.get());
    ASSERT_EQ(arguments.size(), 4u) << marks[0].arguments;
    EXPECT_EQ(text(arguments[0].place), "reg0");
    EXPECT_EQ(text(arguments[1].place), "reg1");
    EXPECT_EQ(arguments[1].bytes, 4u);
    EXPECT_EQ(text(arguments[2].place), "9");
    EXPECT_EQ(text(arguments[3].place).substr(0, 10), "at (reg31 ") << marks[0].arguments;
}

TEST_F(Aarch64Programs, LinkageTable) {
    std::vector<std::string> names;
    for (const PltEntry &entry : read_plt(*object_->object))
        names.push_back(entry.name);
    EXPECT_THAT(names, UnorderedElementsAre("outside", "plain", "__tls_get_addr")) << why_no_plt(*object_->object);
}

TEST_F(Aarch64Programs, ThreadLocalVariables) {
    const ThreadBlock block = find_thread_block(*object_->object);
    EXPECT_EQ(block.kind, ThreadBlock::Kind::Module) << block.why;
    EXPECT_EQ(block.thread_pointer, 36);
    EXPECT_EQ(block.vector, 0);
}

}  // namespace
}  // namespace tapir::target
