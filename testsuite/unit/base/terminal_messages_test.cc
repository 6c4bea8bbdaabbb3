// SPDX-License-Identifier: GPL-2.0-or-later
// The form of messages for people. Whole texts at terminals are in testsuite/terminal.
#include "base/terminal_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/help.h"

namespace tapir {
namespace {

class TerminalMessagesTest : public testing::Test {
  protected:
    void SetUp() override {
        screen.for_people = screen.utf8 = true;
        screen.width = 60;
    }
    SourceRef ref(const SourceFile &in, std::string_view text, TokenKind kind = TokenKind::Identifier) {
        SourceRef at;
        const size_t offset = in.text().find(text);
        at.file = &in;
        in.locate(offset, at.line, at.column);
        at.kind = kind;
        at.text = in.text().substr(offset, text.size());
        return at;
    }
    std::string text(bool verbose = false) { return render_for_terminal(diagnostics, verbose, screen); }

    SourceFile file{"a.stp", "probe begin {\n\tfoo(x)\n}\n", Origin::UserScript};
    Diagnostics diagnostics;
    Screen screen;
};

TEST_F(TerminalMessagesTest, ARepeatedMessageIsCounted) {
    for (int i = 0; i < 3; ++i)
        diagnostics.report(Tag::UnresolvedFunction, ref(file, "foo"), "unresolved function foo (similar: fo, fob)");
    EXPECT_EQ(text(),
              "error: unresolved function foo\n"
              "  --> a.stp:2:2\n"
              "   |\n"
              " 2 |         foo(x)\n"
              "   |         ^^^\n"
              "help: similar: fo, fob\n\n"
              "notice: 2 messages like those above left out: -v shows all\n\n");
    EXPECT_THAT(text(true), testing::Not(testing::HasSubstr("left out")));
    EXPECT_EQ(error_problems(diagnostics), 1u);
}

// The token's text comes from elsewhere; what stands for it is marked whole.
TEST_F(TerminalMessagesTest, VariablesOfStapxxAreMarkedWhole) {
    const SourceFile script("t.sxx", "f($^exec_path, $*node->x)", Origin::UserScript);
    SourceRef at{&script, 1, 3, TokenKind::Number, "12", nullptr};
    diagnostics.report(Tag::UnresolvedFunction, at, "first");
    at.column = 16;
    diagnostics.report(Tag::UnresolvedFunction, at, "second");
    EXPECT_EQ(text(),
              "error: first\n"
              "  --> t.sxx:1:3\n"
              "   |\n"
              " 1 | f($^exec_path, $*node->x)\n"
              "   |   ^^^^^^^^^^^\n\n"
              "error: second\n"
              "  --> t.sxx:1:16\n"
              "   |\n"
              " 1 | f($^exec_path, $*node->x)\n"
              "   |                ^^^^^^\n\n");
}

TEST_F(TerminalMessagesTest, AllErrorsAreCounted) {
    std::string names;
    for (int i = 0; i < 30; ++i)
        names += "v" + std::to_string(i) + "_\n";
    const SourceFile many("m.stp", names, Origin::UserScript);
    for (int i = 0; i < 30; ++i)
        diagnostics.report(Tag::UnresolvedFunction, ref(many, "v" + std::to_string(i) + "_"), "unresolved function");
    EXPECT_EQ(error_problems(diagnostics), 30u);
    EXPECT_THAT(text(), testing::EndsWith("notice: 10 messages like those above left out: -v shows all\n\n"));
}

TEST_F(TerminalMessagesTest, ManyMacrosAreCounted) {
    std::vector<SourceRef> uses(12, ref(file, "begin"));
    for (size_t i = 1; i < uses.size(); ++i)
        uses[i].expansion = &uses[i - 1];
    diagnostics.report(Tag::BadNumber, uses.back(), "bad");
    EXPECT_THAT(text(), testing::HasSubstr("in the expansion of begin, and 3 more macros\n"));
}

TEST_F(TerminalMessagesTest, AProblemWithoutAPlaceOfItsOwn) {
    diagnostics.report(Tag::CompileFailed, "the compiler failed:\na.c:1:2: error: no\n    1 | x\n      | ^");
    EXPECT_EQ(text(),
              "error: the compiler failed:\n"
              "       a.c:1:2: error: no\n"
              "           1 | x\n"
              "             | ^\n\n");
}

TEST_F(TerminalMessagesTest, PlacesThatAreNone) {
    const SourceFile empty("e.stp", "", Origin::UserScript);
    SourceRef end;
    end.file = &empty;
    end.kind = TokenKind::EndOfFile;
    diagnostics.report(Tag::SyntaxError, end, "expected probe");
    // A column behind the line, and a line behind the file.
    SourceRef behind = ref(file, "}");
    behind.column = 99;
    behind.text = {};
    diagnostics.report(Tag::BadNumber, behind, "odd");
    behind.line = 99;
    diagnostics.report(Tag::BadFormat, behind, "odd");
    EXPECT_EQ(text(),
              "error: expected probe, saw the end of the file\n"
              "  --> e.stp (empty)\n\n"
              "error: odd\n"
              "  --> a.stp:3:99\n"
              "   |\n"
              " 3 | }\n"
              "   |  ^\n\n"
              "error: odd\n"
              "   --> a.stp:99:99\n\n");
}

TEST_F(TerminalMessagesTest, AVeryLongLineAndName) {
    const SourceFile longer(std::string(80, 'd') + "/name.stp",
                            std::string(1'000'000, 'a') + " X " + std::string(1'000'000, 'b'), Origin::UserScript);
    diagnostics.report(Tag::BadNumber, ref(longer, "X"), "here");
    screen.width = 40;
    EXPECT_EQ(text(),
              "error: here\n"
              "  --> ddddddddddd…ddd/name.stp:1:1000002\n"
              "   |\n"
              " 1 | …aaaaaaaaaaaaaaaa X bbbbbbbbbbbbbb…\n"
              "   |                   ^\n\n");
}

TEST_F(TerminalMessagesTest, ColorsOfAMessage) {
    screen.colors = Colors(Coloring::Always, -1);
    diagnostics.report(Tag::UnresolvedFunction, ref(file, "foo"), "unresolved");
    EXPECT_EQ(text(),
              "\033[01;31merror:\033[0m \033[01munresolved\033[0m\n"
              "\033[00;34m  --> \033[0ma.stp:2:2\n"
              "\033[00;34m   |\033[0m\n"
              "\033[00;34m 2 |\033[0m         foo(x)\n"
              "\033[00;34m   |\033[0m         \033[01m^^^\033[0m\n\n");
}

}  // namespace
}  // namespace tapir
