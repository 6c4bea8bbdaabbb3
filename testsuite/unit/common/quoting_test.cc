// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/quoting.h"

#include <gtest/gtest.h>

#include "base/source.h"

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

TEST(Text, FirstLineIsShort) {
    EXPECT_EQ(first_line("abc"), "abc");
    EXPECT_EQ(first_line("abc\ndef"), "abc...");
    EXPECT_EQ(first_line(std::string(100, 'x')), std::string(80, 'x') + "...");
}

TEST(Source, LinesAndPlaces) {
    SourceFile file("f", "one\r\ntwo\n\nfour", Origin::UserScript);
    EXPECT_EQ(file.line(1), "one");
    EXPECT_EQ(file.line(2), "two");
    EXPECT_EQ(file.line(3), "");
    EXPECT_EQ(file.line(4), "four");
    EXPECT_EQ(file.line(5), "");
    EXPECT_EQ(file.line(0), "");
    uint32_t line, column;
    file.locate(5, line, column);
    EXPECT_EQ(line, 2u);
    EXPECT_EQ(column, 1u);
    file.locate(14, line, column);
    EXPECT_EQ(line, 4u);
    EXPECT_EQ(column, 5u);
}

TEST(Text, Trim) {
    EXPECT_EQ(trim(" \t\n a b\r\v\f"), "a b");
    EXPECT_EQ(trim("a"), "a");
    EXPECT_EQ(trim(" \n"), "");
    EXPECT_EQ(trim(""), "");
    EXPECT_EQ(trim(" \ta ", " "), "\ta");
}

TEST(Source, ReferencesDescribeThemselves) {
    SourceFile file("f.stp", "exit()", Origin::UserScript);
    SourceRef ref{&file, 1, 1, TokenKind::Identifier, file.text().substr(0, 4), nullptr};
    EXPECT_EQ(ref.where(), "f.stp:1:1");
    EXPECT_EQ(ref.describe(), "identifier 'exit' at f.stp:1:1");
    EXPECT_EQ(SourceRef().describe(), "");
    EXPECT_FALSE(SourceRef());
}

}  // namespace
}  // namespace tapir
