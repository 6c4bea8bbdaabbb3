// SPDX-License-Identifier: GPL-2.0-or-later
// The form of messages, and that no tag is left without a test.
#include "base/diagnostics.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "testsuite/trees.h"

namespace fs = std::filesystem;

namespace tapir {
namespace {

class Render : public testing::Test {
  protected:
    // A token of `text` at its first place in the file.
    SourceRef ref(const SourceFile &in, std::string_view text, TokenKind kind = TokenKind::Identifier) {
        SourceRef at;
        size_t offset = in.text().find(text);
        at.file = &in;
        in.locate(offset, at.line, at.column);
        at.kind = kind;
        at.text = in.text().substr(offset, text.size());
        return at;
    }
    SourceFile file{"a.stp", "probe begin {\n\tfoo(x)\n}\n", Origin::UserScript};
    Diagnostics diagnostics;
};

TEST_F(Render, SemanticErrorWithTabsBeforeTheCaret) {
    diagnostics.report(Tag::UnresolvedFunction, ref(file, "foo"), "unresolved function");
    EXPECT_EQ(render_all(diagnostics, false),
              "semantic error: unresolved function: identifier 'foo' at a.stp:2:2\n"
              "        source: \tfoo(x)\n"
              "                \t^\n\n");
}

TEST_F(Render, ParseErrorSaysWhatItSaw) {
    diagnostics.report(Tag::SyntaxError, ref(file, ")", TokenKind::Operator), "expected x");
    diagnostics.report(Tag::BadFormat, ref(file, "x"), "wrong");
    EXPECT_EQ(render_all(diagnostics, false),
              "parse error: expected x\n"
              "        saw: operator ')' at a.stp:2:7\n"
              "     source: \tfoo(x)\n"
              "             \t     ^\n\n"
              "parse error: wrong\n"
              "         at: identifier 'x' at :2:6\n"
              "     source: \tfoo(x)\n"
              "             \t    ^\n\n");
}

TEST_F(Render, EndOfFile) {
    SourceRef end;
    end.file = &file;
    end.line = 4;
    end.column = 1;
    end.kind = TokenKind::EndOfFile;
    diagnostics.report(Tag::SyntaxError, end, "expected statement");
    EXPECT_EQ(render_all(diagnostics, false), "parse error: expected statement\n        saw: a.stp EOF\n\n");
}

TEST_F(Render, WarningsStandCloseTogether) {
    diagnostics.report(Tag::UnusedGlobal, ref(file, "foo"), "unused");
    diagnostics.report(Tag::UnusedGlobal, ref(file, "x"), "unused");
    EXPECT_EQ(render_all(diagnostics, false),
              "WARNING: unused: identifier 'foo' at a.stp:2:2\n"
              " source: \tfoo(x)\n"
              "         \t^\n"
              "WARNING: unused: identifier 'x' at :2:6\n"
              " source: \tfoo(x)\n"
              "         \t    ^\n");
}

TEST_F(Render, CausesAndMacroUsesFollow) {
    SourceFile other("b.stpm", "@define m %( foo %)", Origin::Tapset);
    SourceRef use = ref(file, "x");
    SourceRef at = ref(other, "foo");
    at.expansion = &use;
    Diagnostic &error = diagnostics.report(Tag::TypeMismatch, at, "type mismatch");
    error.causes.push_back({Tag::TypeMismatch, "first inferred here", ref(file, "begin"), {}, Severity::Error});
    EXPECT_EQ(render_all(diagnostics, false),
              "semantic error: type mismatch: identifier 'foo' at b.stpm:1:14\n"
              "        source: @define m %( foo %)\n"
              "                             ^\n"
              "in expansion of macro: identifier 'x' at a.stp:2:6\n"
              "        source: \tfoo(x)\n"
              "                \t    ^\n\n"
              "semantic error: first inferred here: identifier 'begin' at :1:7\n"
              "        source: probe begin {\n"
              "                      ^\n\n");
}

TEST_F(Render, WithoutAPlace) {
    diagnostics.report(Tag::NoProbes, "no probes found");
    diagnostics.report(Tag::BuildTreeMissing, "no headers");
    diagnostics.report(Tag::InputEmpty, "Input file 'x' is empty.");
    EXPECT_EQ(render_all(diagnostics, false),
              "semantic error: no probes found\n\nERROR: no headers\nInput file 'x' is empty.\n");
}

TEST_F(Render, RepeatedMessagesAreCounted) {
    for (int i = 0; i < 3; i++) {
        diagnostics.report(Tag::UnresolvedFunction, ref(file, "foo"), "unresolved function");
        diagnostics.report(Tag::UnusedGlobal, ref(file, "x"), "unused");
    }
    EXPECT_EQ(render_all(diagnostics, false),
              "semantic error: unresolved function: identifier 'foo' at a.stp:2:2\n"
              "        source: \tfoo(x)\n"
              "                \t^\n\n"
              "WARNING: unused: identifier 'x' at :2:6\n"
              " source: \tfoo(x)\n"
              "         \t    ^\n"
              "Number of similar error messages suppressed: 2.\nRerun with -v to see them.\n"
              "Number of similar warning messages suppressed: 2.\nRerun with -v to see them.\n");
    std::string all = render_all(diagnostics, true);
    EXPECT_EQ(all.find("suppressed"), std::string::npos);
}

TEST_F(Render, ALongSeriesOfOneKindIsCut) {
    std::string text;
    for (int i = 0; i < 30; i++)
        text += "v" + std::to_string(i) + "_\n";
    SourceFile many("m.stp", text, Origin::UserScript);
    for (int i = 0; i < 30; i++)
        diagnostics.report(Tag::UnresolvedFunction, ref(many, "v" + std::to_string(i) + "_"), "unresolved function");
    std::string shown = render_all(diagnostics, false);
    EXPECT_NE(shown.find("'v19_'"), std::string::npos);
    EXPECT_EQ(shown.find("'v20_'"), std::string::npos);
    EXPECT_TRUE(shown.ends_with("Number of similar error messages suppressed: 10.\nRerun with -v to see them.\n"));
}

TEST_F(Render, OddBytesAreHarmless) {
    SourceFile odd("o\033[2J.stp", "\033[31m\xff\u00e9\u202e x", Origin::UserScript);
    diagnostics.report(Tag::BadNumber, ref(odd, "x"), "odd");
    EXPECT_EQ(render_all(diagnostics, false),
              "parse error: odd\n"
              "         at: identifier 'x' at o\\x1b[2J.stp:1:13\n"
              "     source: \\x1b[31m\\xff\u00e9\\xe2\\x80\\xae x\n"
              "                                       ^\n\n");
}

TEST_F(Render, LongLinesShowTheirMiddle) {
    SourceFile longer("l.stp", std::string(1000, 'a') + "X" + std::string(1000, 'b'), Origin::UserScript);
    diagnostics.report(Tag::BadNumber, ref(longer, "X"), "here");
    EXPECT_EQ(render_all(diagnostics, false),
              "parse error: here\n"
              "         at: identifier 'X' at l.stp:1:1001\n"
              "     source: ..." +
                  std::string(100, 'a') + "X" + std::string(99, 'b') + "...\n" + std::string(116, ' ') + "^\n\n");
}

TEST(Diagnostics, WarningsBecomeErrorsOrNothing) {
    Diagnostics strict;
    strict.set_warnings_as_errors(true);
    strict.report(Tag::UnusedGlobal, "unused");
    EXPECT_EQ(strict.error_count(), 1u);
    EXPECT_EQ(strict.error_count(Stage::Semantic), 1u);
    EXPECT_EQ(strict.error_count(Stage::Parse), 0u);
    Diagnostics silent;
    silent.set_suppress_warnings(true);
    silent.report(Tag::UnusedGlobal, "unused").causes.clear();
    EXPECT_TRUE(silent.all().empty());
    silent.report(Tag::NoProbes, "no probes found");
    EXPECT_EQ(silent.all().size(), 1u);
}

TEST(Diagnostics, ReportsAfterAMarkCanBeDropped) {
    Diagnostics diagnostics;
    diagnostics.report(Tag::NoProbes, "kept");
    size_t mark = diagnostics.mark();
    diagnostics.report(Tag::NoProbes, "dropped");
    diagnostics.drop_since(mark);
    ASSERT_EQ(diagnostics.all().size(), 1u);
    EXPECT_EQ(diagnostics.all()[0]->message, "kept");
}

// True if a test compares the whole text of a message: for equality, or with MatchesRegex, which matches
// all or nothing, a text that ends a line as every rendered message does.
bool compares_whole_text(const std::string &body) {
    bool compares = body.find("EXPECT_EQ(") != std::string::npos || body.find("ASSERT_EQ(") != std::string::npos ||
                    body.find("MatchesRegex(") != std::string::npos;
    return compares && body.find("\\n\"") != std::string::npos;
}

// A test belongs to a tag by its name: TEST(Anything, Tag), TEST_F(Anything, Tag_2), or golden/<area>/Tag.stp, which
// compares everything that is printed.
TEST(Diagnostics, EveryTagHasATestOfItsWholeText) {
    std::set<std::string> tested;
    const fs::path root = fs::path(tapir::source_dir()) / "testsuite";
    const std::regex test_name(R"(TEST(?:_F|_P)?\(\s*\w+,\s*(\w+)\))");
    for (const auto &entry : fs::recursive_directory_iterator(root / "unit")) {
        if (entry.path().extension() != ".cc") continue;
        std::ifstream in(entry.path());
        std::stringstream text;
        text << in.rdbuf();
        std::string source = text.str(), name;
        size_t body = 0;
        auto note = [&](size_t end) {
            if (!name.empty() && compares_whole_text(source.substr(body, end - body)))
                tested.insert(name.substr(0, name.find('_')));
        };
        for (std::sregex_iterator it(source.begin(), source.end(), test_name), last; it != last; ++it) {
            note(static_cast<size_t>(it->position()));
            name = (*it)[1];
            body = static_cast<size_t>(it->position());
        }
        note(source.size());
    }
    if (fs::exists(root / "golden"))
        for (const auto &entry : fs::recursive_directory_iterator(root / "golden"))
            if (entry.path().extension() == ".stp") {
                std::string stem = entry.path().stem().string();
                tested.insert(stem.substr(0, stem.find_first_of("_-")));
            }
    std::string missing;
    for (const char *tag : {
#define TAPIR_DIAGNOSTIC(name, severity, stage) #name,
#include "base/diagnostic_tags.def"
#undef TAPIR_DIAGNOSTIC
         })
        if (!tested.count(tag)) missing += std::string(" ") + tag;
    EXPECT_EQ(missing, "") << "these tags have no test named after them that compares the whole text";
}

}  // namespace
}  // namespace tapir
