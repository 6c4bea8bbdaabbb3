// SPDX-License-Identifier: GPL-2.0-or-later
#include "interactive/entry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tapir::interactive {
namespace {

class InteractiveEntry : public testing::Test {
  protected:
    Entry read(const std::string &text) const { return read_entry(text + "\n", reader()); }
    Reader reader() const {
        return {definitions_, guru_, [](const Diagnostics &diagnostics) { return render_all(diagnostics, false); }};
    }
    void define(const std::string &text) { definitions_.add(part(text)); }

    Definitions definitions_;
    bool guru_ = false;
};

TEST_F(InteractiveEntry, IsEmpty) {
    for (const char *text : {"", "  ", "// a", "# a", "/* a */"})
        EXPECT_EQ(read(text).kind, Entry::Kind::Empty) << text;
}

TEST_F(InteractiveEntry, GoesOnInTheNextLine) {
    for (const char *text : {"probe begin",
                             "probe begin {",
                             "probe begin, ",
                             "global",
                             "global n =",
                             "global a,",
                             "function f",
                             "function f(a)",
                             "function f(a) {\nreturn a",
                             "if (1)",
                             "if (1) {",
                             "x = ",
                             "1 +",
                             "f(1,",
                             "foreach (a in",
                             "@define m",
                             "@define m(a) %( @a +",
                             "/* a",
                             "print(\"a\\",
                             "private",
                             "while (1)",
                             "try { }",
                             "delete"})
        EXPECT_EQ(read(text).kind, Entry::Kind::Unfinished) << text;
}

TEST_F(InteractiveEntry, IsAStatement) {
    const Entry entry = read("  for (i = 0; i < 3; i++)\n  println(i)  ");
    EXPECT_EQ(entry.kind, Entry::Kind::Statement);
    EXPECT_EQ(entry.statement, "for (i = 0; i < 3; i++)\n  println(i)");
    EXPECT_EQ(entry.printed, "");
    for (const char *text : {"x = 1", "x++", "println(1)", "printf(\"%d\", 1)", "if (1) f()", "{ 1 }", "1; 2",
                             "a <<< 1", "delete a[1]", "list = 1", "run++", "delete a[1,2]"})
        EXPECT_EQ(std::pair(read(text).kind, read(text).printed), std::pair(Entry::Kind::Statement, std::string()))
            << text;
    EXPECT_EQ(script_of(definitions_, "x = 1"),
              "probe begin {\nx = 1\n}\nprobe begin(9223372036854775807) { exit() }\n");
}

TEST_F(InteractiveEntry, PrintsValues) {
    EXPECT_EQ(read("1 + 2").printed, "println(1 + 2\n)");
    EXPECT_EQ(read("f(1); ").printed, "println(f(1)\n)");
    EXPECT_TRUE(read("f(1)").is_call);
    EXPECT_FALSE(read("f(1) + 1").is_call);
    EXPECT_EQ(read("sprint(1) // a text").printed, "println(sprint(1) // a text\n)");
    EXPECT_EQ(read("; run").printed, "println(run\n)");
    EXPECT_EQ(read("@count(s)").printed, "println(@count(s)\n)");
    EXPECT_EQ(read("a[1, \"b\"]").printed, "println(a[1, \"b\"]\n)");
    EXPECT_EQ(read("\"a\" .\n\"b\"").printed, "println(\"a\" .\n\"b\"\n)");
}

TEST_F(InteractiveEntry, IsOfDefinitions) {
    const Entry entry = read("global n\nprobe begin { n++ }");
    EXPECT_EQ(entry.kind, Entry::Kind::Definitions);
    ASSERT_EQ(entry.items.size(), 2u);
    EXPECT_EQ(entry.items[1].text, "probe begin { n++ }");
    EXPECT_EQ(read("@define m %( 1 %)").kind, Entry::Kind::Definitions);
    EXPECT_EQ(read("probe mine = begin { x = 1 }").kind, Entry::Kind::Definitions);
    EXPECT_EQ(script_for_check(definitions_), "probe begin(9223372036854775807) { exit() }\n");
}

TEST_F(InteractiveEntry, UsesWhatWasDefined) {
    EXPECT_EQ(read("@m").kind, Entry::Kind::Wrong);
    define("@define m %( 1 %) @table(t, \"a\") probe begin { }");
    EXPECT_EQ(read("@m + 1").printed, "println(@m + 1\n)");
    EXPECT_EQ(read("@row(t, 1)").kind, Entry::Kind::Statement);
    // In place of the other.
    EXPECT_EQ(read("@define m %( 2 %)").kind, Entry::Kind::Definitions);
}

TEST_F(InteractiveEntry, IsWrong) {
    EXPECT_EQ(read("probe begin { x = }").complaint,
              "parse error: expected expression\n"
              "        saw: operator '}' at typed:1:19\n"
              "     source: probe begin { x = }\n"
              "                               ^\n\n");
    define("@define m %( 1 %)\nfunction g() { return 1 }");
    EXPECT_EQ(read("g() +* 2").complaint,
              "parse error: expected expression\n"
              "        saw: operator '*' at typed:1:6\n"
              "     source: g() +* 2\n"
              "                  ^\n\n");
    EXPECT_EQ(read("println(1) }").complaint,
              "parse error: nothing is open that '}' closes\n"
              "        saw: operator '}' at typed:1:12\n"
              "     source: println(1) }\n"
              "                        ^\n\n");
    EXPECT_EQ(read("print(\"a").kind, Entry::Kind::Wrong);
    EXPECT_EQ(read("%{ x %}").kind, Entry::Kind::Wrong);
    guru_ = true;
    EXPECT_EQ(read("%{ x %}").kind, Entry::Kind::Definitions);
}

TEST_F(InteractiveEntry, IsACommand) {
    define("global n probe vfs.read { }");
    const std::pair<const char *, std::pair<const char *, const char *>> commands[] = {
        {"list", {"list", ""}},
        {"  help ", {"help", ""}},
        {"delete n", {"delete", "n"}},
        {"delete 12", {"delete", "12"}},
        {"delete vfs.read", {"delete", "vfs.read"}},
        {"delete other", {"delete", "other"}},
        {"edit", {"edit", ""}},
        {"edit vfs.read", {"edit", "vfs.read"}},
        {"load /tmp/a b.stp", {"load", "/tmp/a b.stp"}},
        {"load ../a", {"load", "../a"}},
        {"save x", {"save", "x"}},
        {"run", {"run", ""}},
        {"stop", {"stop", ""}},
        {"quit", {"quit", ""}},
    };
    for (const auto &[text, command] : commands) {
        const Entry entry = read(text);
        EXPECT_EQ(entry.kind, Entry::Kind::Command) << text;
        EXPECT_EQ(entry.command, command.first);
        EXPECT_EQ(entry.argument, command.second);
    }
    EXPECT_EQ(read("load").complaint, "load needs one: load FILE\n");
    EXPECT_EQ(read("list all").complaint, "list takes no argument\n");
    // Only where an entry begins.
    EXPECT_EQ(read("1 +\nlist").kind, Entry::Kind::Statement);
}

}  // namespace
}  // namespace tapir::interactive
