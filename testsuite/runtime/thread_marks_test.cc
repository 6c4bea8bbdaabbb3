// SPDX-License-Identifier: GPL-2.0-or-later
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

extern "C" {
#include "thread_marks.h"
}

namespace tapir::test {
namespace {

class Marks : public testing::Test {
  protected:
    std::vector<u64> marks_ = std::vector<u64>(TAPIR_MARK_BYTES / sizeof(u64));
};

TEST_F(Marks, OfThreadsAndPairs) {
    EXPECT_EQ(tapir_marked(marks_.data(), 7, 1), 0u);
    tapir_mark(marks_.data(), 7, 1, 5);
    tapir_mark(marks_.data(), 7, 2, 6);
    tapir_mark(marks_.data(), 8, 1, ~0u);
    EXPECT_EQ(tapir_marked(marks_.data(), 7, 1), 5u);
    EXPECT_EQ(tapir_marked(marks_.data(), 7, 2), 6u);
    EXPECT_EQ(tapir_marked(marks_.data(), 8, 1), ~0u);
    tapir_mark(marks_.data(), 7, 1, 9);
    EXPECT_EQ(tapir_marked(marks_.data(), 7, 1), 9u);
    tapir_mark(marks_.data(), 7, 1, 0);
    EXPECT_EQ(tapir_marked(marks_.data(), 7, 1), 0u);
    EXPECT_EQ(tapir_marked(marks_.data(), 7, 2), 6u);
}

// Marks of a quarter of the threads that the table has room for: no place is full.
TEST_F(Marks, ManyThreadsKeepTheirOwn) {
    std::mt19937 random(1);
    std::map<u32, u32> expected;
    for (int i = 0; i < 200000; i++) {
        const u32 thread = 1000 + random() % 4096, weight = random() % 3 ? random() % 1000 + 1 : 0;
        tapir_mark(marks_.data(), thread, 3, weight);
        expected[thread] = weight;
    }
    for (const auto &[thread, weight] : expected)
        EXPECT_EQ(tapir_marked(marks_.data(), thread, 3), weight) << thread;
}

// Threads that died left their marks. One that comes has its own, and no other one gets a mark by that.
TEST_F(Marks, AFullTableTakesNewOnes) {
    std::vector<u32> weights(1 << 20);
    for (u32 thread = 1; thread < weights.size(); thread++) {
        tapir_mark(marks_.data(), thread, 1, thread % 1000 + 1);
        ASSERT_EQ(tapir_marked(marks_.data(), thread, 1), thread % 1000 + 1);
    }
    u32 kept = 0;
    for (u32 thread = 1; thread < weights.size(); thread++) {
        const u32 weight = tapir_marked(marks_.data(), thread, 1);
        kept += weight != 0;
        EXPECT_TRUE(weight == 0 || weight == thread % 1000 + 1) << thread;
        EXPECT_EQ(tapir_marked(marks_.data(), thread, 2), 0u);
    }
    EXPECT_GT(kept, TAPIR_MARK_PLACES * TAPIR_MARK_WAYS / 2);
}

}  // namespace
}  // namespace tapir::test
