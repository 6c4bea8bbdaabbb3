// SPDX-License-Identifier: GPL-2.0-or-later
// Diagnostics of conditionals, macros and script arguments, as errors_test.cc.
#include <gtest/gtest.h>

#include "ast/print.h"
#include "parse.h"

namespace tapir::syntax {
namespace {

TEST(ParseError, BadConditional) {
    EXPECT_EQ(errors("%( kernel_w > \"2.6\" %? probe a {} %)\n"
                     "%( arch < \"x\" %? %)\n"
                     "%( kernel_v == 5 %? %)\n"
                     "%( kernel_v > \"5.*\" %? %)\n"
                     "%( \"a\" == 1 %? %)\n"
                     "%( 1 1 %? %)\n"
                     "%( 1 == 1 2 %? %)\n"
                     "%( == %? %)\n"
                     "%( guru_mode == \"x\" %? %)\n"
                     "%( 1 == 1 && %? %)\n"
                     "%( CONFIG_HZ == guru_mode %? %)\n"
                     "probe p {}"),
              "parse error: expected 'kernel_v', 'kernel_vr', 'arch', 'systemtap_v', 'systemtap_privilege', 'runtime', "
              "'guru_mode', a CONFIG_ option, a string or a number (similar: kernel_v, kernel_vr)\n"
              "         at: identifier 'kernel_w' at x.stp:1:4\n"
              "     source: %( kernel_w > \"2.6\" %? probe a {} %)\n"
              "                ^\n"
              "\n"
              "parse error: expected '==' or '!='\n"
              "         at: operator '<' at :2:9\n"
              "     source: %( arch < \"x\" %? %)\n"
              "                     ^\n"
              "\n"
              "parse error: expected a string to compare a version with\n"
              "         at: number '5' at :3:16\n"
              "     source: %( kernel_v == 5 %? %)\n"
              "                            ^\n"
              "\n"
              "parse error: wildcards can be compared with '==' and '!=' only\n"
              "         at: operator '>' at :4:13\n"
              "     source: %( kernel_v > \"5.*\" %? %)\n"
              "                         ^\n"
              "\n"
              "parse error: expected a string, as on the left side\n"
              "         at: number '1' at :5:11\n"
              "     source: %( \"a\" == 1 %? %)\n"
              "                       ^\n"
              "\n"
              "parse error: expected comparison operator\n"
              "         at: number '1' at :6:6\n"
              "     source: %( 1 1 %? %)\n"
              "                  ^\n"
              "\n"
              "parse error: expected '&&', '||' or '%?'\n"
              "         at: number '2' at :7:11\n"
              "     source: %( 1 == 1 2 %? %)\n"
              "                       ^\n"
              "\n"
              "parse error: expected 'kernel_v', 'kernel_vr', 'arch', 'systemtap_v', 'systemtap_privilege', 'runtime', "
              "'guru_mode', a CONFIG_ option, a string or a number\n"
              "         at: operator '==' at :8:4\n"
              "     source: %( == %? %)\n"
              "                ^\n"
              "\n"
              "parse error: expected 0 or 1\n"
              "         at: string '\"x\"' at :9:17\n"
              "     source: %( guru_mode == \"x\" %? %)\n"
              "                             ^\n"
              "\n"
              "parse error: incomplete condition\n"
              "         at: operator '&&' at :10:11\n"
              "     source: %( 1 == 1 && %? %)\n"
              "                       ^\n"
              "\n"
              "parse error: expected a string, a number or a CONFIG_ option\n"
              "         at: identifier 'guru_mode' at :11:17\n"
              "     source: %( CONFIG_HZ == guru_mode %? %)\n"
              "                             ^\n"
              "\n");
}

TEST(ParseError, BadConditional_2) {
    EXPECT_EQ(errors("%( 1 == 1 probe p {}"),
              "parse error: expected '%?' after the condition\n"
              "        saw: x.stp EOF\n"
              "\n");
}

TEST(ParseError, VersionDependent) {
    SourceFile source("x.stp", "probe p { printf(\"%p %-20p\\n\", 1, 2) }", Origin::UserScript);
    ParseOptions options;
    options.facts = test_facts();
    options.check_version = true;
    Diagnostics diagnostics;
    parse(source, options, diagnostics);
    EXPECT_EQ(render_all(diagnostics, true),
              "WARNING: '%p' prints sixteen digits before version 1.3 of the language (--compatible): identifier "
              "'printf' at x.stp:1:11\n"
              " source: probe p { printf(\"%p %-20p\\n\", 1, 2) }\n"
              "                   ^\n");
}

TEST(ParseError, VersionDependentModules) {
    const std::string text =
        "function f(p) { return @cast(p, \"t\")->x + @cast(p, \"t\", \"m\")->y + @var(\"v\") }\n"
        "probe p { println(@cast(1, \"t\")->x) }";
    SourceFile source("x.stp", text, Origin::UserScript), library("t.stp", text, Origin::Tapset);
    ParseOptions options;
    options.facts = test_facts();
    const auto parsed = [&](const SourceFile &file, const std::string &version) {
        options.facts.systemtap_v = version;
        Diagnostics diagnostics;
        const auto result = parse(file, options, diagnostics);
        EXPECT_EQ(render_all(diagnostics, true), "");
        return ast::print(*result->functions.front()->body) + ast::print(*result->probes.front()->body);
    };
    const std::string now = parsed(source, "4.3");
    EXPECT_EQ(parsed(source, "5.6"), now);
    EXPECT_EQ(parsed(library, "4.2"), now) << "the library is written for this version";
    std::string before = now;
    before.replace(before.find("\"t\")"), 4, "\"t\", \"kernel\")");
    before.replace(before.find("\"v\")"), 4, "\"v\", \"kernel\")");
    EXPECT_EQ(parsed(source, "4.2"), before);
    EXPECT_EQ(parsed(source, "1.8"), before);

    options.check_version = true;
    options.facts.systemtap_v = "5.6";
    Diagnostics diagnostics;
    parse(source, options, diagnostics);
    EXPECT_EQ(render_all(diagnostics, true),
              "WARNING: without a module this is the kernel's in functions, before version 4.3 of the language "
              "(--compatible): operator '@cast' at x.stp:1:24\n"
              " source: function f(p) { return @cast(p, \"t\")->x + @cast(p, \"t\", \"m\")->y + @var(\"v\") }\n"
              "                                ^\n"
              "WARNING: without a module this is the kernel's in functions, before version 4.3 of the language "
              "(--compatible): operator '@var' at :1:67\n"
              " source: function f(p) { return @cast(p, \"t\")->x + @cast(p, \"t\", \"m\")->y + @var(\"v\") }\n"
              "                                                                           ^\n");
}

TEST(ParseError, ConditionalUnbalanced) {
    EXPECT_EQ(errors("probe p { %( 1 == 1 %? a() }"),
              "parse error: could not find the '%)' that ends the conditional\n"
              "         at: operator '%(' at x.stp:1:11\n"
              "     source: probe p { %( 1 == 1 %? a() }\n"
              "                       ^\n"
              "\n");
}

TEST(ParseError, ConditionalUnbalanced_2) {
    EXPECT_EQ(errors("%) probe p { %( 1 == 1 %? a() %: b() %: c() %) %( 1 == 1 %? a() %? b() %) } %:"),
              "parse error: unexpected '%)'\n"
              "         at: operator '%)' at x.stp:1:1\n"
              "     source: %) probe p { %( 1 == 1 %? a() %: b() %: c() %) %( 1 == 1 %? a() %? b() %) } %:\n"
              "             ^\n"
              "\n"
              "parse error: unexpected '%:'\n"
              "         at: operator '%:' at :1:38\n"
              "     source: %) probe p { %( 1 == 1 %? a() %: b() %: c() %) %( 1 == 1 %? a() %? b() %) } %:\n"
              "                                                  ^\n"
              "\n"
              "parse error: unexpected '%?'; '%:' begins what is read otherwise\n"
              "         at: operator '%?' at :1:65\n"
              "     source: %) probe p { %( 1 == 1 %? a() %: b() %: c() %) %( 1 == 1 %? a() %? b() %) } %:\n"
              "                                                                             ^\n"
              "\n"
              "parse error: unexpected '%:'\n"
              "         at: operator '%:' at :1:77\n"
              "     source: %) probe p { %( 1 == 1 %? a() %: b() %: c() %) %( 1 == 1 %? a() %? b() %) } %:\n"
              "                                                                                         ^\n"
              "\n");
}

TEST(ParseError, ConditionalUnbalanced_3) {
    EXPECT_EQ(errors("probe p { %( 1 == 2 %? a() }"),
              "parse error: could not find the '%)' that ends the conditional\n"
              "         at: operator '%(' at x.stp:1:11\n"
              "     source: probe p { %( 1 == 2 %? a() }\n"
              "                       ^\n"
              "\n");
}

// Whichever side is dropped.
TEST(ParseError, ConditionalUnbalanced_4) {
    EXPECT_EQ(errors("%( 1 == 2 %? a %? probe p { } %)\n"
                     "%( 1 == 1 %? probe p { } %: b %? c %)"),
              "parse error: unexpected '%?'; '%:' begins what is read otherwise\n"
              "         at: operator '%?' at x.stp:1:16\n"
              "     source: %( 1 == 2 %? a %? probe p { } %)\n"
              "                            ^\n"
              "\n"
              "parse error: unexpected '%?'; '%:' begins what is read otherwise\n"
              "         at: operator '%?' at :2:31\n"
              "     source: %( 1 == 1 %? probe p { } %: b %? c %)\n"
              "                                           ^\n"
              "\n");
}

TEST(ParseError, ExpansionLimit) {
    EXPECT_EQ(errors("@define a %( @b @b @b @b @b @b @b @b @b @b %)\n"
                     "@define b %( @c @c @c @c @c @c @c @c @c @c %)\n"
                     "@define c %( @d @d @d @d @d @d @d @d @d @d %)\n"
                     "@define d %( @e @e @e @e @e @e @e @e @e @e %)\n"
                     "@define e %( @f @f @f @f @f @f @f @f @f @f %)\n"
                     "@define f %( @g @g @g @g @g @g @g @g @g @g %)\n"
                     "@define g %( ; %)\n"
                     "probe p { @a }"),
              "parse error: macros expand to more than 250000 tokens\n"
              "         at: operator '@f' at x.stp:5:20\n"
              "     source: @define e %( @f @f @f @f @f @f @f @f @f @f %)\n"
              "                                ^\n"
              "in expansion of macro: operator '@e' at :4:26\n"
              "     source: @define d %( @e @e @e @e @e @e @e @e @e @e %)\n"
              "                                      ^\n"
              "in expansion of macro: operator '@d' at :3:38\n"
              "     source: @define c %( @d @d @d @d @d @d @d @d @d @d %)\n"
              "                                                  ^\n"
              "in expansion of macro: operator '@c' at :2:17\n"
              "     source: @define b %( @c @c @c @c @c @c @c @c @c @c %)\n"
              "                             ^\n"
              "in expansion of macro: operator '@b' at :1:17\n"
              "     source: @define a %( @b @b @b @b @b @b @b @b @b @b %)\n"
              "                             ^\n"
              "in expansion of macro: operator '@a' at :8:11\n"
              "     source: probe p { @a }\n"
              "                       ^\n"
              "\n");
}

TEST(ParseError, InputEmpty) {
    EXPECT_EQ(errors(""), "Input file 'x.stp' is empty.\n");
}

TEST(ParseError, InputEmptyAfterPreprocessing) {
    EXPECT_EQ(errors("# nothing\n"
                     "%( 1 == 2 %? probe p {} %)"),
              "Input file 'x.stp' is empty after preprocessing.\n");
}

TEST(ParseError, MacroArguments) {
    EXPECT_EQ(errors("@define m(a, b) %( @a + @b %)\n"
                     "probe a { @m(1) }\n"
                     "probe b { @m(1, 2, 3) }\n"
                     "probe c { @m + 1 }\n"
                     "probe d { @m(f(1, 2), x[3, 4]) }\n"
                     "probe e { @m(1, 2 }"),
              "parse error: macro '@m' needs 2 arguments, not 1\n"
              "         at: operator '@m' at x.stp:2:11\n"
              "     source: probe a { @m(1) }\n"
              "                       ^\n"
              "\n"
              "parse error: macro '@m' needs 2 arguments, not 3\n"
              "         at: operator '@m' at :3:11\n"
              "     source: probe b { @m(1, 2, 3) }\n"
              "                       ^\n"
              "\n"
              "parse error: expected '(' after the name of macro '@m'\n"
              "         at: operator '@m' at :4:11\n"
              "     source: probe c { @m + 1 }\n"
              "                       ^\n"
              "\n"
              "parse error: could not find the ')' that ends the arguments of macro '@m'\n"
              "         at: operator '@m' at :6:11\n"
              "     source: probe e { @m(1, 2 }\n"
              "                       ^\n"
              "\n");
}

TEST(ParseError, MacroDefinition) {
    EXPECT_EQ(errors("@define 5 %( %)\n"
                     "@define a x\n"
                     "@define b(1) %( %)\n"
                     "@define c(a b) %( %)\n"
                     "@define d %( @define e %( %) %)\n"
                     "probe p { } @define f %( "),
              "parse error: expected a name in @define\n"
              "         at: number '5' at x.stp:1:9\n"
              "     source: @define 5 %( %)\n"
              "                     ^\n"
              "\n"
              "parse error: expected '%(' in @define\n"
              "         at: identifier 'x' at :2:11\n"
              "     source: @define a x\n"
              "                       ^\n"
              "\n"
              "parse error: expected a parameter's name in @define\n"
              "         at: number '1' at :3:11\n"
              "     source: @define b(1) %( %)\n"
              "                       ^\n"
              "\n"
              "parse error: expected ',' or ')' in @define\n"
              "         at: identifier 'b' at :4:13\n"
              "     source: @define c(a b) %( %)\n"
              "                         ^\n"
              "\n"
              "parse error: a macro may not define macros\n"
              "         at: operator '@define' at :5:14\n"
              "     source: @define d %( @define e %( %) %)\n"
              "                          ^\n"
              "\n"
              "parse error: could not find the '%)' that ends the macro\n"
              "         at: operator '%(' at :6:23\n"
              "     source: probe p { } @define f %( \n"
              "                                   ^\n"
              "\n");
}

TEST(ParseError, MacroDuplicate) {
    EXPECT_EQ(errors("@define m %( 1 %)\n"
                     "@define m(x) %( 2 %)\n"
                     "probe p { a = @m }"),
              "parse error: attempt to redefine macro '@m'\n"
              "         at: identifier 'm' at x.stp:2:9\n"
              "     source: @define m(x) %( 2 %)\n"
              "                     ^\n"
              "\n"
              "parse error: macro was first defined here\n"
              "         at: identifier 'm' at :1:9\n"
              "     source: @define m %( 1 %)\n"
              "                     ^\n"
              "\n");
}

TEST(ParseError, MacroRecursion) {
    EXPECT_EQ(errors("@define a %( @b %)\n"
                     "@define b %( @a %)\n"
                     "probe p { x = @a }"),
              "parse error: recursive use of macro '@a'\n"
              "         at: operator '@a' at x.stp:2:14\n"
              "     source: @define b %( @a %)\n"
              "                          ^\n"
              "in expansion of macro: operator '@b' at :1:14\n"
              "     source: @define a %( @b %)\n"
              "                          ^\n"
              "in expansion of macro: operator '@a' at :3:15\n"
              "     source: probe p { x = @a }\n"
              "                           ^\n"
              "\n");
}

TEST(ParseError, NestedArgument) {
    EXPECT_EQ(errors("probe p { $1 }", false, {"x = $2", "y"}),
              "parse error: script arguments may not mention script arguments\n"
              "         at: junk '$2' at x.stp:1:11\n"
              "     source: probe p { $1 }\n"
              "                       ^\n"
              "\n");
}

TEST(ParseError, ScriptArgumentMissing) {
    EXPECT_EQ(errors("probe p { x = $3 . @9 }\n"
                     "probe q { y = $0 + $99999 }\n"
                     "probe r { %( $# > 5 %? z = $6 %) }",
                     false, {"a", "b"}),
              "parse error: command line argument out of range [1-2]\n"
              "         at: junk '$3' at x.stp:1:15\n"
              "     source: probe p { x = $3 . @9 }\n"
              "                           ^\n"
              "       help: give it behind the script, as in 'stap SCRIPT ARGUMENT', or make it optional: %( $# >= 1 "
              "%? $1 %: 0 %)\n"
              "\n"
              "parse error: command line argument out of range [1-2]\n"
              "         at: junk '$0' at :2:15\n"
              "     source: probe q { y = $0 + $99999 }\n"
              "                           ^\n"
              "       help: give it behind the script, as in 'stap SCRIPT ARGUMENT', or make it optional: %( $# >= 1 "
              "%? $1 %: 0 %)\n"
              "\n");
}

TEST(ParseError, ScriptArgumentMissing_2) {
    EXPECT_EQ(errors("probe p { x = $1 }"),
              "parse error: command line argument out of range: the script was given none\n"
              "         at: junk '$1' at x.stp:1:15\n"
              "     source: probe p { x = $1 }\n"
              "                           ^\n"
              "       help: give it behind the script, as in 'stap SCRIPT ARGUMENT', or make it optional: %( $# >= 1 "
              "%? $1 %: 0 %)\n"
              "\n");
}

}  // namespace
}  // namespace tapir::syntax
