// SPDX-License-Identifier: GPL-2.0-or-later
// Conditionals, macros and script arguments.
#include <gtest/gtest.h>

#include "parse.h"

namespace tapir::syntax {
namespace {

// Whether %( condition %? ... %) takes its first branch.
testing::AssertionResult holds(const std::string &condition) {
    Parsed parsed("%( " + condition + " %? probe yes {} %: probe no {} %)");
    if (parsed.diagnostics.has_errors()) return testing::AssertionFailure() << parsed.messages();
    bool yes = parsed.file->probes.at(0)->points.at(0).str() == "yes";
    return yes ? testing::AssertionSuccess() << condition << " holds"
               : testing::AssertionFailure() << condition << " does not hold";
}

TEST(Conditional, KernelVersionsCompareAsVersions) {
    EXPECT_TRUE(holds("kernel_v == \"6.1.0\""));
    EXPECT_TRUE(holds("kernel_v > \"6.0.9\""));
    EXPECT_TRUE(holds("kernel_v < \"6.10\""));
    EXPECT_FALSE(holds("kernel_v >= \"6.10\""));
    EXPECT_TRUE(holds("kernel_v <= \"6.1.0\""));
    EXPECT_TRUE(holds("kernel_v != \"6.1\""));
    EXPECT_TRUE(holds("kernel_vr == \"6.1.0-56-amd64\""));
    EXPECT_TRUE(holds("kernel_vr == \"*-amd64\""));
    EXPECT_FALSE(holds("kernel_vr != \"6.[0-9].*\""));
    EXPECT_TRUE(holds("systemtap_v >= \"2.1\""));
}

TEST(Conditional, NamesComparePatterns) {
    EXPECT_TRUE(holds("arch == \"x86_64\""));
    EXPECT_TRUE(holds("arch == \"x86_*\""));
    EXPECT_TRUE(holds("arch != \"i?86\""));
    EXPECT_TRUE(holds("runtime == \"kernel\""));
    EXPECT_TRUE(holds("runtime != \"dyninst\""));
    EXPECT_TRUE(holds("systemtap_privilege == \"stapdev\""));
    EXPECT_TRUE(holds("guru_mode == 0"));
    EXPECT_FALSE(holds("guru_mode != 0"));
}

TEST(Conditional, KernelConfiguration) {
    EXPECT_TRUE(holds("CONFIG_SMP == \"y\""));
    EXPECT_TRUE(holds("CONFIG_SMP == \"[ym]\""));
    EXPECT_TRUE(holds("CONFIG_NOT_SET == \"\""));
    EXPECT_TRUE(holds("CONFIG_NOT_SET != \"y\""));
    EXPECT_TRUE(holds("CONFIG_HZ == 250"));
    EXPECT_TRUE(holds("CONFIG_HZ < 1000"));
    EXPECT_TRUE(holds("CONFIG_NOT_SET == 0"));
    EXPECT_FALSE(holds("CONFIG_NOT_SET != 0"));
    EXPECT_TRUE(holds("CONFIG_NOT_SET < 1"));
    EXPECT_FALSE(holds("CONFIG_SMP == 0"));
    EXPECT_TRUE(holds("CONFIG_HZ < CONFIG_NR_CPUS"));
    EXPECT_TRUE(holds("CONFIG_NOT_SET != CONFIG_SMP"));
}

TEST(Conditional, LiteralsCompareByTheirKind) {
    EXPECT_TRUE(holds("10 > 9"));
    EXPECT_FALSE(holds("\"10\" > \"9\""));
    EXPECT_TRUE(holds("\"a*\" != \"ab\""));
    EXPECT_TRUE(holds("-1 < 0"));
    EXPECT_TRUE(holds("\"a\" \"b\" == \"ab\""));
}

TEST(Conditional, AndBindsTighterThanOr) {
    EXPECT_TRUE(holds("1 == 1 || 1 == 2 && 1 == 2"));
    EXPECT_FALSE(holds("1 == 2 && 1 == 1 || 1 == 3"));
    EXPECT_TRUE(holds("1 == 2 && 1 == 2 || 1 == 1"));
}

TEST(Conditional, NestsAndDropsTokens) {
    Parsed parsed(
        "probe p { %( 1 == 2 %? a( %( 1 == 1 %? b( %: c( %) %: %( 1 == 1 %? d() %: e( %) %) %( 1 == 2 %? ( %) f() }\n"
        "%( 1 == 2 %? @define m %( 1 %) ` %)");
    EXPECT_EQ(parsed.messages(), "");
    EXPECT_EQ(parsed.printed(), "probe p {\n    d();\n    f();\n}\n");
}

TEST(Macro, WithoutParametersLeavesBrackets) {
    EXPECT_EQ(Parsed("@define f %( g %) probe p { @f(1) }").printed(), "probe p {\n    g(1);\n}\n");
}

TEST(Macro, ArgumentsSplitAtOuterCommas) {
    Parsed parsed("@define f(x, y) %( @x + [@y] in z %) probe p { @f(a(1, 2), b[3, 4]) }");
    EXPECT_EQ(parsed.messages(), "");
    EXPECT_EQ(parsed.printed(), "probe p {\n    (a(1, 2) + ([b[3, 4]] in z));\n}\n");
}

TEST(Macro, ArgumentsMeanWhatTheyMeanAtTheUse) {
    // @x inside the argument of @inner is @outer's, though @inner has an x of its own.
    Parsed parsed(
        "@define inner(x) %( i(@x) %) @define outer(x) %( @inner(@x + 1) %) probe p { @outer(5) @inner(@inner(6)) }");
    EXPECT_EQ(parsed.messages(), "");
    EXPECT_EQ(parsed.printed(), "probe p {\n    i((5 + 1));\n    i(i(6));\n}\n");
}

TEST(Macro, BodyMayHoldConditionals) {
    Parsed parsed("@define f(x) %( %( @x == 1 %? one() %: other() %) %) probe p { @f(1) @f(2) }");
    EXPECT_EQ(parsed.messages(), "");
    EXPECT_EQ(parsed.printed(), "probe p {\n    one();\n    other();\n}\n");
}

TEST(Macro, NoArgumentsForNoParameters) {
    Parsed parsed("@define f() %( g() %) @define h(x) %( k(@x) %) probe p { @f() @h() }");
    EXPECT_EQ(parsed.messages(), "");
    EXPECT_EQ(parsed.printed(), "probe p {\n    g();\n    k();\n}\n");
}

class LibraryMacros : public testing::Test {
  protected:
    void load(const std::string &text) {
        files_.push_back(
            std::make_unique<SourceFile>("lib" + std::to_string(files_.size()) + ".stpm", text, Origin::Tapset));
        ParseOptions options;
        options.privileged = true;
        options.facts = test_facts();
        parse_macros(*files_.back(), options, table, diagnostics);
    }

    MacroTable table;
    Diagnostics diagnostics;

  private:
    std::vector<std::unique_ptr<SourceFile>> files_;
};

TEST_F(LibraryMacros, LocalMacrosShadowThemForUserCodeOnly) {
    load("@define a %( lib_a() %) @define b %( @a %) %( arch == \"x86_64\" %? @define c %( here() %) %)");
    EXPECT_EQ(render_all(diagnostics, true), "");
    Parsed parsed("@define a %( mine() %) probe p { @a @b @c }", false, {}, &table);
    EXPECT_EQ(parsed.messages(), "");
    EXPECT_EQ(parsed.printed(), "probe p {\n    mine();\n    lib_a();\n    here();\n}\n");
}

TEST_F(LibraryMacros, AreLoadedWhenAskedFor) {
    std::vector<std::string> asked;
    table.set_loader([&](const std::string &name) {
        asked.push_back(name);
        if (name == "late") load("@define late %( found() %)");
    });
    Parsed parsed("probe p { @late @late } probe q { @missing } probe r { @missing }", false, {}, &table);
    EXPECT_EQ(parsed.file->probes.size(), 1u);
    EXPECT_EQ(asked, (std::vector<std::string>{"late", "missing"}));
}

TEST_F(LibraryMacros, MacroFileContent) {
    load("@define a %( 1 %)\nprobe p {}\n");
    EXPECT_EQ(render_all(diagnostics, true),
              "parse error: expected '@define'; a macro file holds nothing else\n"
              "         at: keyword 'probe' at lib0.stpm:2:1\n"
              "     source: probe p {}\n"
              "             ^\n\n");
}

TEST_F(LibraryMacros, DuplicatesNameBothPlaces) {
    load("@define a %( 1 %)");
    load("@define a %( 2 %)");
    EXPECT_EQ(render_all(diagnostics, true),
              "parse error: attempt to redefine macro '@a'\n"
              "         at: identifier 'a' at lib1.stpm:1:9\n"
              "     source: @define a %( 2 %)\n"
              "                     ^\n\n"
              "parse error: macro was first defined here\n"
              "         at: identifier 'a' at lib0.stpm:1:9\n"
              "     source: @define a %( 1 %)\n"
              "                     ^\n\n");
}

TEST(MacroExpansion, IsNamedInErrors) {
    EXPECT_EQ(errors("@define f(x) %( @x + ) %)\nprobe p { @f(1) }"),
              "parse error: expected expression\n"
              "        saw: operator ')' at x.stp:1:22\n"
              "     source: @define f(x) %( @x + ) %)\n"
              "                                  ^\n"
              "in expansion of macro: operator '@f' at :2:11\n"
              "     source: probe p { @f(1) }\n"
              "                       ^\n\n");
}

TEST(ScriptArguments, ArePastedAsText) {
    Parsed parsed("probe $1.$2(@3) { y = $4_y = $4 * $# . @# ; z(@4 \"!\") }", false,
                  {"kernel", "function", "vfs_\"read\"", "b"});
    EXPECT_EQ(parsed.messages(), "");
    EXPECT_EQ(
        parsed.printed(),
        "probe kernel.function(\"vfs_\\\"read\\\"\") {\n    (y = (b_y = ((b * 4) . \"4\")));\n    z(\"b!\");\n}\n");
    EXPECT_EQ(parsed.used_args, (std::set<size_t>{1, 2, 3, 4}));
}

TEST(ScriptArguments, MayBeEmptyOrHoldAnyText) {
    Parsed parsed("probe p { f($1) g(@1) $2 } $3", false, {"", "h() /* \" */ # $9", "probe q { i() }"});
    EXPECT_EQ(parsed.messages(),
              "parse error: expected statement\n"
              "        saw: x.stp EOF\n"
              "\n"
              "parse error: '{' was opened here\n"
              "         at: operator '{' at :1:9\n"
              "     source: probe p { f($1) g(@1) $2 } $3\n"
              "                     ^\n"
              "\n");
    Parsed good("probe p { f($1) g(@1) $2\n} $3", false, {"", "h() /* \" */ # $9", "probe q { i() }"});
    EXPECT_EQ(good.messages(), "");
    EXPECT_EQ(good.printed(), "probe p {\n    f();\n    g(\"\");\n    h();\n}\nprobe q {\n    i();\n}\n");
}

TEST(ScriptArguments, BeyondTheLastAreErrorsOnlyWhenUsed) {
    EXPECT_EQ(errors("probe p { %( $# > 1 %? x = $2 %: x = 0 %) }", false, {"a"}), "");
}

TEST(ScriptArguments, ManyAndLong) {
    std::string text = "probe p {";
    for (int i = 0; i < 2000; i++)
        text += " f(@1$2)";
    Parsed parsed(text + " }", false, {std::string(5000, 'x'), ", 1"});
    EXPECT_EQ(parsed.messages(), "");
    EXPECT_EQ(static_cast<const ast::Block &>(*parsed.file->probes.at(0)->body).body.size(), 2000u);
}

// A name at a place that has a literal becomes it, and only there.
TEST(Literal, StandsForANameAtItsPlace) {
    SourceFile source("x.stp", "probe timer.s(n), p(n).f(text) { println(n) }", Origin::UserScript);
    ParseOptions options;
    options.facts = test_facts();
    options.literals[{1, 15}] = {true, -5, ""};
    options.literals[{1, 21}] = {true, 7, ""};
    options.literals[{1, 26}] = {false, 0, "a\"b"};
    Diagnostics diagnostics;
    const auto file = parse(source, options, diagnostics);
    EXPECT_EQ(render_all(diagnostics, true), "");
    EXPECT_EQ(ast::print(*file), "probe timer.s(-5), p(7).f(\"a\\\"b\") {\n    println(n);\n}\n");
}

// So does a number with its sign, and a text.
TEST(Literal, ReplacesALiteral) {
    SourceFile source("x.stp", "global a = -7, b = 8, c = \"d\" probe p { a = b - 7 }", Origin::UserScript);
    ParseOptions options;
    options.facts = test_facts();
    options.literals[{1, 13}] = {true, 5, ""};
    options.literals[{1, 20}] = {true, -6, ""};
    options.literals[{1, 27}] = {false, 0, "e"};
    Diagnostics diagnostics;
    const auto file = parse(source, options, diagnostics);
    EXPECT_EQ(render_all(diagnostics, true), "");
    EXPECT_EQ(ast::print(*file), "global a = 5\nglobal b = -6\nglobal c = \"e\"\nprobe p {\n    (a = (b - 7));\n}\n");
}

// Mistakes in a pasted text are shown in it.
TEST(Pasted, IsAMacroOfItsText) {
    SourceFile source("x.stp", "probe @where { next }", Origin::UserScript);
    const SourceFile good("--where", "begin, timer.s(1)", Origin::CommandLine),
        bad("--where", "a)", Origin::CommandLine);
    ParseOptions options;
    options.facts = test_facts();
    options.pasted["where"] = &good;
    Diagnostics diagnostics;
    EXPECT_EQ(ast::print(*parse(source, options, diagnostics)), "probe begin, timer.s(1) {\n    next;\n}\n");
    EXPECT_FALSE(diagnostics.has_errors());
    options.pasted["where"] = &bad;
    parse(source, options, diagnostics);
    EXPECT_NE(render_all(diagnostics, true).find("at --where:1:2"), std::string::npos) << render_all(diagnostics, true);
}

}  // namespace
}  // namespace tapir::syntax
