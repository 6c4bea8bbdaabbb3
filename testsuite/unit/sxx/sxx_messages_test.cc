// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include "expansion.h"

namespace tapir::sxx {
namespace {

TEST(SxxMessages, SxxArgumentMissing) {
    Expansion expansion;
    expansion.settings.values["arg_limt"] = "5";
    EXPECT_EQ(expansion.messages("x\n\t$^arg_limit $^arg_limit\n$^arg_other"),
              "parse error: the script needs a value for its argument 'limit'\n"
              "         at: identifier '$^arg_limit' at t.sxx:2:2\n"
              "     source: \t$^arg_limit $^arg_limit\n"
              "             \t^\n"
              "       help: give it one: --arg limit=VALUE; you gave limt\n"
              "\n"
              "parse error: the script needs a value for its argument 'other'\n"
              "         at: identifier '$^arg_other' at :3:1\n"
              "     source: $^arg_other\n"
              "             ^\n"
              "       help: give it one: --arg other=VALUE\n"
              "\n");
}

TEST(SxxMessages, SxxProcessUnknown) {
    Expansion expansion;
    expansion.settings.values.clear();
    EXPECT_EQ(expansion.messages("probe @pfunc(main) { if ($^pid_ok) \"$^exec_path\" }"),
              "parse error: $^exec_path is about a process, and none is named\n"
              "         at: identifier '$^exec_path' at t.sxx:1:7\n"
              "     source: probe @pfunc(main) { if ($^pid_ok) \"$^exec_path\" }\n"
              "                   ^\n"
              "       help: -x PID, --master PID or --exec PATH sets it\n"
              "\n"
              "parse error: $^pid_ok is about a process, and none is named\n"
              "         at: identifier '$^pid_ok' at :1:26\n"
              "     source: probe @pfunc(main) { if ($^pid_ok) \"$^exec_path\" }\n"
              "                                      ^\n"
              "       help: -x PID, --master PID or --exec PATH sets it\n"
              "\n");
}

TEST(SxxMessages, SxxVariableUnknown) {
    EXPECT_EQ(Expansion().messages("$^exec_pat"),
              "parse error: there is no variable $^exec_pat (similar: exec_path)\n"
              "         at: identifier '$^exec_pat' at t.sxx:1:1\n"
              "     source: $^exec_pat\n"
              "             ^\n"
              "       help: there are $^exec_path, $^target, $^pid_ok, $^libNAME_path and, for arguments, $^arg_NAME\n"
              "\n");
}

TEST(SxxMessages, SxxTraitUnknown) {
    EXPECT_EQ(Expansion().messages("a $^arg_m :defalt(3)"),
              "parse error: 'defalt' behind a variable means nothing\n"
              "         at: identifier '$^arg_m' at t.sxx:1:3\n"
              "     source: a $^arg_m :defalt(3)\n"
              "               ^\n"
              "       help: a value for the case that there is none is written $^arg_m :default(VALUE)\n"
              "\n");
}

TEST(SxxMessages, SxxNameUndefined) {
    EXPECT_EQ(Expansion().messages("$*state := @cast(1)\n$*stat->x $*y\n$*stat"),
              "parse error: $*stat is not defined above its use, in this file (similar: state)\n"
              "         at: identifier '$*stat' at t.sxx:2:1\n"
              "     source: $*stat->x $*y\n"
              "             ^\n"
              "\n"
              "parse error: $*y is not defined above its use, in this file\n"
              "         at: identifier '$*y' at :2:11\n"
              "     source: $*stat->x $*y\n"
              "                       ^\n"
              "       help: define it before: $*y := @cast(VALUE, \"TYPE\", \"$^exec_path\")\n"
              "\n");
}

TEST(SxxMessages, SxxLibraryMissing) {
    Expansion expansion;
    expansion.libraries = {{"good", "@use bad"}};
    expansion.settings.advise = [](const std::string &name) { return "look for " + name; };
    EXPECT_EQ(expansion.messages("@use good, nginx.lau\n"),
              "parse error: there is no library 'bad'\n"
              "         at: identifier 'bad' at good.sxx:1:6\n"
              "     source: @use bad\n"
              "                  ^\n"
              "       help: look for bad\n"
              "\n"
              "parse error: there is no library 'nginx.lau'\n"
              "         at: identifier 'nginx.lau' at t.sxx:1:12\n"
              "     source: @use good, nginx.lau\n"
              "                        ^\n"
              "       help: look for nginx.lau\n"
              "\n");
}

TEST(SxxMessages, SxxLibraryNotMapped) {
    Expansion expansion;
    expansion.settings.values.clear();
    EXPECT_EQ(expansion.messages("\"$^liblau_path\""),
              "parse error: the library liblau is not known (similar: liblua)\n"
              "         at: identifier '$^liblau_path' at t.sxx:1:2\n"
              "     source: \"$^liblau_path\"\n"
              "              ^\n"
              "       help: if it is linked into the program, -x PID or --exec PATH names that\n"
              "\n");
    Expansion without;
    without.settings.values.clear();
    without.settings.mapped.clear();
    EXPECT_EQ(without.messages("$^liblua_path"),
              "parse error: the library liblua is not known\n"
              "         at: identifier '$^liblua_path' at t.sxx:1:1\n"
              "     source: $^liblua_path\n"
              "             ^\n"
              "       help: -x PID, --master PID or --exec PATH sets it\n"
              "\n");
}

TEST(SxxMessages, SxxLibraryInProgram) {
    Expansion expansion;
    EXPECT_EQ(expansion.messages("$^libluajit_path $^libluajit_path"),
              "WARNING: no library libluajit is mapped (similar: liblua); it is taken to be linked into /opt/server: "
              "identifier "
              "'$^libluajit_path' at t.sxx:1:1\n"
              " source: $^libluajit_path $^libluajit_path\n"
              "         ^\n"
              "   help: if another process has it mapped, --sample-pid PID adds the libraries of that\n");
    EXPECT_EQ(expansion.made->text(), "/opt/server /opt/server");
}

TEST(SxxMessages, SxxLibraryUnclear) {
    Expansion expansion;
    expansion.settings.mapped = {
        {"/l/libz-b.so", "/l/libz-b.so"}, {"/l/libz-a.so", "/l/libz-a.so"}, {"/l/zx.so", "/l/zx.so"}};
    EXPECT_EQ(
        expansion.messages("$^libz_path"),
        "WARNING: no library is named just libz; /l/libz-a.so is the first that it may mean, before /l/libz-b.so, "
        "/l/zx.so: identifier '$^libz_path' at t.sxx:1:1\n"
        " source: $^libz_path\n"
        "         ^\n"
        "   help: the whole name says which is meant: $^libNAME_path, where NAME may have '-' and '.' in it\n");
    EXPECT_EQ(expansion.made->text(), "/l/libz-a.so");
}

}  // namespace
}  // namespace tapir::sxx
