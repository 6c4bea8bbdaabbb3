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

// "one $x two\nthree" with "1 1" in place of "$x".
TEST(Source, ATextThatWasMadeHasThePlacesOfTheOther) {
    const auto written = std::make_shared<SourceFile>("f.sxx", "one $x two\nthree", Origin::Tapset);
    const SourceFile made("one 1 1 two\nthree", written, {{0, 0, true}, {4, 4, false}, {7, 6, true}, {17, 16, false}});
    EXPECT_EQ(made.name(), "f.sxx");
    EXPECT_EQ(made.origin(), Origin::Tapset);
    EXPECT_EQ(made.line(1), "one $x two");
    EXPECT_EQ(made.line(3), "");
    const auto place = [&made](size_t offset) {
        uint32_t line = 0, column = 0;
        made.locate(offset, line, column);
        return std::to_string(line) + ":" + std::to_string(column);
    };
    EXPECT_EQ(place(0), "1:1");
    EXPECT_EQ(place(3), "1:4");
    EXPECT_EQ(place(4), "1:5");
    EXPECT_EQ(place(6), "1:5");
    EXPECT_EQ(place(8), "1:8");
    EXPECT_EQ(place(14), "2:3");
    EXPECT_EQ(place(17), "2:6");
    EXPECT_EQ(place(1000), "2:6");
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
