// SPDX-License-Identifier: GPL-2.0-or-later
#include "docs/comment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tapir::docs {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

TEST(Comment, HasNameSummaryItemsAndDetails) {
    const std::string text = R"(// not this one
/* nor this */
/**
 * vfs.read: a file is read,
 * from wherever.
 * @file: address of the
 *   file.
 * @a, @b: two of a kind.
 *
 * More about it
 * in two lines.
 *
 *     literal  text
 *       kept
 *
 * @late: still an item.
 */
probe vfs.read = never { }
)";
    std::vector<Comment> comments = read_comments(text, false);
    ASSERT_THAT(comments, SizeIs(1));
    const Comment &comment = comments[0];
    EXPECT_EQ(comment.line, 3u);
    EXPECT_EQ(text.substr(comment.next, 5), "probe");
    EXPECT_EQ(comment.name, "vfs.read");
    EXPECT_EQ(comment.summary, "a file is read, from wherever.");
    ASSERT_THAT(comment.items, SizeIs(4));
    EXPECT_EQ(comment.find("file")->text, "address of the file.");
    EXPECT_EQ(comment.find("b")->text, "two of a kind.");
    EXPECT_EQ(comment.find("late")->text, "still an item.");
    EXPECT_EQ(comment.find("none"), nullptr);
    ASSERT_THAT(comment.details, SizeIs(2));
    EXPECT_EQ(comment.details[0].text, "More about it in two lines.");
    EXPECT_TRUE(comment.details[1].literal);
    EXPECT_EQ(comment.details[1].text, "literal  text\n  kept");
}

TEST(Comment, SeveralMayStandBeforeOneThing) {
    std::vector<Comment> comments = read_comments("/** a: one. */ // in between\n/** b: two. */\n@make(1)\n", false);
    ASSERT_THAT(comments, SizeIs(2));
    EXPECT_EQ(comments[0].next, comments[1].next);
}

TEST(Comment, StringsAndEmbeddedCodeHideThem) {
    EXPECT_THAT(read_comments("probe begin { println(\"/** a: b. */\") %{ /** c: d. */ %} }", false), IsEmpty());
}

TEST(Comment, WithoutANameThereIsASummaryOnly) {
    std::vector<Comment> comments = read_comments("/** the number: of things. */ global n", false);
    ASSERT_THAT(comments, SizeIs(1));
    EXPECT_EQ(comments[0].name, "");
    EXPECT_EQ(comments[0].summary, "the number: of things.");
}

TEST(Comment, MacroFilesUseNumberSigns) {
    const std::string text = "# head\n\n# m: what it makes.\n# @a: a value.\n@define m(a) %( @a %)\n";
    std::vector<Comment> comments = read_comments(text, true);
    ASSERT_THAT(comments, SizeIs(1));
    EXPECT_EQ(comments[0].name, "m");
    EXPECT_EQ(comments[0].find("a")->text, "a value.");
    EXPECT_THAT(read_comments(text, false), IsEmpty());
    EXPECT_THAT(
        read_comments(
            "# Note this.\n@define m %( 1 %)\n# note: this.\n@define n %( 1 %)\n# o: x.\n@define of %( 1 %)\n", true),
        IsEmpty());
}

TEST(Comment, BrokenTextsAreRead) {
    EXPECT_THAT(read_comments("/** open", false), SizeIs(1));
    EXPECT_THAT(read_comments("/**/", false), IsEmpty());
    EXPECT_THAT(read_comments("\"open \\", false), IsEmpty());
    EXPECT_THAT(read_comments("%{ open", false), IsEmpty());
    EXPECT_THAT(read_comments("#", true), IsEmpty());
}

TEST(Comment, TheHeadSaysWhatAFileIsAbout) {
    EXPECT_EQ(read_head("// SPDX-License-Identifier: X\n// Files and\n// folders.\n\n// not this\n"),
              "Files and folders.");
    EXPECT_EQ(read_head("# SPDX-License-Identifier: X\n\n# not this\n"), "");
}

}  // namespace
}  // namespace tapir::docs
