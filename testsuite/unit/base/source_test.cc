// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/source.h"

#include <gtest/gtest.h>

namespace tapir {
namespace {

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

// Editors of other systems write one.
TEST(Source, AByteOrderMarkIsNoText) {
    const SourceFile file("f", "\xef\xbb\xbfprobe begin {}\n\xef\xbb\xbf", Origin::UserScript);
    EXPECT_EQ(file.text(), "probe begin {}\n\xef\xbb\xbf");
    uint32_t line = 0, column = 0;
    file.locate(file.text().find("begin"), line, column);
    EXPECT_EQ(line, 1u);
    EXPECT_EQ(column, 7u);
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
