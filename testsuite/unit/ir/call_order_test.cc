// SPDX-License-Identifier: GPL-2.0-or-later
#include "ir/call_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace tapir::ir {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

TEST(CallOrder, CalleesComeFirst) {
    EXPECT_TRUE(call_order({}).empty());
    EXPECT_THAT(call_order({{1, 2}, {2}, {}}), ElementsAre(ElementsAre(2), ElementsAre(1), ElementsAre(0)));
}

TEST(CallOrder, CyclesAreGroups) {
    // 0 calls 1; 1, 2 and 3 call each other; 3 calls 4, which calls itself.
    EXPECT_THAT(call_order({{1}, {2}, {3}, {1, 4}, {4}}),
                ElementsAre(ElementsAre(4), UnorderedElementsAre(1, 2, 3), ElementsAre(0)));
}

TEST(CallOrder, LongChainsNeedNoStack) {
    std::vector<std::vector<size_t>> calls(1000000);
    for (size_t i = 0; i + 1 < calls.size(); i++)
        calls[i] = {i + 1};
    EXPECT_EQ(call_order(calls).size(), calls.size());
    calls.back() = {0};
    EXPECT_EQ(call_order(calls).size(), 1u);
}

// Compared with what can be reached, by Warshall's algorithm.
TEST(CallOrder, RandomCalls) {
    std::mt19937 random(1);
    for (int round = 0; round < 300; round++) {
        const size_t n = 1 + random() % 12;
        std::vector<std::vector<size_t>> calls(n);
        std::vector<std::vector<bool>> reaches(n, std::vector<bool>(n));
        for (size_t k = 0; k < n + n / 2; k++) {
            const size_t from = random() % n, to = random() % n;
            calls[from].push_back(to);
            reaches[from][to] = true;
        }
        for (size_t k = 0; k < n; k++)
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < n; j++)
                    if (reaches[i][k] && reaches[k][j]) reaches[i][j] = true;
        std::vector<size_t> group_of(n, n);
        const auto groups = call_order(calls);
        for (size_t g = 0; g < groups.size(); g++)
            for (size_t i : groups[g]) {
                EXPECT_EQ(group_of[i], n);
                group_of[i] = g;
            }
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                EXPECT_EQ(i == j || (reaches[i][j] && reaches[j][i]), group_of[i] == group_of[j]);
                EXPECT_TRUE(!reaches[i][j] || group_of[i] >= group_of[j]);
            }
    }
}

}  // namespace
}  // namespace tapir::ir
