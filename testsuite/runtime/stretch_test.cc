// SPDX-License-Identifier: GPL-2.0-or-later
// Periods of events against loads that are known.
#include <gtest/gtest.h>

extern "C" {
#include "governor.h"
#include "stretch.h"
}

namespace tapir::test {
namespace {

constexpr u64 kMay = 5'000'000;

// Looks at windows in which events take `events` ns at their own period, and others `others`.
bool look(tapir_stretch *s, u64 events, u64 others = 0, int windows = 1) {
    bool changed = false;
    while (windows-- > 0) {
        const u64 ways[2] = {others, events >> s->doublings};
        changed |= tapir_stretch_look(s, kMay, ways);
    }
    return changed;
}

TEST(Stretch, LeavesEventsWithinTheBudgetAlone) {
    tapir_stretch s = {};
    EXPECT_FALSE(look(&s, kMay, 0, 100));
    EXPECT_FALSE(look(&s, kMay / 2, kMay / 2, 100));
    // One window above it is no reason.
    for (int i = 0; i < 10; i++) {
        EXPECT_FALSE(look(&s, kMay + kMay / 2));
        EXPECT_FALSE(look(&s, kMay / 2));
    }
}

TEST(Stretch, MakesPeriodsAsLongAsTheBudgetAsksFor) {
    for (const u64 times : {2, 3, 10, 100, 700}) {
        tapir_stretch s = {};
        look(&s, times * kMay, 0, 3);
        EXPECT_LE(times * kMay >> s.doublings, kMay * 3 / 4) << times;
        EXPECT_GT(times * kMay >> s.doublings, kMay * 3 / 8) << times;
        EXPECT_FALSE(look(&s, times * kMay, 0, 100)) << times;
    }
    tapir_stretch s = {};
    look(&s, 1'000'000 * kMay, 0, 100);
    EXPECT_EQ(s.doublings, TAPIR_STRETCH_MOST);
}

TEST(Stretch, OthersTakeTheirPartFirst) {
    tapir_stretch s = {};
    EXPECT_TRUE(look(&s, kMay, kMay / 2, 2));
    EXPECT_LE(kMay >> s.doublings, kMay / 4);
    // Events that are few cannot help.
    tapir_stretch few = {};
    EXPECT_FALSE(look(&few, kMay / 100, 3 * kMay, 100));
}

TEST(Stretch, PeriodsComeBack) {
    tapir_stretch s = {};
    look(&s, 10 * kMay, 0, 2);
    const u32 most = s.doublings;
    look(&s, kMay / 10, 0, 9);
    EXPECT_EQ(s.doublings, most);
    look(&s, kMay / 10, 0, static_cast<int>(10 * most));
    EXPECT_EQ(s.doublings, 0u);
    EXPECT_FALSE(look(&s, kMay / 10, 0, 100));
}

TEST(Stretch, HitsStandForAsManyAsThePeriodIsLonger) {
    for (const u32 times : {0u, TAPIR_GOVERNOR_ONCE, 2 * TAPIR_GOVERNOR_ONCE, 3 * TAPIR_GOVERNOR_ONCE / 2}) {
        tapir_governor governor;
        tapir_governed probe = {};
        probe.times = times;
        probe.periodic = 1;
        tapir_governor_init(&governor, kMay, nullptr, 5);
        double sum = 0;
        for (u32 i = 0; i < 20000; i++) {
            u32 left_out = 0;
            ASSERT_NE(tapir_governor_hit(&governor, &probe, 1 + i / 100, 100, &left_out), TAPIR_VERDICT_SKIP);
            sum += left_out + 1.0;
        }
        EXPECT_NEAR(sum / 20000, times ? static_cast<double>(times) / TAPIR_GOVERNOR_ONCE : 1, 0.02);
        EXPECT_EQ(probe.stretched, times > TAPIR_GOVERNOR_ONCE ? 20000u : 0u);
        EXPECT_EQ(governor.ways[0], 0u);
        EXPECT_EQ(governor.ways[1], 20000u * 100);
    }
}

}  // namespace
}  // namespace tapir::test
