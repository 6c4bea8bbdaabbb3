// SPDX-License-Identifier: GPL-2.0-or-later
#include "optimize/optimize.h"

#include "typed_program.h"

namespace tapir {
namespace {

// The handler's body after optimization; diagnostics into `messages`.
std::string optimized(const std::string &script, std::string *messages = nullptr,
                      const optimize::OptimizeOptions &options = {}) {
    test::TypedProgram t(script);
    optimize::run(*t.program, options, t.diagnostics);
    if (messages) *messages = render_all(t.diagnostics, false);
    return t.body();
}

// Both sides printed by the same printer: what `script` is after optimization, and what it should be.
void expect_same(const std::string &script, const std::string &expected) {
    EXPECT_EQ(test::TypedProgram(expected).body(), optimized(script)) << script;
}

TEST(Optimize, FoldsNumbers) {
    expect_same("probe begin { println(1 + 2 * 3 - 8 / 3 % 2) }", "probe begin { println(7) }");
    expect_same("probe begin { println(9223372036854775807 + 1 == -9223372036854775807 - 1) }",
                "probe begin { println(1) }");
    expect_same("probe begin { println((-9223372036854775807 - 1) / -1 < 0, 5 % -1) }",
                "probe begin { println(1, 0) }");
    expect_same("probe begin { println(1 << 65, ~0 >>> 63, !3, +2) }", "probe begin { println(2, 1, 0, 2) }");
}

TEST(Optimize, KeepsDivisionByZero) {
    expect_same("probe begin { println(1 / (2 - 2)) }", "probe begin { println(1 / 0) }");
}

TEST(Optimize, FoldsStrings) {
    expect_same("probe begin { println(\"a\" . \"b\" . \"c\", \"a\" < \"b\", \"\\200\" > \"a\") }",
                "probe begin { println(\"abc\", 1, 1) }");
}

TEST(Optimize, DoesNotFoldStringsThatWouldBeCut) {
    std::string script = "probe begin { println(\"0123456789\" . \"0123456789\") }";
    EXPECT_EQ(test::TypedProgram(script).body(),
              optimized(script, nullptr, {.unoptimized = false, .string_capacity = 16}));
}

TEST(Optimize, DecidesBranches) {
    expect_same("probe begin { if (0) println(1) else println(2) }", "probe begin { println(2) }");
    expect_same("probe begin { if (1 && 0) println(1) }", "probe begin { ; }");
    expect_same("probe begin { while (0) println(1) println(0 ? 1 : 2) }", "probe begin { ; println(2) }");
    expect_same("global x probe begin { for (x = 3; 0; x++) println(1) println(x) }",
                "global x probe begin { x = 3 println(x) }");
}

TEST(Optimize, ShortCircuitKeepsSideEffects) {
    std::string script = "global x probe begin { println(x++ && 0) }";
    EXPECT_EQ(test::TypedProgram(script).body(), optimized(script));
}

TEST(Optimize, ElidedExpression) {
    std::string messages;
    optimized("global x probe begin { x = 1; x + 2; println(x) }", &messages);
    EXPECT_EQ(
        "WARNING: Eliding side-effect-free expression: operator '+' at test.stp:1:33\n"
        " source: global x probe begin { x = 1; x + 2; println(x) }\n"
        "                                         ^\n",
        messages);
}

TEST(Optimize, ElidedAssignment) {
    std::string messages;
    expect_same("global g function f() { g++ return 1 } probe begin { x = f() y = 2 y++ }",
                "global g function f() { g++ return 1 } probe begin { f() ; ; }");
    optimized("global g probe begin { x = g++ }", &messages);
    EXPECT_EQ(
        "WARNING: Eliding assignment to 'x': operator '=' at test.stp:1:26\n"
        " source: global g probe begin { x = g++ }\n"
        "                                  ^\n",
        messages);
}

TEST(Optimize, UnoptimizedChangesNothing) {
    std::string script = "probe begin { x = 1 + 2; if (0) println(x) }", messages;
    EXPECT_EQ(test::TypedProgram(script).body(), optimized(script, &messages, {.unoptimized = true}));
    EXPECT_EQ("", messages);
}

}  // namespace
}  // namespace tapir
