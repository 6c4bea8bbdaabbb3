// SPDX-License-Identifier: GPL-2.0-or-later
// Saved commands as four generations of kbuild write them, shortened to the kinds of words that matter.
#include "build/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tapir::build {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string kName(kPlaceholder);

Leftovers leftovers() {
    Leftovers left;
    left.build_dir = "/k";
    left.made_in = "/c/.new-1";
    left.kept_in = "/c/t";
    left.environment = "SRCARCH=x86\nHOME=/root\nMAKEFLAGS=w\nOBJTOOL_X=1\n";
    return left;
}

// 6.1: objtool after each compilation, everything by absolute path, commands run in the build tree.
Leftovers generation_6_1() {
    Leftovers left = leftovers();
    left.script_cmd =
        "cmd_/c/.new-1/script.o := gcc-12 -Wp,-MMD,/c/.new-1/.script.o.d -nostdinc -I/k/include -I./include -include "
        "/k/include/linux/kconfig.h -D__KERNEL__ -fmacro-prefix-map=/k/= -Wall -Werror=implicit-int -mcmodel=kernel "
        "-O2 -g -pg "
        "-mfentry -DCC_USING_FENTRY -fpatchable-function-entry=16,16 -DTAPIR_KMOD -I/c/.new-1/runtime/include -DMODULE "
        "-DKBUILD_BASENAME='\"script\"' -c -o /c/.new-1/script.o /c/.new-1/script.c   ; ./tools/objtool/objtool --orc "
        "--module "
        "/c/.new-1/script.o\n";
    left.composite_cmd = "cmd_/c/.new-1/" + kName + ".o := ld -m elf_x86_64 -r -o /c/.new-1/" + kName +
                         ".o @/c/.new-1/" + kName + ".mod \n";
    left.module_cmd = "cmd_/c/.new-1/" + kName +
                      ".ko := ld -r -m elf_x86_64 --build-id=sha1 -T arch/x86/module.lds -o /c/.new-1/" + kName +
                      ".ko /c/.new-1/" + kName + ".o /c/.new-1/" + kName + ".mod.o;  true\n";
    return left;
}

// 5.10: the objtool command is not saved, only printed.
Leftovers generation_5_10() {
    Leftovers left = generation_6_1();
    left.script_cmd = left.script_cmd.substr(0, left.script_cmd.find("   ;")) + "\n";
    left.composite_cmd = "cmd_/c/.new-1/" + kName + ".o := ld -m elf_x86_64 -r -o /c/.new-1/" + kName +
                         ".o /c/.new-1/script.o /c/.new-1/kmod/main.o\n";
    left.log =
        "make -f x objtool script.o | tee\n   ./tools/objtool/objtool orc generate --module /c/.new-1/kmod/main.o;\n"
        "   ./tools/objtool/objtool orc generate --module /c/.new-1/script.o;\n";
    return left;
}

// 6.12: objtool runs on all objects linked together, and there is .module-common.o.
Leftovers generation_6_12() {
    Leftovers left = generation_6_1();
    left.script_cmd = "saved" + left.script_cmd.substr(0, left.script_cmd.find("   ;")) + "\n";
    left.composite_cmd = "savedcmd_/c/.new-1/" + kName + ".o := ld -m elf_x86_64 -r -o /c/.new-1/" + kName +
                         ".o @/c/.new-1/" + kName + ".mod ; ./tools/objtool/objtool --ibt --link --module /c/.new-1/" +
                         kName + ".o\n";
    left.module_cmd = "savedcmd_/c/.new-1/" + kName + ".ko := ld -r -T arch/x86/module.lds -o /c/.new-1/" + kName +
                      ".ko /c/.new-1/" + kName + ".o /c/.new-1/" + kName + ".mod.o /c/.new-1/.module-common.o\n";
    return left;
}

// 7.2: as 6.12, with paths relative to the module's folder, where the commands run.
Leftovers generation_7_2() {
    Leftovers left = leftovers();
    left.script_cmd =
        "savedcmd_script.o := gcc-16 -Wp,-MMD,./.script.o.d -nostdinc -I/k/include -include /k/include/linux/kconfig.h "
        "-O2 "
        "-fcf-protection=branch -DMODULE -c -o script.o script.c \n";
    left.composite_cmd = "savedcmd_" + kName + ".o := ld -r -o " + kName + ".o @" + kName +
                         ".mod ; /k/tools/objtool/objtool --link --module " + kName + ".o\n";
    left.module_cmd = "savedcmd_" + kName + ".ko := ld -r -T /k/arch/x86/module.lds -o " + kName + ".ko " + kName +
                      ".o " + kName + ".mod.o .module-common.o\n";
    return left;
}

TEST(PlanTest, Generation6_1) {
    Plan plan = derive_plan(generation_6_1());
    EXPECT_EQ(plan.unsupported, "");
    EXPECT_EQ(plan.cwd, "/k");
    EXPECT_THAT(plan.environment, ElementsAre("SRCARCH=x86", "OBJTOOL_X=1"));
    EXPECT_THAT(plan.compile, ElementsAre("gcc-12", "-nostdinc", "-D__KERNEL__", "-mcmodel=kernel", "-O2",
                                          "-fpatchable-function-entry=16,16", "-DMODULE", "-c", "-o", "@OBJECT@", "-g0",
                                          "-I/c/t/runtime/include", "-w", "@SOURCE@"));
    EXPECT_THAT(
        plan.compile_kernel,
        ElementsAre("gcc-12", "-nostdinc", "-I/k/include", "-I./include", "-include", "/k/include/linux/kconfig.h",
                    "-D__KERNEL__", "-fmacro-prefix-map=/k/=", "-Wall", "-Werror=implicit-int", "-mcmodel=kernel",
                    "-O2", "-DCC_USING_FENTRY", "-fpatchable-function-entry=16,16", "-DTAPIR_KMOD",
                    "-I/c/t/runtime/include", "-DMODULE", "-DKBUILD_BASENAME=\"script\"", "-c", "-o", "@OBJECT@", "-g0",
                    "-I/c/t/runtime/include", "@SOURCE@"));
    EXPECT_THAT(plan.objtool, ElementsAre("./tools/objtool/objtool", "--orc", "--module", "@OBJECT@"));
    EXPECT_FALSE(plan.objtool_on_composite);
    EXPECT_THAT(plan.combine, IsEmpty());
    EXPECT_THAT(plan.finish,
                ElementsAre("ld", "-r", "-m", "elf_x86_64", "--build-id=sha1", "-T", "arch/x86/module.lds", "-o",
                            "@MODULE@", "-u", "init_module", "@OBJECT@", "/c/t/objects.a", "/c/t/" + kName + ".mod.o"));
}

TEST(PlanTest, Generation5_10) {
    Plan plan = derive_plan(generation_5_10());
    EXPECT_EQ(plan.unsupported, "");
    EXPECT_THAT(plan.objtool, ElementsAre("./tools/objtool/objtool", "orc", "generate", "--module", "@OBJECT@"));
    EXPECT_FALSE(plan.objtool_on_composite);
}

TEST(PlanTest, Generation6_12) {
    Plan plan = derive_plan(generation_6_12());
    EXPECT_EQ(plan.unsupported, "");
    EXPECT_TRUE(plan.objtool_on_composite);
    EXPECT_THAT(plan.objtool, ElementsAre("./tools/objtool/objtool", "--ibt", "--link", "--module", "@COMPOSITE@"));
    EXPECT_THAT(plan.combine, ElementsAre("ld", "-m", "elf_x86_64", "-r", "-o", "@COMPOSITE@", "-u", "init_module",
                                          "@OBJECT@", "/c/t/objects.a"));
    EXPECT_THAT(plan.finish, ElementsAre("ld", "-r", "-T", "arch/x86/module.lds", "-o", "@MODULE@", "@COMPOSITE@",
                                         "/c/t/" + kName + ".mod.o", "/c/t/.module-common.o"));
}

TEST(PlanTest, Generation7_2) {
    Plan plan = derive_plan(generation_7_2());
    EXPECT_EQ(plan.unsupported, "");
    EXPECT_EQ(plan.cwd, "/c/t");
    EXPECT_THAT(plan.combine,
                ElementsAre("ld", "-r", "-o", "@COMPOSITE@", "-u", "init_module", "@OBJECT@", "/c/t/objects.a"));
    EXPECT_THAT(plan.finish, ElementsAre("ld", "-r", "-T", "/k/arch/x86/module.lds", "-o", "@MODULE@", "@COMPOSITE@",
                                         kName + ".mod.o", ".module-common.o"));
}

TEST(PlanTest, SurvivesBeingWritten) {
    for (const Leftovers &left :
         {generation_5_10(), generation_6_1(), generation_6_12(), generation_7_2(), leftovers()}) {
        Plan plan = derive_plan(left);
        auto read = parse_plan(serialize(plan));
        ASSERT_TRUE(read);
        EXPECT_EQ(serialize(*read), serialize(plan));
        EXPECT_EQ(read->compile, plan.compile);
        EXPECT_EQ(read->environment, plan.environment);
        EXPECT_EQ(read->objtool_on_composite, plan.objtool_on_composite);
    }
    std::string text = serialize(derive_plan(generation_6_1()));
    EXPECT_FALSE(parse_plan(text.substr(0, text.size() - 1)));
    EXPECT_FALSE(parse_plan(text.substr(0, text.find("finish"))));
    EXPECT_FALSE(parse_plan(""));
}

// Tags: CommandUnknown.
TEST(PlanTest, SaysWhatItDoesNotKnow) {
    auto why = [](auto change) {
        Leftovers left = generation_6_12();
        change(left);
        return derive_plan(left).unsupported;
    };
    EXPECT_EQ(why([](Leftovers &l) { l.script_cmd = ""; }), "a saved command has an unknown form");
    EXPECT_EQ(why([](Leftovers &l) { l.script_cmd.insert(l.script_cmd.size() - 1, " | tee"); }),
              "a saved command has an unknown form");
    EXPECT_EQ(why([](Leftovers &l) { l.script_cmd.insert(l.script_cmd.size() - 1, "; recordmcount script.o"); }),
              "an unknown command follows the compiler");
    EXPECT_EQ(why([](Leftovers &l) { l.composite_cmd = "cmd_x.o := ld -r -o x.o a.o; strip x.o\n"; }),
              "an unknown command follows the linker");
    EXPECT_EQ(
        why([](Leftovers &l) { l.module_cmd.insert(l.module_cmd.size() - 1, "; make -f arch/x/Makefile.postlink"); }),
        "the module needs more than a link");
    EXPECT_EQ(why([](Leftovers &l) { l.script_cmd = "cmd_script.o := gcc -o script.o script.c\n"; }),
              "the compile command has an unknown form");
    EXPECT_EQ(why([](Leftovers &l) { l.module_cmd = "cmd_x.ko := cp x.o x.ko\n"; }),
              "a link command has an unknown form");
}

TEST(PlanTest, FillsPlaces) {
    EXPECT_EQ(
        fill({"ld", "-o", "@MODULE@", "@OBJECT@", "x@OBJECT@"}, {{Plan::kModule, "m.ko"}, {Plan::kObject, "s.o"}}),
        (Words{"ld", "-o", "m.ko", "s.o", "x@OBJECT@"}));
}

}  // namespace
}  // namespace tapir::build
