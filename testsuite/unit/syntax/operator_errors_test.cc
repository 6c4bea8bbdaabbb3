// SPDX-License-Identifier: GPL-2.0-or-later
// The whole text of the diagnostics of pass 1 about operators that begin with @, and about bounds that stap is told of.
#include <gtest/gtest.h>

#include "parse.h"

namespace tapir::syntax {
namespace {

TEST(ParseError, HistogramBuckets) {
    const auto complaint = [](const std::string &parameters) {
        const std::string all = errors("probe p { @hist_linear(s, " + parameters + ")[1] }");
        return all.substr(0, all.find(" source:"));
    };
    const std::string at = "\n         at: number '";
    EXPECT_EQ(errors("probe p { @hist_linear(s, 10, 0, 1)[1] }"),
              "parse error: the high limit 0 is below the low limit 10\n"
              "         at: number '0' at x.stp:1:31\n"
              "     source: probe p { @hist_linear(s, 10, 0, 1)[1] }\n"
              "                                           ^\n"
              "\n");
    EXPECT_EQ(complaint("0, 10, 0"),
              "parse error: the width of buckets must be positive, not 0" + at + "0' at x.stp:1:34\n    ");
    EXPECT_EQ(complaint("0, 1000, 1"),
              "parse error: more than the 128 buckets that a histogram can have; use a width of 8 or more" + at +
                  "1' at x.stp:1:36\n    ");
    // 1000 / 8 + 3 buckets are 128, 1000 / 7 + 3 are 145.
    EXPECT_EQ(complaint("0, 1000, 8"), "");
    EXPECT_NE(complaint("0, 1000, 7"), "");
    EXPECT_EQ(complaint("5, 5, 1"), "");
    EXPECT_NE(complaint("-9223372036854775808, 9223372036854775807, 1"), "");
}

TEST(ParseError, HistogramSteps) {
    const auto complaint = [](const std::string &parameters) {
        const std::string all = errors("probe p { @hist_loglinear(s, " + parameters + ")[1] }");
        return all.substr(0, all.find(" source:"));
    };
    const std::string at = "\n         at: number '";
    EXPECT_EQ(errors("probe p { @hist_loglinear(s, -1, 5, 10)[1] }"),
              "parse error: lowest power of ten out of range (0 to 18)\n"
              "         at: number '1' at x.stp:1:31\n"
              "     source: probe p { @hist_loglinear(s, -1, 5, 10)[1] }\n"
              "                                           ^\n"
              "\n");
    EXPECT_EQ(complaint("19, 19, 10"),
              "parse error: lowest power of ten out of range (0 to 18)" + at + "19' at x.stp:1:30\n    ");
    EXPECT_EQ(complaint("3, 2, 10"),
              "parse error: highest power of ten out of range (3 to 18)" + at + "2' at x.stp:1:33\n    ");
    EXPECT_EQ(
        complaint("0, 5, 15"),
        "parse error: the steps of a power of ten must be a multiple of 10: from 0 to its end, one tenth of them lies "
        "below it" +
            at + "15' at x.stp:1:36\n    ");
    EXPECT_EQ(complaint("0, 5, 30"), "parse error: 30 steps do not divide 10^2 evenly; 10, 20, 50 and 100 always do" +
                                         at + "30' at x.stp:1:36\n    ");
    EXPECT_EQ(complaint("2, 18, 100"),
              "parse error: 1532 buckets are more than the 1024 a histogram can have; use fewer steps" + at +
                  "100' at x.stp:1:37\n    ");
    EXPECT_EQ(complaint("0, 18, 50"), "");
    EXPECT_EQ(complaint("2, 6, 200"), "");
}

TEST(ParseError, HistogramUnit) {
    const std::string taken = "parse error: only print and println take a histogram with a unit\n",
                      help = "help: leave the unit out; buckets count the same without it\n\n";
    EXPECT_EQ(errors("probe p { x = @hist_log(s, \"ns\")[1] }"),
              taken +
                  "         at: string '\"ns\"' at x.stp:1:28\n"
                  "     source: probe p { x = @hist_log(s, \"ns\")[1] }\n"
                  "                                        ^\n"
                  "       " +
                  help);
    EXPECT_EQ(
        errors("probe p { foreach (b in @hist_linear(s, 0, 9, 1, \"\")) x = sprint(@hist_log(s, \"s\")) }"),
        taken +
            "         at: string '\"\"' at x.stp:1:50\n"
            "     source: probe p { foreach (b in @hist_linear(s, 0, 9, 1, \"\")) x = sprint(@hist_log(s, \"s\")) }\n"
            "                                                              ^\n"
            "       " +
            help + taken +
            "         at: string '\"s\"' at :1:79\n"
            "     source: probe p { foreach (b in @hist_linear(s, 0, 9, 1, \"\")) x = sprint(@hist_log(s, \"s\")) }\n"
            "                                                                                           ^\n"
            "       " +
            help);
    const std::string no_unit = "parse error: a unit has at most 16 characters, none of them a control character\n",
                      units =
                          "       help: \"ns\", \"us\", \"ms\", \"s\" and \"bytes\" are scaled; any other text stands "
                          "behind the numbers\n\n";
    EXPECT_EQ(errors("probe p { print(@hist_log(s, \"seventeen letters\")) print(@hist_log(s, \"n\\n\")) }"),
              no_unit +
                  "         at: string '\"seventeen letters\"' at x.stp:1:30\n"
                  "     source: probe p { print(@hist_log(s, \"seventeen letters\")) print(@hist_log(s, \"n\\n\")) }\n"
                  "                                          ^\n" +
                  units + no_unit +
                  "         at: string '\"n\\n\"' at :1:71\n"
                  "     source: probe p { print(@hist_log(s, \"seventeen letters\")) print(@hist_log(s, \"n\\n\")) }\n"
                  "                                                                                   ^\n" +
                  units);
    EXPECT_EQ(errors("probe p { print(@hist_log(s, 5)) }"),
              "parse error: expected string\n"
              "        saw: number '5' at x.stp:1:30\n"
              "     source: probe p { print(@hist_log(s, 5)) }\n"
              "                                          ^\n"
              "\n");
    EXPECT_EQ(errors("probe p { print(@hist_log(s, \"sixteen letters!\")) print(@hist_log(s, \"µµµµµµµµµµµµµµµµ\")) }"),
              "");
    EXPECT_EQ(errors("probe p { print(@hist_log(s, \"us of a request that comes by the network\")) }"), "");
    EXPECT_EQ(errors("probe p { print(@hist_log(s, \"us to connect\")) }"),
              "parse error: 'us to connect' is no unit; what the numbers are of stands behind 'of': 'us of ...'\n"
              "         at: string '\"us to connect\"' at x.stp:1:30\n"
              "     source: probe p { print(@hist_log(s, \"us to connect\")) }\n"
              "                                          ^\n" +
                  units);
    // Without a unit, a blank travels in front of "of".
    const std::string too_long = "parse error: a unit and its subject have at most 255 bytes\n";
    for (const std::string_view unit : {"us ", ""}) {
        const std::string most(255 - (unit.empty() ? 1 : unit.size()) - 3, 'x');
        const auto script = [&](const std::string &subject) {
            return "probe p { print(@hist_log(s, \"" + std::string(unit) + "of " + subject + "\")) }";
        };
        EXPECT_EQ(errors(script(most)), "");
        EXPECT_EQ(errors(script(most + "x")).substr(0, too_long.size()), too_long);
    }
}

TEST(ParseError, OperatorUnprivileged) {
    EXPECT_EQ(errors("probe p { @const(\"X\") @kderef(1, 2) @kregister(3) @uderef(1, 2) @uregister(3) }"),
              "parse error: using @const operator in unprivileged script; need stap -g\n"
              "         at: operator '@const' at x.stp:1:11\n"
              "     source: probe p { @const(\"X\") @kderef(1, 2) @kregister(3) @uderef(1, 2) @uregister(3) }\n"
              "                       ^\n"
              "\n"
              "parse error: using @kderef operator in unprivileged script; need stap -g\n"
              "         at: operator '@kderef' at :1:23\n"
              "     source: probe p { @const(\"X\") @kderef(1, 2) @kregister(3) @uderef(1, 2) @uregister(3) }\n"
              "                                   ^\n"
              "\n"
              "parse error: using @kregister operator in unprivileged script; need stap -g\n"
              "         at: operator '@kregister' at :1:37\n"
              "     source: probe p { @const(\"X\") @kderef(1, 2) @kregister(3) @uderef(1, 2) @uregister(3) }\n"
              "                                                 ^\n"
              "\n");
}

TEST(ParseError, UnknownOperator) {
    EXPECT_EQ(errors("probe p { @cout(x) }\n"
                     "probe q { @nothing_like_it }"),
              "parse error: unknown operator or macro (similar: @count)\n"
              "         at: operator '@cout' at x.stp:1:11\n"
              "     source: probe p { @cout(x) }\n"
              "                       ^\n"
              "\n"
              "parse error: unknown operator or macro\n"
              "         at: operator '@nothing_like_it' at :2:11\n"
              "     source: probe q { @nothing_like_it }\n"
              "                       ^\n"
              "\n");
}

TEST(ParseError, InterpreterText) {
    const std::string rest = ", \"\", \"\", \"\", \"";
    const Parsed right("@interpreter(\"A\"" + rest + "a b\", f)", true);
    EXPECT_EQ(right.messages(), "");
    EXPECT_EQ(right.printed(), "@interpreter(\"A\"" + rest + "a b\", f)\n");
    const auto error = [](const std::string &text) {
        const std::string all = Parsed(text, true).messages();
        return all.substr(0, all.find('\n'));
    };
    EXPECT_EQ(error("@interpreter(\"" + std::string(32, 'x') + "\"" + rest + "a\", f)"),
              "parse error: this text may have 31 bytes at most");
    EXPECT_EQ(error("@interpreter(\"\"" + rest + "a\", f)"), "parse error: an interpreter needs a name");
    EXPECT_EQ(error("@interpreter(\"A\"" + rest + " \", f)"),
              "parse error: this names 1 to 8 variables of the interpreter's file, with spaces between them");
    EXPECT_EQ(error("@interpreter(\"A\"" + rest + "a b c d e f g h i\", f)"),
              "parse error: this names 1 to 8 variables of the interpreter's file, with spaces between them");
    EXPECT_EQ(error("@interpreter(\"A\"" + rest + std::string(48, 'v') + "\", f)"),
              "parse error: the name '" + std::string(48, 'v') + "' is too long");
    const std::string unprivileged = Parsed("@interpreter(\"A\"" + rest + "a\", f)").messages();
    EXPECT_NE(unprivileged.find("using @interpreter in unprivileged script; need stap -g"), std::string::npos);
}

// A build server bounds what scripts may ask for; who may use embedded C has no bound.
TEST(ParseError, SizeAboveABound) {
    const SourceFile source("x.stp", "global a[1000], b%[1001], c[5000000]\n", Origin::UserScript);
    ParseOptions options;
    options.facts = test_facts();
    options.array_size_max = 1000;
    Diagnostics diagnostics;
    parse(source, options, diagnostics);
    EXPECT_EQ(render_all(diagnostics, true),
              "parse error: array size out of range (1 to 1000 without -g)\n"
              "         at: number '1001' at x.stp:1:20\n"
              "     source: global a[1000], b%[1001], c[5000000]\n"
              "                                ^\n"
              "\n"
              "parse error: array size out of range (1 to 1000 without -g)\n"
              "         at: number '5000000' at :1:29\n"
              "     source: global a[1000], b%[1001], c[5000000]\n"
              "                                         ^\n"
              "\n");
    for (bool ParseOptions::*right : {&ParseOptions::guru, &ParseOptions::privileged}) {
        ParseOptions more = options;
        more.*right = true;
        Diagnostics none;
        EXPECT_EQ(parse(source, more, none)->globals.size(), 3u);
        EXPECT_FALSE(none.has_errors());
    }
}

}  // namespace
}  // namespace tapir::syntax
