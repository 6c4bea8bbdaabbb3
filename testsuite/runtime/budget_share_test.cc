// SPDX-License-Identifier: GPL-2.0-or-later
// Sessions that share a budget, each of which wants a known part of a processor.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

extern "C" {
#include "budget_share.h"
}

namespace tapir::test {
namespace {

constexpr u64 kWhole = 5'000'000;

struct Sharer {
    u64 wants = 0;
    tapir_budget_share share = {};
    u64 allowed = 0, used = 0;
    u32 window = 0;
};

class Sharing {
  public:
    explicit Sharing(const std::vector<u64> &wants) {
        for (const u64 want : wants)
            join(want);
    }
    void join(u64 wants) {
        sharers.push_back({.wants = wants});
        tapir_budget_share_init(&sharers.back().share, &row, kWhole);
    }
    // Their hits come in some order. Returns what all took.
    u64 window() {
        u64 sum = 0;
        number_++;
        std::shuffle(sharers.begin(), sharers.end(), random_);
        for (Sharer &s : sharers) {
            if (!s.wants) continue;
            s.allowed = tapir_budget_share_turn(&s.share, s.window, s.used, number_);
            EXPECT_GT(s.allowed, 0u);
            EXPECT_LE(s.allowed, kWhole);
            s.window = number_;
            s.used = std::min(s.wants, s.allowed);
            sum += s.used;
        }
        return sum;
    }
    u64 used_of(u64 wants) const {
        for (const Sharer &s : sharers)
            if (s.wants == wants) return s.used;
        return 0;
    }

    std::vector<Sharer> sharers;
    tapir_shared_row row = {};

  private:
    std::mt19937 random_{7};
    u32 number_ = 0xfffff0;  // the numbers in the words begin anew on the way
};

TEST(BudgetShare, ASessionAloneHasTheWhole) {
    tapir_budget_share alone;
    tapir_budget_share_init(&alone, nullptr, kWhole);
    EXPECT_EQ(tapir_budget_share_turn(&alone, 1, kWhole, 2), kWhole);
    Sharing one({kWhole * 2});
    for (int i = 0; i < 10; i++)
        EXPECT_EQ(one.window(), kWhole);
}

TEST(BudgetShare, AllTogetherTakeTheBudget) {
    for (const size_t count : {2u, 3u, 5u, 10u, 40u}) {
        Sharing all(std::vector<u64>(count, kWhole * 2));
        for (int i = 0; i < 60; i++) {
            const u64 took = all.window();
            // They do not know of each other in the first windows.
            if (i >= 3) {
                EXPECT_LE(took, kWhole + kWhole / 10) << count << " " << i;
            }
            if (i >= 20) {
                EXPECT_GE(took, kWhole * 8 / 10) << count << " " << i;
            }
        }
        for (const Sharer &s : all.sharers)
            EXPECT_GE(s.allowed, kWhole / count * 9 / 10) << count;
    }
}

// The others may take what one session leaves.
TEST(BudgetShare, AModestSessionLeavesTheRest) {
    Sharing all({kWhole / 20, kWhole * 2});
    for (int i = 0; i < 30; i++)
        EXPECT_LE(all.window(), i < 3 ? 2 * kWhole : kWhole + kWhole / 50) << i;
    EXPECT_EQ(all.used_of(kWhole / 20), kWhole / 20);
    EXPECT_GE(all.used_of(kWhole * 2), kWhole * 9 / 10);
}

TEST(BudgetShare, OneThatComesGetsItsPartAndOneThatGoesLeavesIt) {
    Sharing all({kWhole * 2});
    for (int i = 0; i < 10; i++)
        all.window();
    all.join(kWhole * 3);
    for (int i = 0; i < 10; i++) {
        const u64 took = all.window();
        EXPECT_LE(took, i < 3 ? kWhole * 3 / 2 : kWhole + kWhole / 50) << i;
    }
    EXPECT_GE(all.used_of(kWhole * 3), kWhole / 2);
    for (Sharer &s : all.sharers)
        if (s.wants == kWhole * 2) s.wants = 0;
    for (int i = 0; i < 20; i++)
        all.window();
    EXPECT_GE(all.used_of(kWhole * 3), kWhole * 9 / 10);
}

// With any words in the row, a session takes neither more than the budget nor nothing.
TEST(BudgetShare, AnyWordsWillDo) {
    std::mt19937_64 random(9);
    Sharing all({kWhole * 2, kWhole});
    for (int i = 0; i < 20000; i++) {
        for (u64 &word : all.row.windows)
            if (random() % 3 == 0) word = random() % 5 ? random() : ~0ull;
        all.window();
        for (const Sharer &s : all.sharers) {
            EXPECT_LE(s.allowed, kWhole);
            EXPECT_GE(s.allowed, kWhole / 256);
        }
    }
}

}  // namespace
}  // namespace tapir::test
