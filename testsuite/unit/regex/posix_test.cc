// SPDX-License-Identifier: GPL-2.0-or-later
// A wide table of expressions and subjects, with the C library's regexec() as the oracle: whether and where each
// matches, and where its groups do.
#include <gtest/gtest.h>
#include <regex.h>

#include "regex/dfa.h"
#include "regex/match_table.h"
#include "run_table.h"

namespace tapir::regex {
namespace {

struct Row {
    const char *pattern;
    std::vector<const char *> subjects;
};

// Groups as (from,to) pairs, (?,?) for one that took no part; "no" when nothing matches.
std::string show(const std::vector<int> &offsets) {
    if (offsets.empty()) return "no";
    std::string text;
    for (size_t i = 0; i < offsets.size(); i += 2) {
        bool set = offsets[i] >= 0 && offsets[i + 1] >= 0;
        text += set ? "(" + std::to_string(offsets[i]) + "," + std::to_string(offsets[i + 1]) + ")" : "(?,?)";
    }
    return text;
}

std::string oracle(const char *pattern, const char *subject) {
    regex_t compiled;
    if (regcomp(&compiled, pattern, REG_EXTENDED) != 0) return "malformed";
    std::vector<regmatch_t> found(compiled.re_nsub + 1);
    std::vector<int> offsets;
    if (regexec(&compiled, subject, found.size(), found.data(), 0) == 0)
        for (const regmatch_t &group : found)
            offsets.insert(offsets.end(), {group.rm_so, group.rm_eo});
    regfree(&compiled);
    return show(offsets);
}

std::string ours(const char *pattern, const char *subject) {
    Table table;
    Error error;
    if (!compile_table(pattern, true, table, error)) return error.message;
    return show(run_table(table, subject));
}

// Patterns that SystemTap reads in another way than POSIX, with the POSIX form.
struct Dialect {
    const char *pattern, *posix;
};

std::string yes_or_no(const char *pattern, const char *subject) {
    Dfa dfa;
    Error error;
    if (!compile(pattern, dfa, error)) return error.message;
    return matches(dfa, subject) ? "yes" : "no";
}

// Compares matches, whole matches and groups.
void check(const std::vector<Row> &rows) {
    size_t compared = 0;
    for (const Row &row : rows) {
        for (const char *subject : row.subjects) {
            const std::string expected = oracle(row.pattern, subject);
            EXPECT_EQ(ours(row.pattern, subject), expected) << row.pattern << " on '" << subject << "'";
            EXPECT_EQ(yes_or_no(row.pattern, subject), expected == "no" ? "no" : "yes")
                << row.pattern << " on '" << subject << "'";
            ++compared;
        }
    }
    EXPECT_GT(compared, rows.size());
}

TEST(RegexPosix, DialectOfSystemTap) {
    const Dialect rows[] = {
        {"[\\[:alpha:]", "[:alph[]"},
        {"[\\d]", "[d]"},
        {"[\\]]", "[]]"},
        {"[\\\\]", "[\\]"},
        {"[a\\-z]", "[az-]"},
        {"[^\\]x]", "[^]x]"},
        {"[\\n]", "[n]"},
        {"[\\a-\\c]", "[a-c]"},
        {"[+-\\-]", "[+,-]"},
        {"abc)", "abc"},
        {")", ""},
        {"a|)", "a|()"},
        {"(a))", "(a)"},
        {"a{256}", "a{256}"},
        {"a{1000}", "a{1000}"},
        {"a{0}", "a{0}"},
        {"[[.a.]]", "[.[a]]"},
        {"[[=a=]]", "[=[a]]"},
        {"[[:alpha:]-z]", "[[:alpha:]-]"},
        {"[a-c-e]", "[abce-]"},
        {"[:alpha:]", "[:alph]"},
        {"[[a]]", "[a[]]"},
        {"\\d", "d"},
        {"\\n", "n"},
        {"\\x41", "x41"},
        {"^^a", "^a"},
        {"a$$", "a$"},
        {"a{2}{3}", "a{6}"},
        {"a**", "a*"},
        {"a+*", "a*"},
        {"]", "[]]"},
        {"a}", "a[}]"},
    };
    const std::string bytes("ab)c1d-[]\\^$:z+,.=|{}nx\n");
    std::vector<std::string> subjects{"", "abc)", std::string(255, 'a'), std::string(1000, 'a'), "aaaaaa"};
    for (const char a : bytes) {
        subjects.emplace_back(1, a);
        for (const char b : bytes)
            subjects.push_back({a, b});
    }
    for (const Dialect &row : rows) {
        SCOPED_TRACE(row.pattern);
        Dfa dfa;
        Error error;
        regex_t compiled;
        ASSERT_TRUE(compile(row.pattern, dfa, error)) << error.message;
        ASSERT_EQ(regcomp(&compiled, row.posix, REG_EXTENDED | REG_NOSUB), 0) << row.posix;
        for (const std::string &subject : subjects)
            EXPECT_EQ(matches(dfa, subject.c_str()), regexec(&compiled, subject.c_str(), 0, nullptr, 0) == 0)
                << subject;
        regfree(&compiled);
    }
}

TEST(RegexPosix, Characters) {
    check({
        {"", {"", "a", "abc"}},
        {"a", {"", "a", "b", "ba", "aaa", "bab"}},
        {"abc", {"abc", "xabcy", "ababc", "xbc", "axc", "abx", "ab", "abcabc"}},
        {".", {"", "a", "\n", "\xff"}},
        {"a.c", {"abc", "axc", "ac", "a\nc", "a.c", "abbc"}},
        {"a..", {"ab", "abc", "aabc"}},
        {"\\.", {".", "a", "a.b"}},
        {"a\\.c", {"a.c", "abc"}},
        {"\\*", {"*", "a", "**"}},
        {"a\\+b", {"a+b", "aab", "ab"}},
        {"\\(a\\)", {"(a)", "a"}},
        {"\\[x\\]", {"[x]", "x"}},
        {"a\\{2\\}", {"a{2}", "aa"}},
        {"\\\\", {"\\", "a"}},
        {"\\^a\\$", {"^a$", "a"}},
        {"a\\|b", {"a|b", "a", "b"}},
        {"\\?", {"?", ""}},
        {"a]b", {"a]b", "ab"}},
        {"a}b", {"a}b", "ab"}},
        {"A", {"a", "A"}},
        {"\xc3\xa9", {"\xc3\xa9", "\xc3", "caf\xc3\xa9"}},
        {" ", {" ", "a b", "ab"}},
        {"\t", {"\t", "a\tb"}},
        {"/usr/(lib|bin)", {"/usr/lib", "/usr/bin/x", "/usr/sbin"}},
        {"1\\.2\\.3", {"1.2.3", "1x2x3"}},
    });
}

TEST(RegexPosix, Brackets) {
    check({
        {"[abc]", {"a", "b", "d", "xxc", ""}},
        {"[^abc]", {"a", "d", "abcd", ""}},
        {"[a-c]", {"a", "b", "c", "d", "-"}},
        {"[^a-c]", {"b", "-", "abcx"}},
        {"[a-cx-z]", {"b", "y", "m"}},
        {"[]a]", {"]", "a", "b"}},
        {"[^]a]", {"]", "a", "b"}},
        {"[]-a]", {"]", "^", "_", "a", "-", "b"}},
        {"[a-]", {"a", "-", "b"}},
        {"[-a]", {"a", "-", "b"}},
        {"[^-a]", {"a", "-", "b"}},
        {"[+--]", {"+", ",", "-", "."}},
        {"[a^]", {"^", "a", "b"}},
        {"[.]", {".", "a"}},
        {"[*+?{}()|$]", {"*", "+", "?", "{", "}", "(", ")", "|", "$", "x"}},
        {"[0-9]+", {"abc123def", "12", "x"}},
        {"[0-9a-fA-F]{2}", {"fF", "0g", "x1Ay"}},
        {"[[:digit:]]", {"5", "a", ""}},
        {"[[:alpha:]]+", {"abc1", "1abc", "123"}},
        {"[[:alnum:]]+", {"-ab12-", "--"}},
        {"[[:upper:]]", {"a", "A"}},
        {"[[:lower:]]", {"a", "A"}},
        {"[[:space:]]+", {"a \t\nb", "ab"}},
        {"[[:blank:]]+", {"a \t\nb", "\n"}},
        {"[[:punct:]]+", {"a,.!b", "ab"}},
        {"[[:print:]]+", {"\x01 ab\x7f", "\x01"}},
        {"[[:graph:]]+", {" ab ", " "}},
        {"[[:cntrl:]]", {"a", "\x1b", "\x7f"}},
        {"[[:xdigit:]]+", {"xyzBeef9", "xyz"}},
        {"[^[:space:]]+", {" ab cd", " \t"}},
        {"[[:digit:]a-c_]+", {"zz1a_", "zz"}},
        {"[^[:digit:][:alpha:]]", {"a1-", "a1"}},
        {"[a-a]", {"a", "b"}},
        {"[ -~]+", {"\x01hello\x7f", "\n"}},
        {"x[^,]*,", {"x1,2,3", "x,", "x"}},
    });
}

TEST(RegexPosix, Repetition) {
    check({
        {"a*", {"", "a", "aaa", "b", "baa"}},
        {"a+", {"", "a", "aaa", "b", "baab"}},
        {"a?", {"", "a", "aa", "b"}},
        {"ab*", {"a", "ab", "abbb", "b", "xabb"}},
        {"ab*c", {"ac", "abc", "abbc", "abb"}},
        {"ab+c", {"ac", "abc", "abbc"}},
        {"ab?c", {"ac", "abc", "abbc"}},
        {"a.*c", {"ac", "abc", "abcbc", "ab"}},
        {"a.+c", {"ac", "abc", "acc"}},
        {".*", {"", "abc"}},
        {".+", {"", "abc"}},
        {"a{0}", {"", "a"}},
        {"a{0}b", {"ab", "b"}},
        {"a{1}", {"", "a", "aa"}},
        {"a{2}", {"a", "aa", "aaaa"}},
        {"a{2,}", {"a", "aa", "aaaaa"}},
        {"a{2,3}", {"a", "aa", "aaa", "aaaa"}},
        {"a{0,2}", {"", "a", "aaa"}},
        {"a{0,}b", {"b", "aab"}},
        {"(ab){2}", {"ab", "abab", "ababab"}},
        {"(ab){1,2}c", {"abc", "ababc", "abababc", "c"}},
        {"[ab]{3}", {"ab", "aba", "cabab"}},
        {".{3}", {"ab", "abc", "abcd"}},
        {"x{3}y{2}", {"xxxyy", "xxyy", "xxxxyyy"}},
        {"(a|b){2,3}", {"a", "ab", "abab", "cba"}},
        {"a{10}", {"aaaaaaaaa", "aaaaaaaaaa"}},
        {"a**", {"", "aa"}},
        {"(a*)+", {"", "aaa", "b"}},
        {"(a+)+b", {"aab", "aaa"}},
        {"a*b*", {"", "aabb", "bbaa", "ba"}},
        {"a+b+", {"ab", "aabb", "a", "b"}},
        {"(a?)b", {"b", "ab", "aab"}},
        {"[0-9]{1,3}(\\.[0-9]{1,3}){3}", {"ip 10.0.0.255 x", "1.2.3", "1234.5.6.7"}},
    });
}

TEST(RegexPosix, Anchors) {
    check({
        {"^", {"", "a"}},
        {"$", {"", "a"}},
        {"^$", {"", "a"}},
        {"^a", {"a", "ba", "ab"}},
        {"a$", {"a", "ba", "ab"}},
        {"^a$", {"a", "aa", ""}},
        {"^abc$", {"abc", "abcd", "xabc"}},
        {"^a|b", {"a", "xb", "xa"}},
        {"a|b$", {"ax", "xb", "bx"}},
        {"^a|b$", {"ax", "xb", "xax"}},
        {"(^a)", {"a", "ba"}},
        {"(a$)", {"a", "ab"}},
        {"(^|/)x", {"x", "/x", "a/x", "ax"}},
        {"x($|/)", {"x", "x/", "x/y", "xy"}},
        {"^^a", {"a", "ba"}},
        {"a$$", {"a", "ab"}},
        {"a\n$", {"a\n", "a"}},
        {"^b", {"a\nb"}},
        {"a$", {"a\nb"}},
        {"(^a|b)c", {"ac", "bc", "xac", "xbc"}},
        {"^.*$", {"", "abc", "a\nb"}},
        {"^[^/]+$", {"abc", "a/b", ""}},
        {"^(a|b)*$", {"", "abba", "abc"}},
    });
}

TEST(RegexPosix, Alternatives) {
    check({
        {"a|b", {"a", "b", "c", "ba"}},
        {"ab|cd", {"ab", "cd", "ad", "xcd"}},
        {"a|ab", {"ab", "a"}},
        {"ab|a", {"ab", "a"}},
        {"a|ab|abc", {"abc", "abd", "xabcd"}},
        {"abc|bcd|cde", {"abcde", "bcde", "cde", "ace"}},
        {"x|xy|xyz*", {"xyzzz", "xy", "x"}},
        {"(a|ab)", {"ab", "a"}},
        {"(foo|foobar)", {"foobar", "foox"}},
        {"a(b|c)d", {"abd", "acd", "ad", "abcd"}},
        {"a(bc|b)c", {"abcc", "abc"}},
        {"(a|b)(c|d)", {"ac", "bd", "ab"}},
        {"a||b", {"", "a", "b"}},
        {"(a|)b", {"b", "ab"}},
        {"(|a)b", {"b", "ab"}},
        {"()", {"", "a"}},
        {"()a", {"a", "b"}},
        {"cat|dog|bird", {"hotdog", "birdcat", "cow"}},
        {"ERROR|WARN(ING)?", {"WARN", "WARNING x", "an ERROR", "ok"}},
        {"(read|write)(v|64)?$", {"vfs_read", "readv", "pwrite64", "reader"}},
    });
}

TEST(RegexPosix, Groups) {
    check({
        {"(a)", {"a", "ba", "b"}},
        {"(a)(b)", {"ab", "xaby"}},
        {"((a))", {"a"}},
        {"(a(b)c)", {"abc"}},
        {"(a(b(c)))d", {"abcd", "abc"}},
        {"(a+)(b+)", {"aabbb", "ab"}},
        {"(a*)(b*)", {"aabb", "bb", "aa", ""}},
        {"(a*)(a*)", {"aaa"}},
        {"(a*)(a+)", {"aaa", "a"}},
        {"(a+)(a*)", {"aaa"}},
        {"(.*)(.*)", {"ab"}},
        {"(.*)b(.*)", {"abab", "b", "xbyb"}},
        {"(a)?b", {"ab", "b"}},
        {"(a)?(b)?", {"ab", "b", ""}},
        {"((a)(b))?c", {"abc", "c"}},
        {"(a)|(b)", {"a", "b"}},
        {"((a)|(b))c", {"ac", "bc"}},
        {"(a|b)*", {"abab", "", "c"}},
        {"(a|b)+", {"abab", "cab"}},
        {"(ab)*", {"abab", "aba", ""}},
        {"(ab)+c", {"ababc"}},
        {"(ab|c)*", {"abcab"}},
        {"([a-z]+)_([0-9]+)", {"see vfs_42!", "a_1", "_1"}},
        {"([^=]+)=(.*)", {"key=value", "a=b=c", "=x"}},
        {"^(/[^/]*)+$", {"/usr/lib/x", "/", "usr"}},
        {"^([^/]*)/(.*)/([^/]*)$", {"a/b/c/d", "/b/", "a/b"}},
        {"([0-9]+)-([0-9]+)?", {"10-20", "10-", "-"}},
        {"(x)(y$)", {"xyxy"}},
        {"(.)(.)(.)(.)(.)(.)(.)(.)(.)", {"123456789", "12345678"}},
        {"(a{2})(a*)", {"aaaaa"}},
        {"([ab]{2})+", {"ababa"}},
        {"(\\()(.*)(\\))", {"f(x, y)"}},
        {"(sys|do)_(open|read)(at)?", {"do_openat", "sys_read", "do_open"}},
        {"([[:alpha:]_][[:alnum:]_]*)\\(([^)]*)\\)", {"call f_1(a, b);", "()"}},
        {"(([0-9]+)\\.)*([0-9]+)", {"1.22.333", "7"}},
    });
}

// Where a group may lie in several places: the choice written first wins, then more repetitions, then the longer one.
TEST(RegexPosix, GroupsThatMayLieInSeveralPlaces) {
    check({
        {"(a|ab)(c|bcd)(d*)", {"abcd", "abc", "acd"}},
        {"(a|ab)(bc|c)?", {"abc", "ab"}},
        {"(ab|a)(bc)?", {"abc", "ab"}},
        {"(a|b|ab)*c", {"abc", "ababc"}},
        {"((a)|b)*", {"ab", "ba", "b"}},
        {"(a?)*b", {"aab", "ab"}},
        {"(a*)*", {"aa", "a"}},
        {"(a+|b)*(b*)", {"aabb", "bb"}},
    });
}

// A round of a repetition that would match nothing is no round: the group took no part. For matched() both are "".
// And the C library overlooks a '^' in the first round of a repetition.
TEST(RegexPosix, WhereTheCLibraryDiffers) {
    struct {
        const char *pattern, *subject, *library, *here;
    } rows[] = {
        {"(a*)*", "b", "(0,0)(0,0)", "(0,0)(?,?)"},
        {"((ac)?)*", "b", "(0,0)(0,0)(?,?)", "(0,0)(?,?)(?,?)"},
        {"(^a|b)+", "aba", "no", "(0,2)(1,2)"},
    };
    for (const auto &row : rows) {
        EXPECT_EQ(oracle(row.pattern, row.subject), row.library) << row.pattern << " on " << row.subject;
        EXPECT_EQ(ours(row.pattern, row.subject), row.here) << row.pattern << " on " << row.subject;
    }
}

TEST(RegexPosix, RunTimeIsOneStepPerByte) {
    // Expressions that make backtracking matchers take exponential time.
    std::string text(500, 'a');
    EXPECT_EQ(ours("(a*)*b", text.c_str()), "no");
    EXPECT_EQ(ours("(a|aa)+$", text.c_str()).substr(0, 7), "(0,500)");
    EXPECT_EQ(yes_or_no("(a+)+(a+)+b", text.c_str()), "no");
}

}  // namespace
}  // namespace tapir::regex
