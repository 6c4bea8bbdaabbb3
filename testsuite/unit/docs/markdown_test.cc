// SPDX-License-Identifier: GPL-2.0-or-later
#include "docs/markdown.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tapir::docs {
namespace {

using testing::SizeIs;

TEST(Markdown, BlocksAreToldApart) {
    std::vector<Block> blocks = read_markdown(
        "# Title\n\nA text\nof two lines.\n- one\n  more\n- two\n\n1. first\n\n    code\n\n    end\n\n"
        "| a | b |\n|---|--:|\n| `x|y` | z |\n```stap\nfenced\n```\n");
    ASSERT_THAT(blocks, SizeIs(7));
    EXPECT_EQ(blocks[0].kind, Block::Kind::Heading);
    EXPECT_EQ(blocks[1].spans[0].text, "A text of two lines.");
    ASSERT_THAT(blocks[2].rows, SizeIs(2));
    EXPECT_EQ(blocks[2].rows[0][0][0].text, "one more");
    EXPECT_TRUE(blocks[3].numbered);
    EXPECT_EQ(blocks[4].code, "code\n\nend\n");
    ASSERT_THAT(blocks[5].rows, SizeIs(2));
    EXPECT_EQ(blocks[5].rows[1][0][0].text, "x|y");
    EXPECT_EQ(blocks[6].code, "fenced\n");
}

TEST(Markdown, SpansHaveStyles) {
    Spans spans = read_spans("a `b` **c** [d](e.md) [f] \\* `open");
    ASSERT_THAT(spans, SizeIs(7));
    EXPECT_EQ(spans[1].style, Span::Style::Code);
    EXPECT_EQ(spans[3].style, Span::Style::Strong);
    EXPECT_EQ(spans[5].target, "e.md");
    EXPECT_EQ(spans[6].text, " [f] * `open");
}

}  // namespace
}  // namespace tapir::docs
