// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cstring>
#include <random>
#include <string>
#include <vector>

extern "C" {
#include <tapir/context.h>
#include <tapir/text.h>
}

namespace {

constexpr uint32_t kCap = 64;

// A handler that has done nothing yet.
tapir_ctx *context() {
    static tapir_ctx c;
    c.work = 1 << 30;
    return &c;
}

std::string replaced(const char *s, const char *from, const char *to, uint32_t cap = kCap) {
    alignas(8) char buffer[kCap];
    tapir_str_replace(context(), buffer, s, from, to, cap);
    return buffer;
}

std::string escaped(const std::string &s, bool quoted, uint32_t cap = kCap) {
    alignas(8) char buffer[kCap];
    tapir_str_escape(buffer, s.c_str(), cap, quoted);
    EXPECT_LT(std::string(buffer).size(), quoted ? std::max(cap, 6u) : cap);
    return buffer;
}

TEST(Text, BytesAreEscapedWithTheirNuls) {
    alignas(8) char buffer[kCap];
    tapir_bytes_escape(buffer, "a\0b", 3, kCap, 3, true);
    EXPECT_STREQ(buffer, "\"a\\000b\"");
    tapir_bytes_escape(buffer, "a\0", 9, kCap, 2, false);
    EXPECT_STREQ(buffer, "a\\000");
    tapir_bytes_escape(buffer, "a\0", 9, kCap, 2, true);
    EXPECT_STREQ(buffer, "\"a\\000\"...");
    tapir_bytes_escape(buffer, "", 0, kCap, 0, true);
    EXPECT_STREQ(buffer, "\"\"");
}

TEST(Text, FindGivesTheFirstOffset) {
    EXPECT_EQ(tapir_str_find(context(), "abcabc", "ca", kCap), 2);
    EXPECT_EQ(tapir_str_find(context(), "abc", "abcd", kCap), -1);
    EXPECT_EQ(tapir_str_find(context(), "abc", "", kCap), 0);
    EXPECT_EQ(tapir_str_find(context(), "", "", kCap), 0);
    EXPECT_EQ(tapir_str_find(context(), "", "a", kCap), -1);
}

// Words of few letters repeat themselves in all ways. glibc is the oracle.
TEST(Text, FindAndReplaceAgreeWithMemmem) {
    std::mt19937 random(1);
    const auto word = [&](size_t most, int letters) {
        std::string text(random() % (most + 1), 'a');
        for (char &c : text)
            c = static_cast<char>((random() % 8 == 0 ? 0xf0 : 'a') + random() % static_cast<unsigned>(letters));
        return text;
    };
    for (int round = 0; round < 20000; ++round) {
        const int letters = 1 + static_cast<int>(random() % 3);
        const std::string needle = word(12, letters), to = word(3, 2);
        std::string s = word(60, letters);
        if (random() % 2) s.insert(random() % (s.size() + 1), needle + needle);
        s.resize(std::min<size_t>(s.size(), kCap - 1));
        if (needle.empty()) continue;
        const void *found = memmem(s.data(), s.size(), needle.data(), needle.size());
        const s64 expected = found ? static_cast<const char *>(found) - s.data() : -1;
        ASSERT_EQ(tapir_str_find(context(), s.c_str(), needle.c_str(), kCap), expected) << s << " " << needle;
        std::string expected_text;
        for (size_t at = 0; at < s.size();) {
            const void *next = memmem(s.data() + at, s.size() - at, needle.data(), needle.size());
            const size_t end = next ? static_cast<size_t>(static_cast<const char *>(next) - s.data()) : s.size();
            expected_text += s.substr(at, end - at) + (next ? to : "");
            at = next ? end + needle.size() : s.size();
        }
        ASSERT_EQ(replaced(s.c_str(), needle.c_str(), to.c_str()), expected_text.substr(0, kCap - 1))
            << s << " " << needle;
    }
}

TEST(Text, ReplaceChangesEveryOccurrenceAndCuts) {
    EXPECT_EQ(replaced("a-b-c", "-", "+"), "a+b+c");
    EXPECT_EQ(replaced("aaaa", "aa", "b"), "bb");
    EXPECT_EQ(replaced("abc", "", "x"), "abc");
    EXPECT_EQ(replaced("abc", "b", ""), "ac");
    EXPECT_EQ(replaced("aaaa", "a", "xyz", 8), "xyzxyzx");
}

TEST(Text, ToLongReadsEveryBaseAndWraps) {
    EXPECT_EQ(tapir_str_to_long("-42xyz", 10, kCap), -42);
    EXPECT_EQ(tapir_str_to_long("0x1F", 0, kCap), 31);
    EXPECT_EQ(tapir_str_to_long("0x1F", 16, kCap), 31);
    EXPECT_EQ(tapir_str_to_long("0x", 16, kCap), 0);
    EXPECT_EQ(tapir_str_to_long("017", 0, kCap), 15);
    EXPECT_EQ(tapir_str_to_long("z", 36, kCap), 35);
    EXPECT_EQ(tapir_str_to_long("12", 1, kCap), 0);
    EXPECT_EQ(tapir_str_to_long("12", 37, kCap), 0);
    EXPECT_EQ(tapir_str_to_long("9223372036854775807", 10, kCap), LLONG_MAX);
    EXPECT_EQ(tapir_str_to_long("9223372036854775808", 10, kCap), LLONG_MIN);
    EXPECT_EQ(tapir_str_to_long("ffffffff81000000", 16, kCap), -0x7f000000);
    EXPECT_EQ(tapir_str_to_long("-9223372036854775808", 10, kCap), LLONG_MIN);
    EXPECT_EQ(tapir_str_to_long("-18446744073709551617", 10, kCap), -1);
    for (const char *none : {" 5", "\t5", "+5", "--5", "-+5", "- 5", "0x", "x"})
        EXPECT_EQ(tapir_str_to_long(none, 0, kCap), 0) << none;
    EXPECT_EQ(tapir_str_to_long("", 10, kCap), 0);
}

TEST(Text, EscapeWritesCNotation) {
    EXPECT_EQ(escaped("a\tb\n\\\"", false), "a\\tb\\n\\\\\\\"");
    EXPECT_EQ(escaped("a\"", true), "\"a\\\"\"");
    EXPECT_EQ(escaped("\x01\xff", false), "\\001\\377");
    EXPECT_EQ(escaped("\a\b\v\f\r'", false), "\\a\\b\\v\\f\\r'");
}

TEST(Text, EscapeNamesCharactersOfUtf8) {
    EXPECT_EQ(escaped("\u00e4 \u20ac \U0001f600", false), "\\u00E4 \\u20AC \\U0001F600");
    // Cut off, too long, a surrogate, beyond the last, a lone continuation.
    EXPECT_EQ(escaped("\xe2\x82", false), "\\342\\202");
    EXPECT_EQ(escaped("\xc1\x81", false), "\\301\\201");
    EXPECT_EQ(escaped("\xed\xa0\x80", false), "\\355\\240\\200");
    EXPECT_EQ(escaped("\xf4\x90\x80\x80", false), "\\364\\220\\200\\200");
    EXPECT_EQ(escaped("\xf8\x80", false), "\\370\\200");
}

// The values that SystemTap's text_strn() gives.
TEST(Text, EscapeCutsBetweenCharacters) {
    EXPECT_EQ(escaped("abcdef", false, 4), "abc");
    EXPECT_EQ(escaped("ab\tcd", false, 4), "ab");
    EXPECT_EQ(escaped("\001\002\003", false, 7), "\\001");
    EXPECT_EQ(escaped("abcdef", true, 2), "\"\"...");
    EXPECT_EQ(escaped("abcdef", true, 7), "\"a\"...");
    EXPECT_EQ(escaped("abcdef", true, 8), "\"ab\"...");
    EXPECT_EQ(escaped("abc", true, 6), "\"abc\"");
    EXPECT_EQ(escaped("ab\tcd", true, 7), "\"a\"...");
    EXPECT_EQ(escaped("\001\002\003", true, 8), "\"\"...");
    for (uint32_t cap = 1; cap < 24; ++cap)
        for (bool quoted : {false, true})
            escaped(std::string(40, '\n'), quoted, cap);
}

TEST(Text, SpanCountsMembersOrOthers) {
    EXPECT_EQ(tapir_str_span("  ab", " ", kCap, true), 2);
    EXPECT_EQ(tapir_str_span("ab c", " ", kCap, false), 2);
    EXPECT_EQ(tapir_str_span("abc", "", kCap, false), 3);
    EXPECT_EQ(tapir_str_span("", "x", kCap, true), 0);
}

TEST(Text, WideTextBecomesUtf8) {
    const auto read = [](auto text, uint32_t cap) {
        std::vector<char> to(cap);
        const int length = tapir_read_wide_text(to.data(), reinterpret_cast<uint64_t>(text), cap, sizeof(*text), true);
        EXPECT_EQ(strlen(to.data()), static_cast<size_t>(length));
        return std::string(to.data());
    };
    EXPECT_EQ("a\u00fc\u20ac\U0001f600", read(u"a\u00fc\u20ac\U0001f600", 64));
    EXPECT_EQ("a\u00fc\u20ac\U0001f600", read(U"a\u00fc\u20ac\U0001f600", 64));
    const char16_t halves[] = {0xd83d, 'x', 0xde00, 0};
    EXPECT_EQ("\ufffdx\ufffd", read(halves, 64));
    const char32_t wrong[] = {0xd800, 0x110000, 'y', 0};
    EXPECT_EQ("\ufffd\ufffdy", read(wrong, 64));
    EXPECT_EQ("\u20ac", read(u"\u20ac\u20ac", 6));  // whole characters only
    EXPECT_EQ("", read(U"", 8));
    char to[8] = "before";
    EXPECT_EQ(-14, tapir_read_wide_text(to, 16, sizeof to, 2, true));
    EXPECT_STREQ("", to);
}

TEST(Text, WideArraysNeedNoZero) {
    const auto read = [](auto *text, uint32_t units) {
        char to[64];
        EXPECT_GE(tapir_read_wide_units(to, reinterpret_cast<uint64_t>(text), sizeof to, sizeof(*text), units, true),
                  0);
        return std::string(to);
    };
    EXPECT_EQ("ab", read(u"abc", 2));
    EXPECT_EQ("abc", read(u"abc", 9));
    EXPECT_EQ("\ufffd", read(u"\U0001f600", 1));  // half a character
    EXPECT_EQ("\U0001f600", read(U"\U0001f600!", 1));
    EXPECT_EQ("", read(u"abc", 0));
    char one[8];
    tapir_wide_character(one, sizeof one, 0x20ac);
    EXPECT_STREQ(one, "\u20ac");
    tapir_wide_character(one, sizeof one, 0xd800);
    EXPECT_STREQ(one, "\ufffd");
}

}  // namespace
