// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/quoting.h"

#include <gtest/gtest.h>

namespace tapir {
namespace {

TEST(Text, EscapedBytesReadBack) {
    std::string bytes;
    for (int i = 0; i < 256; i++)
        bytes += static_cast<char>(i);
    bytes += "0123";  // digits after an escape must not join it
    EXPECT_EQ(unescape(escape(bytes)), bytes);
    EXPECT_EQ(quote("a\"\\\n\001"
                    "7\xff"),
              "\"a\\\"\\\\\\n\\0017\\377\"");
}

TEST(Text, UnescapeDropsUnknownBackslashes) {
    EXPECT_EQ(unescape("\\q\\.\\\"\\'"), "q.\"'");
    EXPECT_EQ(unescape("\\x41\\x\\xg"), "Axxg");
    EXPECT_EQ(unescape("\\1018\\08"), "A8" + std::string(1, '\0') + "8");
    EXPECT_EQ(unescape("end\\"), "end\\");
    EXPECT_EQ(unescape("\\x141"), "A");
}

TEST(Text, PrintableKeepsUtf8Only) {
    EXPECT_EQ(printable("h\u00e9 \u65e5\u672c \U0001f600\t"), "h\u00e9 \u65e5\u672c \U0001f600\t");
    EXPECT_EQ(printable("\x1b\x7f\r\n"), "\\x1b\\x7f\\x0d\\x0a");
    EXPECT_EQ(printable("\xc3"), "\\xc3");                    // cut short
    EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // overlong
    EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // surrogate
    EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");           // C1 control
    EXPECT_EQ(printable_width("a\u00e9\xff"), 6u);
}

// As curl(1) says of -K.
TEST(Text, CurlReadsBackWhatIsQuoted) {
    EXPECT_EQ(curl_quoted("plain"), "\"plain\"\n");
    EXPECT_EQ(curl_quoted("a\"b\\c\nd"), "\"a\\\"b\\\\c\\nd\"\n");
}

TEST(Text, FirstLineIsShort) {
    EXPECT_EQ(first_line("abc"), "abc");
    EXPECT_EQ(first_line("abc\ndef"), "abc...");
    EXPECT_EQ(first_line(std::string(100, 'x')), std::string(80, 'x') + "...");
}

TEST(Text, Trim) {
    EXPECT_EQ(trim(" \t\n a b\r\v\f"), "a b");
    EXPECT_EQ(trim("a"), "a");
    EXPECT_EQ(trim(" \n"), "");
    EXPECT_EQ(trim(""), "");
    EXPECT_EQ(trim(" \ta ", " "), "\ta");
}

}  // namespace
}  // namespace tapir
