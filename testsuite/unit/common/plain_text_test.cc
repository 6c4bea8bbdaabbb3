// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/plain_text.h"

#include <gtest/gtest.h>

#include "common/command_text.h"
#include "common/json.h"
#include "common/quoting.h"

namespace tapir {
namespace {

TEST(PlainText, Numbers) {
    int64_t value = 0;
    EXPECT_TRUE(parse_long("-0x10", value));
    EXPECT_EQ(-16, value);
    EXPECT_TRUE(parse_long("010", value));
    EXPECT_EQ(8, value);
    EXPECT_TRUE(parse_long("-9223372036854775808", value));
    for (const char *bad : {"", "-", " 1", "1 ", "9223372036854775808", "0x", "1a", "--1"})
        EXPECT_FALSE(parse_long(bad, value)) << bad;
    uint64_t number = 0;
    EXPECT_TRUE(parse_unsigned("18446744073709551615", number));
    for (const char *bad : {"", "-1", "+1", "18446744073709551616", " 1"})
        EXPECT_FALSE(parse_unsigned(bad, number)) << bad;
}

TEST(Json, Strings) {
    EXPECT_EQ(R"("a\"\\\u000a\u0009\u007f\u00ff")", json_string("a\"\\\n\t\x7f\xff"));
    EXPECT_EQ("\"\xc3\xa4 \xe2\x82\xac\"", json_string("\xc3\xa4 \xe2\x82\xac"));
    // A mark that would reorder what a terminal shows.
    EXPECT_EQ(R"("\u00e2\u0080\u00ae")", json_string("\xe2\x80\xae"));
}

TEST(Json, BytesOfLatin1) {
    EXPECT_EQ("a\xff\x80\xc3", bytes_of_latin1("a\xc3\xbf\xc2\x80\xc3\x83"));
    EXPECT_EQ("", bytes_of_latin1(""));
    // Not whole: as it is.
    EXPECT_EQ("a\xc3", bytes_of_latin1("a\xc3"));
}

TEST(CommandText, IsAsOneTypesIt) {
    EXPECT_EQ("stap -o x.html -c './orders 60' '--own=*.lua' s.stp",
              command_text("/usr/bin/stap", {"-o", "x.html", "-c", "./orders 60", "--own=*.lua", "s.stp"}));
    EXPECT_EQ("stap -e 'it'\\''s' ''", command_text("stap", {"-e", "it's", ""}));
}

TEST(ShellQuoted, WhateverItContains) {
    EXPECT_EQ("''", shell_quoted(""));
    EXPECT_EQ("'a b$c'", shell_quoted("a b$c"));
    EXPECT_EQ(R"('it'\''s')", shell_quoted("it's"));
    EXPECT_EQ("'a\nb'", shell_quoted("a\nb"));
    EXPECT_EQ(R"('a'"$n"'b')", shell_quoted("a\nb", R"('"$n"')"));
}

}  // namespace
}  // namespace tapir
