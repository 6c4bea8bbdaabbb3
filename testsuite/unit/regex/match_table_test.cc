// SPDX-License-Identifier: GPL-2.0-or-later
#include "regex/match_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex.h>

#include <functional>
#include <random>

#include "run_table.h"

namespace tapir::regex {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Table make(const std::string &pattern, bool groups = true) {
    Table table;
    Error error;
    EXPECT_TRUE(compile_table(pattern, groups, table, error)) << pattern << ": " << error.message;
    return table;
}

// The texts of all groups of the match, "-" for one that took no part; empty when nothing matches.
std::vector<std::string> groups(const std::string &pattern, const std::string &text) {
    const std::vector<int> offsets = run_table(make(pattern), text);
    std::vector<std::string> result;
    for (size_t i = 0; i < offsets.size(); i += 2) {
        bool set = offsets[i] != kUnset && offsets[i + 1] != kUnset;
        result.push_back(
            set ? text.substr(static_cast<size_t>(offsets[i]), static_cast<size_t>(offsets[i + 1] - offsets[i])) : "-");
    }
    return result;
}

TEST(RegexTable, TheMatchIsTheLeftmostAndThenTheLongest) {
    EXPECT_THAT(groups("b+", "abbbabbbbb"), ElementsAre("bbb"));
    EXPECT_THAT(groups("a|ab|abc", "xabcd"), ElementsAre("abc"));
    EXPECT_THAT(groups("xyz|yz*", "xyzzz"), ElementsAre("xyz"));
    EXPECT_THAT(groups("abcde|bc", "abcdx"), ElementsAre("bc"));
    EXPECT_THAT(groups("", "abc"), ElementsAre(""));
    EXPECT_THAT(groups("x*", "aaa"), ElementsAre(""));
    EXPECT_THAT(groups("q", "abc"), IsEmpty());
}

TEST(RegexTable, GroupsAreToldApart) {
    EXPECT_THAT(groups("(a+)(b+)", "xaabbb"), ElementsAre("aabbb", "aa", "bbb"));
    EXPECT_THAT(groups("([a-z]+)_([0-9]+)", "see vfs_42!"), ElementsAre("vfs_42", "vfs", "42"));
    EXPECT_THAT(groups("(a)|(b)", "b"), ElementsAre("b", "-", "b"));
    EXPECT_THAT(groups("((a)(b))?c", "c"), ElementsAre("c", "-", "-", "-"));
    EXPECT_THAT(groups("(a(b(c)))d", "abcd"), ElementsAre("abcd", "abc", "bc", "c"));
    EXPECT_THAT(groups("(a*)(a*)", "aaa"), ElementsAre("aaa", "aaa", ""));
    EXPECT_THAT(groups("(ab|c)*", "abcab"), ElementsAre("abcab", "ab"));
    EXPECT_THAT(groups("^(/[^/]*)+$", "/usr/lib/x"), ElementsAre("/usr/lib/x", "/x"));
    EXPECT_THAT(groups("(.)(.)(.)(.)(.)(.)(.)(.)(.)", "123456789"),
                ElementsAre("123456789", "1", "2", "3", "4", "5", "6", "7", "8", "9"));
    EXPECT_THAT(groups("(x)(y$)", "xyxy"), ElementsAre("xy", "x", "y"));
    EXPECT_THAT(groups("(^a|b)+", "aba"), ElementsAre("ab", "b"));
}

TEST(RegexTable, GroupsBeyondTheRuntimesAreRefused) {
    Table table;
    Error error;
    EXPECT_FALSE(compile_table("(a)(a)(a)(a)(a)(a)(a)(a)(a)(a)", true, table, error));
    EXPECT_EQ(error.message, "matched() can tell at most 9 groups apart");
    EXPECT_TRUE(compile_table("(a)(a)(a)(a)(a)(a)(a)(a)(a)(a)", false, table, error));
    EXPECT_FALSE(compile_table("a(", true, table, error));
    EXPECT_EQ(error.message, "unclosed '('");
}

TEST(RegexTable, TablesAreConsistent) {
    for (bool with : {false, true}) {
        const Table table = make("^(a|b[0-9]*)+(c?)$|x", with);
        EXPECT_EQ(table.next.size(), static_cast<size_t>(table.states) * table.classes);
        EXPECT_EQ(table.accept.size(), table.states);
        EXPECT_EQ(table.accept_end.size(), table.states);
        for (uint16_t target : table.next)
            EXPECT_LT(target, table.states);
        for (size_t c = 0; c < table.classes; ++c)
            EXPECT_EQ(table.next[c], Table::kDead);
        EXPECT_EQ(table.accept[Table::kDead], Table::kNo);
        EXPECT_EQ(table.accept_end[Table::kDead], Table::kNo);
        EXPECT_EQ(table.edge_ops.size(), with ? table.next.size() : 0);
    }
}

// Random expressions and texts: the whole match is the C library's.
TEST(RegexTable, WholeMatchesAreThoseOfTheCLibrary) {
    std::mt19937 random(815);
    auto pick = [&](const std::string &from) { return from[random() % from.size()]; };
    std::function<std::string(int)> expression = [&](int depth) -> std::string {
        switch (random() % (depth > 0 ? 6 : 2)) {
            case 0:
                return std::string(1, pick("abc"));
            case 1:
                return random() % 3 ? "." : "[^" + std::string(1, pick("abc")) + "]";
            case 2:
                return "(" + expression(depth - 1) + "|" + expression(depth - 1) + ")";
            case 3:
                return "(" + expression(depth - 1) + ")" + pick("*+?");
            default:
                return expression(depth - 1) + expression(depth - 1);
        }
    };
    int compiled = 0;
    for (int round = 0; round < 1500; ++round) {
        std::string pattern = (random() % 4 ? "" : "^") + expression(3) + (random() % 4 ? "" : "$");
        Table table, plain;
        Error error;
        if (!compile_table(pattern, true, table, error)) continue;
        ++compiled;
        ASSERT_TRUE(compile_table(pattern, false, plain, error));
        regex_t reference;
        ASSERT_EQ(regcomp(&reference, pattern.c_str(), REG_EXTENDED), 0) << pattern;
        for (int i = 0; i < 20; ++i) {
            std::string text;
            for (size_t length = random() % 9; text.size() < length;)
                text += pick("abcd");
            regmatch_t whole;
            const bool expected = regexec(&reference, text.c_str(), 1, &whole, 0) == 0;
            const std::vector<int> found = run_table(table, text);
            ASSERT_EQ(!found.empty(), expected) << pattern << " on " << text;
            EXPECT_EQ(!run_table(plain, text).empty(), expected) << pattern << " on " << text;
            if (!expected) continue;
            EXPECT_EQ(found[0], whole.rm_so) << pattern << " on " << text;
            EXPECT_EQ(found[1], whole.rm_eo) << pattern << " on " << text;
        }
        regfree(&reference);
    }
    EXPECT_GT(compiled, 1000);
}

}  // namespace
}  // namespace tapir::regex
