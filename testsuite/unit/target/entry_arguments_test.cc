// SPDX-License-Identifier: GPL-2.0-or-later
// Parameters of programs that the test compiles, whose debug information it makes say less.
#include "target/entry_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace tapir::target {
namespace {

namespace fs = std::filesystem;
using ctypes::Place;
using testing::ElementsAre;
using testing::HasSubstr;

class EntryArguments : public testing::Test {
  protected:
    void SetUp() override {
#ifndef __x86_64__
        GTEST_SKIP() << "registers of x86-64";
#endif
        char name[] = "/tmp/tapir-entry-arguments-XXXXXX";
        ASSERT_NE(mkdtemp(name), nullptr);
        directory_ = name;
        std::ofstream(directory_ / "program.c")
            << "struct large { long a, b, c; };\n"
               "volatile long sink;\n"
               "#define NOINLINE __attribute__((noinline))\n"
               "NOINLINE long external(int first, struct large s, long *to, long last) {\n"
               "    sink = first + s.b; *to = last; return *to + sink; }\n"
               "NOINLINE struct large returned(int first, long *to) { struct large r = {first, *to, sink}; return r; "
               "}\n"
               "static NOINLINE long internal(int first, long *to) { sink = first; return *to + sink; }\n"
               "long floating(double first, long last) { sink = first; return last; }\n"
               "int main(int argc, char **argv) {\n"
               "    struct large s = {1, 2, 3}; long e = argc;\n"
               "    return external(argc, s, &e, 4) + internal(argc, &e) + returned(argc, &e).a + floating(2, e); }\n";
    }
    void TearDown() override {
        if (!directory_.empty()) fs::remove_all(directory_);
    }

    // Compiled by way of assembler text, which sed edits. DW_OP_nop is 0x96.
    std::string compile(const std::string &script) {
        const std::string program = (directory_ / "program").string();
        const std::string command = "cd '" + directory_.string() +
                                    "' && gcc -g -O1 -fno-var-tracking -dA -S program.c && sed -i '" + script +
                                    "' program.s && gcc -no-pie -o program program.s";
        EXPECT_EQ(system(command.c_str()), 0) << command;
        return program;
    }

    // The places of a function's parameters at its entry, or at the statement behind it if `by` is not 0.
    static std::vector<std::string> places(const std::string &program, const std::string &function, uint64_t by = 0) {
        const DebugInfo debug{DebugSources{}};
        std::string error;
        const DebugObject *object = debug.program(program, error);
        EXPECT_TRUE(object && object->index) << error;
        if (!object || !object->index) return {};
        const auto sites =
            dwarf::find_functions(*object->object, *object->index, *dwarf::parse_function_pattern(function, error), {});
        EXPECT_EQ(sites.size(), 1u) << function;
        if (sites.size() != 1) return {};
        dwarf::CodeSite site = sites[0];
        site.pc += by;
        site.at_entry = !by;
        std::vector<std::string> texts;
        for (const Variable &variable : make_scope(*object, site)->variables())
            if (variable.parameter) texts.push_back(variable.name + text(variable.place));
        return texts;
    }

    static std::string text(const Place &place) {
        if (place.kind == Place::Kind::Absent) return " absent";
        if (place.kind == Place::Kind::Pieces) return " pieces";
        return (place.kind == Place::Kind::Memory ? " at " : " ") + ctypes::term_text(*place.term);
    }

    fs::path directory_;
};

constexpr const char *kNoRegister = "s/0x5[0-9a-f]\t# DW_OP_reg[0-9]*$/0x96/; ";
constexpr const char *kNoFrame = "s/0x91\t# DW_OP_fbreg$/0x96/; ";

TEST_F(EntryArguments, AreWhereTheCallerPutsThem) {
    const std::string program = compile(std::string(kNoRegister) + kNoFrame);
    EXPECT_THAT(places(program, "external"), ElementsAre("first reg5", "s at (reg7 + 8)", "to reg4", "last reg1"));
    // The address of the result comes first.
    EXPECT_THAT(places(program, "returned"), ElementsAre("first reg4", "to reg1"));
    EXPECT_THAT(places(program, "floating"), ElementsAre("first reg17", "last reg5"));
    EXPECT_THAT(places(program, "external", 1), ElementsAre("first absent", "s absent", "to absent", "last absent"));
}

TEST_F(EntryArguments, OfFunctionsOfOneFileAreNotKnown) {
    EXPECT_THAT(places(compile(kNoRegister), "internal"), ElementsAre("first absent", "to absent"));
}

TEST_F(EntryArguments, AgreeWithWhatDebugInformationSays) {
    const std::string program = compile("s/0x55\t# DW_OP_reg5$/0x96/");
    EXPECT_THAT(places(program, "external"), ElementsAre("first reg5", HasSubstr("s at "), "to reg4", "last reg1"));
    // GCC's registers for the whole function are those of its body, where it may have moved what it was passed.
    const std::string other = compile("s/0x55\t# DW_OP_reg5$/0x96/; s/0x54\t# DW_OP_reg4$/0x58/");
    EXPECT_THAT(places(other, "external"), ElementsAre("first reg5", HasSubstr("s at "), "to reg4", "last reg1"));
}

TEST_F(EntryArguments, AreNotThoseOfAnotherFunctionMadeOfIt) {
    // As the compiler names what it made for certain callers only.
    const std::string program = compile(std::string(kNoRegister) + "s/^external:/external.constprop.0:/; " +
                                        "s/call\texternal$/call\texternal.constprop.0/; "
                                        "s/\\(globl\\|type\\|size\\)\texternal\\b/\\1\texternal.constprop.0/; "
                                        "s/-external$/-external.constprop.0/");
    EXPECT_THAT(places(program, "external")[0], "first absent");
}

}  // namespace
}  // namespace tapir::target
