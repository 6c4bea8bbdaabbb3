// SPDX-License-Identifier: GPL-2.0-or-later
#include "build/saved_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tapir::build {
namespace {

using testing::ElementsAre;

TEST(SavedCommandTest, ReadsTheNamesOfOldAndNewKernels) {
    auto old_form = parse_saved_command("cmd_/t/a.o := gcc -c -o /t/a.o /t/a.c\n\nsource_/t/a.o := /t/a.c\n");
    ASSERT_TRUE(old_form);
    EXPECT_EQ(old_form->target, "/t/a.o");
    EXPECT_THAT(old_form->commands, ElementsAre(Words{"gcc", "-c", "-o", "/t/a.o", "/t/a.c"}));
    auto new_form = parse_saved_command("savedcmd_a.o := ld -r -o a.o @a.mod ; ./objtool --link a.o\n");
    ASSERT_TRUE(new_form);
    EXPECT_EQ(new_form->target, "a.o");
    EXPECT_THAT(new_form->commands,
                ElementsAre(Words{"ld", "-r", "-o", "a.o", "@a.mod"}, Words{"./objtool", "--link", "a.o"}));
}

TEST(SavedCommandTest, UndoesQuoting) {
    auto saved = parse_saved_command(
        "cmd_a.o := gcc -DNAME='\"a b\"' -DX=\"q\\\"r\" -DY=a\\ b -DCOST=$$5 -DHASH=$(pound) -DH2=\\# '' -DE=a=b;c,d ; "
        "true\n");
    ASSERT_FALSE(saved) << "an unquoted $ is a substitution";
    saved = parse_saved_command(
        "cmd_a.o := gcc -DNAME='\"a b\"' -DX=\"q\\\"r\" -DY=a\\ b '-DCOST=$$5' -DH=x$(pound) -DH2=x\\# '' && true\n");
    ASSERT_TRUE(saved);
    EXPECT_THAT(saved->commands, ElementsAre(Words{"gcc", "-DNAME=\"a b\"", "-DX=q\"r", "-DY=a b", "-DCOST=$5",
                                                   "-DH=x#", "-DH2=x#", ""}));
}

TEST(SavedCommandTest, RefusesWhatIsNotASimpleCommand) {
    for (const char *line : {"printf x | awk y", "echo a > b", "cat < a", "a `b`", "a $(b)", "( a )", "a &", "{ a; }",
                             "a *.o", "'open", "\"open", "a \\", "a \"$x\""})
        EXPECT_FALSE(parse_shell(line)) << line;
    EXPECT_FALSE(parse_saved_command(""));
    EXPECT_FALSE(parse_saved_command("source_a.o := a.c\n"));
    EXPECT_FALSE(parse_saved_command("cmd_a.o := true\n"));
    EXPECT_FALSE(parse_saved_command("cmd_a.o = gcc\n"));
}

}  // namespace
}  // namespace tapir::build
