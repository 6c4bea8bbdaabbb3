// SPDX-License-Identifier: GPL-2.0-or-later
// Automata written by hand, in the form the translator makes.
#include <cstring>
#include <memory>

#include "fixture.h"

namespace tapir::test {
namespace {

constexpr u16 kNo = TAPIR_REGEX_NO;
constexpr u8 kHere = TAPIR_REGEX_FROM_HERE, kEnd = TAPIR_REGEX_END;

// a(b*)c anywhere. Classes: 0 other, 1 a, 2 b, 3 c. Registers: 0 start of the match, 1 and 2 the group.
class Groups : public Runtime {
  protected:
    Groups() {
        classes_[size_t{'a'}] = 1;
        classes_[size_t{'b'}] = 2;
        classes_[size_t{'c'}] = 3;
    }
    std::string group(const char *subject, s64 n) {
        Buffer b;
        tapir_regex_group(c_, b.text, Buffer::cap, subject, &match_, n, nullptr);
        return b.text;
    }

    u8 classes_[256] = {};
    // Lists: 0 nothing; 1 start; 3 first b; 5 c at once; 8 c later; 10 the result.
    const tapir_regex_op ops_[15] = {{kEnd, 0},  {0, kHere}, {kEnd, 0}, {1, kHere}, {kEnd, 0},
                                     {1, kHere}, {2, kHere}, {kEnd, 0}, {2, kHere}, {kEnd, 0},
                                     {0, 0},     {1, kHere}, {2, 1},    {3, 2},     {kEnd, 0}};
    const u16 next_[20] = {0,           0, 0, 0, /* search */ 1, 2, 1, 1, /* a */ 1, 2, 3, 4,
                           /* ab+ */ 1, 2, 3, 4, /* end */ 0,    0, 0, 0};
    const u16 edges_[20] = {0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 3, 5, 0, 1, 0, 8, 0, 0, 0, 0};
    const u16 accept_[5] = {kNo, kNo, kNo, kNo, 10};
    const u16 none_[5] = {kNo, kNo, kNo, kNo, kNo};
    const tapir_regex re_ = {5, 4, 1, 3, 2, classes_, next_, edges_, accept_, none_, ops_};
    tapir_regex_match match_ = {};
};

TEST_F(Groups, FoundWithTheirText) {
    for (const char *subject : {"xxabbcyy", "abbc", "aabxabbc"}) {
        ASSERT_TRUE(tapir_regex_matches(&re_, subject, 128, &match_)) << subject;
        EXPECT_EQ(group(subject, 0), "abbc");
        EXPECT_EQ(group(subject, 1), "bb");
    }
    ASSERT_TRUE(tapir_regex_matches(&re_, "zac", 128, &match_));
    EXPECT_EQ(group("zac", 0), "ac");
    EXPECT_EQ(group("zac", 1), "");
    EXPECT_EQ(match_.offset[2], 2u);
    EXPECT_FALSE(c_->failed);
}

TEST_F(Groups, FailureIsRemembered) {
    ASSERT_TRUE(tapir_regex_matches(&re_, "ac", 128, &match_));
    EXPECT_FALSE(tapir_regex_matches(&re_, "abba", 128, &match_));
    EXPECT_EQ(group("abba", 0), "");
    EXPECT_STREQ(c_->message, "Attempted to get subexpression 0 from failed match");
}

TEST_F(Groups, UnknownOnesAreErrors) {
    ASSERT_TRUE(tapir_regex_matches(&re_, "ac", 128, &match_));
    for (s64 n : {s64{2}, s64{-1}, s64{INT64_MAX}}) {
        EXPECT_EQ(group("ac", n), "");
        EXPECT_EQ(c_->message, "Attempted to get nonexistent subexpression " + std::to_string(n));
        c_->failed = 0;
    }
}

TEST_F(Groups, OnlyTheCapacityIsLookedAt) {
    std::unique_ptr<char[]> subject(new char[4]);
    memcpy(subject.get(), "xabc", 4);  // no terminator
    EXPECT_FALSE(tapir_regex_matches(&re_, subject.get(), 4, &match_));
    EXPECT_FALSE(tapir_regex_matches(&re_, subject.get(), 4, nullptr));
    EXPECT_TRUE(tapir_regex_matches(&re_, "xabc", 5, &match_));
    EXPECT_EQ(group("xabc", 1), "b");
}

TEST_F(Groups, NotAskedForNotTouched) {
    match_.ngroups = 77;
    EXPECT_TRUE(tapir_regex_matches(&re_, "abc and more", 128, nullptr));
    EXPECT_FALSE(tapir_regex_matches(&re_, "", 128, nullptr));
    tapir_regex plain = re_;
    plain.ngroups = 0;
    EXPECT_TRUE(tapir_regex_matches(&plain, "abc", 128, &match_));
    EXPECT_EQ(match_.ngroups, 77u);
}

// ^x+$ and the longest match of x+: state 1 before, 2 in the x.
TEST_F(Groups, AnchorsAndTheLongestMatch) {
    u8 classes[256] = {};
    classes[size_t{'x'}] = 1;
    const tapir_regex_op ops[] = {{kEnd, 0}, {0, kHere}, {kEnd, 0}, {0, 0}, {1, kHere}, {kEnd, 0}};
    const u16 next[] = {0, 0, 0, 2, 0, 2}, edges[] = {0, 0, 0, 1, 0, 0};
    const u16 no[] = {kNo, kNo, kNo}, yes[] = {kNo, kNo, 3};
    tapir_regex re = {3, 2, 1, 1, 1, classes, next, edges, no, yes, ops};
    EXPECT_TRUE(tapir_regex_matches(&re, "xxx", 128, &match_));
    EXPECT_EQ(group("xxx", 0), "xxx");
    EXPECT_FALSE(tapir_regex_matches(&re, "xxxy", 128, &match_));
    EXPECT_FALSE(tapir_regex_matches(&re, "xxxy", 128, nullptr));
    EXPECT_TRUE(tapir_regex_matches(&re, "xxx", 128, nullptr));
    EXPECT_FALSE(tapir_regex_matches(&re, "", 128, nullptr));
    re.accept = yes;
    EXPECT_TRUE(tapir_regex_matches(&re, "xxxyxx", 128, &match_));
    EXPECT_EQ(group("xxxyxx", 0), "xxx");
}

}  // namespace
}  // namespace tapir::test
