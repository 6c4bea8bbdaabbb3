// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/name_patterns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tapir {
namespace {

TEST(Names, GlobMatchesTheWholeName) {
    EXPECT_TRUE(glob_match("vfs_*", "vfs_read"));
    EXPECT_TRUE(glob_match("*", ""));
    EXPECT_TRUE(glob_match("*_*ad", "vfs_read"));
    EXPECT_TRUE(glob_match("vfs_rea?", "vfs_read"));
    EXPECT_TRUE(glob_match("vfs_[a-r]ead", "vfs_read"));
    EXPECT_TRUE(glob_match("[]x]", "]"));
    EXPECT_TRUE(glob_match("a\\*b", "a*b"));
    EXPECT_FALSE(glob_match("a\\*b", "axb"));
    EXPECT_FALSE(glob_match("vfs_[!a-r]ead", "vfs_read"));
    EXPECT_FALSE(glob_match("vfs_", "vfs_read"));
    EXPECT_FALSE(glob_match("fs_*", "vfs_read"));
    EXPECT_FALSE(glob_match("", "x"));
    EXPECT_TRUE(glob_match("a[b", "a[b"));
}

TEST(Names, ManyStarsAreQuick) {
    EXPECT_FALSE(glob_match("*a*a*a*a*a*a*a*a*b", std::string(20000, 'a')));
}

TEST(Names, DistanceStopsAtItsLimit) {
    EXPECT_EQ(edit_distance("kitten", "sitting", 5), 3u);
    EXPECT_EQ(edit_distance("begni", "begin", 5), 1u);
    EXPECT_EQ(edit_distance("abc", "xyz", 1), 2u);
    EXPECT_EQ(edit_distance("", "abcdef", 3), 4u);
    EXPECT_EQ(edit_distance("same", "same", 0), 0u);
}

TEST(Names, SimilarOrdersByDistanceAndSkipsTheNameItself) {
    EXPECT_THAT(similar_names("vfs_raed", {"vfs_open", "vfs_reads", "vfs_read", "vfs_raed", "vfs_read"}, 5),
                testing::ElementsAre("vfs_read", "vfs_reads"));
    EXPECT_THAT(similar_names("x", {"abc"}), testing::IsEmpty());
    EXPECT_EQ(similar_text({"a", "b"}), " (similar: a, b)");
    EXPECT_EQ(similar_text({}), "");
}

}  // namespace
}  // namespace tapir
