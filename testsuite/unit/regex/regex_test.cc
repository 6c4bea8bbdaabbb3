// SPDX-License-Identifier: GPL-2.0-or-later
#include "regex/dfa.h"

#include <gtest/gtest.h>
#include <regex.h>

#include <random>

namespace tapir::regex {
namespace {

bool search(const std::string &pattern, const std::string &text) {
    Dfa dfa;
    Error error;
    if (!compile(pattern, dfa, error)) {
        ADD_FAILURE() << pattern << ": " << error.message;
        return false;
    }
    return matches(dfa, text);
}

std::string complaint(const std::string &pattern) {
    Dfa dfa;
    Error error;
    if (compile(pattern, dfa, error)) return "";
    return error.message + " at " + std::to_string(error.offset);
}

TEST(Regex, SearchesAnywhere) {
    EXPECT_TRUE(search("b", "abc"));
    EXPECT_TRUE(search("", ""));
    EXPECT_TRUE(search("a|b|", "zzz"));
    EXPECT_FALSE(search("d", "abc"));
    EXPECT_TRUE(search("abc", "ababc"));
}

TEST(Regex, Anchors) {
    EXPECT_TRUE(search("^a", "abc"));
    EXPECT_FALSE(search("^b", "abc"));
    EXPECT_TRUE(search("c$", "abc"));
    EXPECT_FALSE(search("b$", "abc"));
    EXPECT_TRUE(search("^$", ""));
    EXPECT_FALSE(search("^$", "a"));
    EXPECT_TRUE(search("$^", ""));
    EXPECT_FALSE(search("$^", "a"));
    EXPECT_TRUE(search("^(a|^b)c$", "bc"));
    EXPECT_FALSE(search("a^b", "a^b"));
    EXPECT_TRUE(search("a\\^b", "a^b"));
}

TEST(Regex, Repetition) {
    EXPECT_TRUE(search("^a{2,3}$", "aaa"));
    EXPECT_FALSE(search("^a{2,3}$", "aaaa"));
    EXPECT_FALSE(search("^a{2,3}$", "a"));
    EXPECT_TRUE(search("^a{2,}$", "aaaaa"));
    EXPECT_TRUE(search("^(ab){2}c?$", "ababc"));
    EXPECT_TRUE(search("^a{0}b$", "b"));
    EXPECT_TRUE(search("^(a*)*$", "aaa"));
    EXPECT_TRUE(search("^(a+b?)+$", "aabab"));
}

TEST(Regex, BracketsAndClasses) {
    EXPECT_TRUE(search("^[a-c]+$", "abc"));
    EXPECT_FALSE(search("[^a-c]", "abc"));
    EXPECT_TRUE(search("^[]-]+$", "]-"));
    EXPECT_TRUE(search("^[[:digit:]x]+$", "12x"));
    EXPECT_TRUE(search("^[[:alpha:]_][[:alnum:]_]*$", "vfs_read2"));
    EXPECT_TRUE(search("^[\\\\]$", "\\"));
    EXPECT_TRUE(search("^.$", "\xff"));
}

TEST(Regex, CountsGroups) {
    Dfa dfa;
    Error error;
    ASSERT_TRUE(compile("(a(b)|c)(d)", dfa, error));
    EXPECT_EQ(dfa.groups, 3u);
}

TEST(Regex, SaysWhatIsWrong) {
    EXPECT_EQ(complaint("a[bc"), "unclosed character class at 1");
    EXPECT_EQ(complaint("a[[:digit"), "unclosed character class at 2");
    EXPECT_EQ(complaint("[[:nope:]]"), "unknown character class [:nope:] at 1");
    EXPECT_EQ(complaint("ab)c"), "unbalanced ')' at 2");
    EXPECT_EQ(complaint("[a\\]"), "unclosed character class at 0");
    EXPECT_EQ(complaint("a(b"), "unclosed '(' at 1");
    EXPECT_EQ(complaint("*a"), "nothing before '*' to repeat at 0");
    EXPECT_EQ(complaint("(?:a)"), "nothing before '?' to repeat at 1");
    EXPECT_EQ(complaint("a{x}"), "expected a number after '{' at 1");
    EXPECT_EQ(complaint("a{1"), "unclosed '{' at 1");
    EXPECT_EQ(complaint("a{3,2}"), "repetition counts in the wrong order at 1");
    EXPECT_EQ(complaint("a{1001}"), "repetition count above 1000 at 1");
    EXPECT_EQ(complaint("[z-a]"), "character range in the wrong order at 1");
    EXPECT_EQ(complaint("a\\"), "trailing backslash at 1");
    EXPECT_EQ(complaint("(a)\\1"), "back-references are not supported at 3");
    EXPECT_EQ(complaint(std::string(300, '(')), "groups are nested too deeply at 200");
}

TEST(Regex, SizeIsBounded) {
    EXPECT_EQ(complaint("((((a{255}){255}){255}){255}){255}"), "too large at 0");
    EXPECT_EQ(complaint("(a|b)*a(a|b){20}"), "needs too many states at 0");
}

TEST(Regex, TablesAreSmallest) {
    Dfa dfa;
    Error error;
    ASSERT_TRUE(compile("(aa|ba)|(bb|ab)|(a|b)(a|b)", dfa, error));
    EXPECT_EQ(dfa.states, 4);   // dead, match, start, one letter seen
    EXPECT_EQ(dfa.classes, 3);  // a, b, everything else
}

// Random expressions and texts, compared with the C library's own matcher.
TEST(Regex, AgreesWithTheCLibrary) {
    std::mt19937 random(4711);
    auto pick = [&](const std::string &from) { return from[random() % from.size()]; };
    std::function<std::string(int)> expression = [&](int depth) -> std::string {
        switch (random() % (depth > 0 ? 7 : 2)) {
            case 0:
                return std::string(1, pick("abc"));
            case 1:
                return random() % 3 ? "."
                                    : "[" + std::string(random() % 2 ? "^" : "") + pick("abc") + pick("abc") + "]";
            case 2:
                return "(" + expression(depth - 1) + "|" + expression(depth - 1) + ")";
            case 3:
                return "(" + expression(depth - 1) + ")" + pick("*+?");
            case 4:
                return "(" + expression(depth - 1) + "){" + std::to_string(random() % 3) + "," +
                       std::to_string(2 + random() % 2) + "}";
            default:
                return expression(depth - 1) + expression(depth - 1);
        }
    };
    for (int round = 0; round < 2000; ++round) {
        std::string pattern = (random() % 4 ? "" : "^") + expression(3) + (random() % 4 ? "" : "$");
        regex_t reference;
        ASSERT_EQ(regcomp(&reference, pattern.c_str(), REG_EXTENDED | REG_NOSUB), 0) << pattern;
        Dfa dfa;
        Error error;
        ASSERT_TRUE(compile(pattern, dfa, error)) << pattern << ": " << error.message;
        for (int i = 0; i < 20; ++i) {
            std::string text;
            for (size_t length = random() % 8; text.size() < length;)
                text += pick("abcd");
            EXPECT_EQ(matches(dfa, text), regexec(&reference, text.c_str(), 0, nullptr, 0) == 0)
                << pattern << " on " << text;
        }
        regfree(&reference);
    }
}

}  // namespace
}  // namespace tapir::regex
