// SPDX-License-Identifier: GPL-2.0-or-later
// Rewrites of scripts of stap++. Their texts were found by hand, from the description of the rewrites.
#include "sxx/expand.h"

#include <gtest/gtest.h>

#include "expansion.h"

namespace tapir::sxx {
namespace {

struct Case {
    const char *written;
    const char *made;
};

// With the values exec_path=/opt/server, target=42, pid_ok=pid() == target() and arg_n=7.
constexpr Case kCases[] = {
    // Plain text stays, byte by byte.
    {"", ""},
    {"probe begin { exit() }\n", "probe begin { exit() }\n"},
    {"no newline at the end", "no newline at the end"},
    {"\r\n\n\t \v\f\n", "\r\n\n\t \v\f\n"},
    {"bytes \xff\xc3\xa4 stay\n", "bytes \xff\xc3\xa4 stay\n"},
    {"$x $$vars $ ^ * @count(x) @use2 $ ^n $ *n\n", "$x $$vars $ ^ * @count(x) @use2 $ ^n $ *n\n"},
    {"$^ $* @pfunc @use\n", "$^ $* @pfunc @use\n"},
    // The first line names another interpreter.
    {"#!/usr/bin/env stap++\nx\n", "#!/usr/bin/env stap\nx\n"},
    {"#! /opt/stap++ $^nothing", "#!/usr/bin/env stap\n"},
    {"x\n#!/usr/bin/env stap++\n", "x\n#!/usr/bin/env stap++\n"},
    {" #!stap++\n", " #!stap++\n"},
    // 1: arguments.
    {"$^arg_n", "7"},
    {"a$^arg_n.b", "a7.b"},
    {"$^arg_n$^arg_n", "77"},
    {"\"of $^arg_n\"", "\"of 7\""},
    {"// $^arg_n /* $^arg_n */", "// 7 /* 7 */"},
    {"$^arg_n :default(3)", "7"},
    {"$^arg_n:default(3)", "7"},
    {"$^arg_n :other(3)", "7"},
    {"$^arg_n :default 3", "7 :default 3"},
    {"$^arg_n : default(3)", "7 : default(3)"},
    {"$^arg_n :default(3", "7 :default(3"},
    {"$^arg_n :(3)", "7 :(3)"},
    {"$^arg_m :default(3)", "3"},
    {"$^arg_m \t :default \t (3)", "3"},
    {"$^arg_m :default()", ""},
    {"$^arg_m :default( 3 )", " 3 "},
    {"$^arg_m :default(f(3))", "f(3)"},
    {"$^arg_m :default(3)$^arg_m", "33"},
    {"$^arg_m :default(3) $^arg_m :default(4)", "3 3"},
    {"$^arg_m :default(3)\n$^arg_m\n", "3\n3\n"},
    {"$^arg_m :default(\"a b\")", "\"a b\""},
    {"%( \"$^arg_m :default()\" != \"\" %? $^arg_m %)", "%( \"\" != \"\" %?  %)"},
    // A value is not looked at again by its own step, but by those behind it.
    {"$^arg_m :default($^arg_n) $^arg_m", "7 7"},
    {"$^arg_m :default($^exec_path)", "/opt/server"},
    {"$^arg_m :default(@pfunc) ( f )", "process(\"/opt/server\").function(\"f\")"},
    {"$^arg_m :default(@pfunc)(f)", "process(\"/opt/server\").function(\"f\")"},
    // 2: functions of the program.
    {"probe @pfunc(main)", "probe process(\"/opt/server\").function(\"main\")"},
    {"@pfunc(main).return", "process(\"/opt/server\").function(\"main\").return"},
    {"@pfunc \t ( main \t )", "process(\"/opt/server\").function(\"main\")"},
    {"@pfunc(a)@pfunc(b)", "process(\"/opt/server\").function(\"a\")process(\"/opt/server\").function(\"b\")"},
    {"@pfunc(a b) @pfunc() @pfunc(a*) @pfunc(\"a\")", "@pfunc(a b) @pfunc() @pfunc(a*) @pfunc(\"a\")"},
    {"@pfunc($^arg_n)", "process(\"/opt/server\").function(\"7\")"},
    // 3: variables of the process, and libraries.
    {"if ($^pid_ok)", "if (pid() == target())"},
    {"\"$^target ($^exec_path)\"", "\"42 (/opt/server)\""},
    {"$^exec_path :default(/x)", "/opt/server"},
    {"$^level :default(2) $^level", "2 2"},
    {"\"$^libc_path\"", "\"/lib/libc.so.6\""},
    {"\"$^liblua_path\"", "\"/lib/liblua-5.1.so.2\""},
    {"$^libz_path :default(/z.so) $^libz_path", "/z.so /z.so"},
    // Beyond stap++, which fails: whole names.
    {"\"$^liblua-5.1_path\"", "\"/lib/liblua-5.1.so.2\""},
    // 4 and 5: names for what values point to.
    {"$*r := @cast(r, \"t\", \"$^exec_path\")\n$*r->a\n", "\n@cast(r, \"t\", \"/opt/server\")->a\n"},
    {"  $*r:=@cast(r)  ", "    "},
    {"$*r := @cast(r); $*r $*r", "; @cast(r) @cast(r)"},
    {"$*g := &@var(\"g\", \"$^libc_path\")[12]\n$*g", "\n&@var(\"g\", \"/lib/libc.so.6\")[12]"},
    {"$*g := @var(\"g\")[i] $*g", "[i] @var(\"g\")"},
    {"$*g := @var(\"g\")[1][2] $*g", "[2] @var(\"g\")[1]"},
    {"$*g := @cast(f(x), \"t\")->y\n$*g", ", \"t\")->y\n@cast(f(x)"},
    {"$*r := @cast(a) $*r := @cast(b) $*r", "  @cast(b)"},
    {"$*r $*r := @cast(a)", "@cast(a) "},
    {"$*r := @cast(a)\n$*r\n$*r := @cast(b)\n$*r\n", "\n@cast(a)\n\n@cast(b)\n"},
    {"$*a := @cast(1) $*b := @cast($*a) $*b", "  @cast($*a)"},
    {"$*a := @cast(1)\n$*b := @cast($^arg_n)\n$*b$*a", "\n\n@cast(7)@cast(1)"},
    {"$*r := @cast(r)\n&$*r->a", "\n&@cast(r)->a"},
    // 6: libraries.
    {"@use one\nx", "\nx"},
    {"@use one, two.part;", ";"},
    {"@use \t one ,two.part  , one", ""},
    {"@use one,", ","},
    {"@use one.", "."},
    {"@use one two", " two"},
    {"a@use one@use two.part", "a"},
    {"@useone @use; @use .one", "@useone @use; @use .one"},
};

TEST(Sxx, TextsBecomeOthers) {
    for (const Case &example : kCases) {
        Expansion expansion;
        expansion.libraries = {{"one", "x"}, {"two.part", "y"}};
        EXPECT_EQ(expansion.expand(example.written), example.made) << "from " << example.written;
        EXPECT_EQ(render_all(expansion.diagnostics, true), "") << "from " << example.written;
    }
    EXPECT_GE(std::size(kCases), 60u);
}

TEST(Sxx, ValuesMayHoldAnything) {
    Expansion expansion;
    expansion.settings.values["arg_n"] = "@pfunc(f) $*r $^target\n@use one";
    expansion.libraries = {{"one", ""}};
    EXPECT_EQ(expansion.expand("$*r := @cast(1)\n$^arg_n !\n"),
              "\nprocess(\"/opt/server\").function(\"f\") @cast(1) 42\n !\n");
    ASSERT_EQ(expansion.expander->libraries().size(), 1u);
}

TEST(Sxx, ADefaultHoldsFromThereOnInAllFiles) {
    Expansion expansion;
    expansion.libraries = {{"a", "#!x\n$^arg_t :default(5) $*r := @cast(a)"}, {"b", "@use a\n$^arg_t $^arg_u"}};
    EXPECT_EQ(expansion.expand("$^arg_u :default(1)@use b\n$^arg_t :default(9)\n"), "1\n5\n");
    const auto &libraries = expansion.expander->libraries();
    ASSERT_EQ(libraries.size(), 2u);
    EXPECT_EQ(libraries[0].name, "a");
    EXPECT_EQ(libraries[0].text->name(), "a.sxx");
    EXPECT_EQ(libraries[0].text->text(), "#!/usr/bin/env stap\n5 ");
    EXPECT_EQ(libraries[1].name, "b");
    EXPECT_EQ(libraries[1].text->text(), "\n5 1");
}

// stap++ goes round until its memory ends.
TEST(Sxx, LibrariesMayUseEachOther) {
    Expansion expansion;
    expansion.libraries = {{"a", "1 @use b, a"}, {"b", "2 @use a"}};
    EXPECT_EQ(expansion.expand("@use a, a"), "");
    const auto &libraries = expansion.expander->libraries();
    ASSERT_EQ(libraries.size(), 2u);
    EXPECT_EQ(libraries[0].text->text(), "2 ");
    EXPECT_EQ(libraries[1].text->text(), "1 ");
}

TEST(Sxx, ArgumentsAreListed) {
    Expansion expansion;
    expansion.settings.values.clear();
    expansion.settings.mapped.clear();
    expansion.settings.only_arguments = true;
    expansion.libraries = {{"a", "$^arg_z $^exec_path $^libx_path $^arg_m :default()"}};
    expansion.expand("$^arg_b $^arg_a :default(3 ms) $^arg_a :default(4)\n@use a\n$^arg_b :default(5)$^nothing");
    EXPECT_EQ(render_all(expansion.diagnostics, true), "");
    EXPECT_EQ(argument_list(expansion.expander->arguments()),
              "\t--arg a=VALUE (default: 3 ms)\n"
              "\t--arg b=VALUE (default: 5)\n"
              "\t--arg m=VALUE (default: )\n"
              "\t--arg z=VALUE\n");
    EXPECT_EQ(argument_list({}), "");
}

// "line:column" of a part of the expanded text.
std::string place(const SourceFile &file, std::string_view part, size_t into = 0) {
    const size_t at = file.text().find(part);
    if (at == std::string_view::npos) return "missing";
    uint32_t line = 0, column = 0;
    file.locate(at + into, line, column);
    return std::to_string(line) + ":" + std::to_string(column);
}

TEST(Sxx, PlacesAreThoseOfTheFile) {
    Expansion expansion;
    expansion.settings.values["arg_n"] = "first\nsecond\n";
    expansion.libraries = {{"lib", "\n  $*q := @cast(q)\n\t$*q->x\n"}};
    expansion.expand(
        "#!/usr/bin/stap++ -v\n"
        "@use lib; alpha\n"
        "  beta @pfunc(main) gamma $^arg_n delta\n"
        "$*r := @cast(r)  epsilon $*r->zeta\n"
        "\n"
        "eta");
    const SourceFile &made = *expansion.made;
    EXPECT_EQ(made.name(), "t.sxx");
    EXPECT_EQ(made.line(3), "  beta @pfunc(main) gamma $^arg_n delta");
    EXPECT_EQ(place(made, "env"), "1:1");
    EXPECT_EQ(place(made, "alpha"), "2:11");
    EXPECT_EQ(place(made, "alpha", 2), "2:13");
    EXPECT_EQ(place(made, "beta"), "3:3");
    EXPECT_EQ(place(made, "process("), "3:8");
    EXPECT_EQ(place(made, "/opt/server"), "3:8");
    EXPECT_EQ(place(made, "main"), "3:8");
    EXPECT_EQ(place(made, "gamma"), "3:21");
    EXPECT_EQ(place(made, "first"), "3:27");
    EXPECT_EQ(place(made, "second"), "3:27");
    EXPECT_EQ(place(made, "delta"), "3:35");
    EXPECT_EQ(place(made, "epsilon"), "4:18");
    EXPECT_EQ(place(made, "@cast"), "4:26");
    EXPECT_EQ(place(made, "zeta"), "4:31");
    EXPECT_EQ(place(made, "\neta", 3), "6:3");
    uint32_t line = 0, column = 0;
    made.locate(made.text().size(), line, column);
    EXPECT_EQ(std::to_string(line) + ":" + std::to_string(column), "6:4");
    const SourceFile &lib = *expansion.expander->libraries().at(0).text;
    EXPECT_EQ(lib.name(), "lib.sxx");
    EXPECT_EQ(place(lib, "@cast"), "3:2");
    EXPECT_EQ(place(lib, "->x"), "3:5");
}

}  // namespace
}  // namespace tapir::sxx
