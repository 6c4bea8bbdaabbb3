// SPDX-License-Identifier: GPL-2.0-or-later
#include "emit/c/c_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace tapir {
namespace {

using emit::constant;
using emit::identifier;

TEST(CText, LiteralsAreSafe) {
    EXPECT_EQ(R"("a\"b\\c\n")", emit::c_string("a\"b\\c\n"));
    EXPECT_EQ(R"("\?\?=")", emit::c_string("?"
                                           "?="));
    EXPECT_EQ(R"("\0001\303\244")", emit::c_string(std::string("\0"
                                                               "1\xc3\xa4",
                                                               4)));
}

TEST(CText, Constants) {
    EXPECT_EQ("5LL", constant(5));
    EXPECT_EQ("(-5LL)", constant(-5));
    EXPECT_EQ("(-9223372036854775807LL - 1)", constant(std::numeric_limits<int64_t>::min()));
}

TEST(CText, Identifiers) {
    EXPECT_EQ("a_b_1", identifier("a$b.1"));
}

TEST(CText, TheUsersCodeKeepsItsPlace) {
    SourceFile file("a \"b\".stp", "probe begin {\n  %{ x;\n y; %} }", Origin::UserScript);
    SourceRef at{&file, 2, 3, TokenKind::EmbeddedCode, "%{ x;\n y; %}"};
    std::string text = "int one;\nvoid f(void)\n{" + emit::placed_code(at, " x;\n y; ", 2) + "}\nint last;\n";
    EXPECT_EQ(emit::with_own_lines(text),
              "int one;\n"
              "void f(void)\n"
              "{\n"
              "#line 2 \"a \\\"b\\\".stp\"\n"
              "     x;\n"
              " y; \n"
              "#line 8 \"script.c\"\n"
              "}\n"
              "int last;\n");
}

TEST(CText, CodeWithoutAPlaceIsLeftAsItIs) {
    EXPECT_EQ(emit::placed_code({}, "x", 2), "x");
    EXPECT_EQ(emit::with_own_lines("a\n\nb"), "a\n\nb");
}

}  // namespace
}  // namespace tapir
