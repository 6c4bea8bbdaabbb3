// SPDX-License-Identifier: GPL-2.0-or-later
// Reports that take elements out of an array, and those over statistics, which are merged beside others.
#include <atomic>
#include <map>
#include <random>
#include <thread>

#include "grow_fixture.h"

namespace tapir::test {
namespace {

class Lend : public Grow {
  protected:
    void SetUp() override {
        Grow::SetUp();
        descs_[kLongs].reported = TAPIR_REPORTED_CUT;
        descs_[kStats].reported = TAPIR_REPORTED_CUT | TAPIR_REPORTED_COPIES;
        descs_[kStable].reported = TAPIR_REPORTED_COPIES;
        descs_[kPairs].reported = TAPIR_REPORTED_COPIES;
        descs_[kPairs].stable = 1;
        stat_.min_max = 1;
    }
    void add(s64 key, s64 value, int which = kStats) {
        tapir_val k = val(key);
        tapir_map_add_stat(c_, maps_[which], &k, value, &kSite);
        ASSERT_EQ(error(), "");
        if (++added_ % 100 == 0) tapir_host_tend();
    }
    // A report takes its snapshot of one array, and deletes it if it is cut.
    bool take(u16 which, u8 cut, u8 sort = TAPIR_SORT_NONE) {
        set_.of[0] = {which, sort, 0, 0, cut};
        lockset_.globals[0] = which;
        enter(0, TAPIR_LEVEL_REPORT);
        tapir_handler_start(c_, tapir_module.probes, 1000000);
        EXPECT_TRUE(tapir_locks_take(c_, locks()));
        const bool taken = tapir_snapshots_take(c_, snapshots(), &kSite);
        if (cut && taken) tapir_map_clear(c_, maps_[which], &kSite);
        tapir_locks_drop(c_, locks());
        return taken;
    }
    using Sums = std::vector<std::array<s64, 4>>;  // key, count, sum, max
    Sums walk(u16 which, tapir_foreach spec = {}) {
        tapir_iter it;
        Sums out;
        tapir_foreach_begin_snapshot(c_, &it, maps_[which], &spec, 0, nullptr, nullptr);
        while (tapir_foreach_next(&it)) {
            tapir_stat_sum s;
            tapir_foreach_value_stat(&it, &s);
            out.push_back({tapir_foreach_key_long(&it, 0), s.count, s.sum, s.max});
        }
        return out;
    }
    void drop() { tapir_snapshots_drop(snapshots()); }
    void complete() { tapir_snapshots_complete(c_, snapshots(), &kSite); }
    const tapir_snapshots *snapshots() const { return reinterpret_cast<const tapir_snapshots *>(&set_); }
    const tapir_lockset *locks() const { return reinterpret_cast<const tapir_lockset *>(&lockset_); }
    // All nodes are in the array or in its pool, with their values cleared.
    void balanced(int which) {
        tapir_map *m = maps_[which];
        EXPECT_EQ(m->pools[0].used, m->count);
        EXPECT_EQ(m->lent, TAPIR_LENT_NOTHING);
        u32 free = 0;
        for (const tapir_node *node = m->pools[0].free; node; node = node->chain)
            free++;
        EXPECT_EQ(free + m->pools[0].used, m->pools[0].handed);
    }

    u32 added_ = 0;
    struct {
        u32 count = 1;
        tapir_snapshot of[1] = {};
    } set_;
    struct {
        u32 count = 1;
        u16 globals[1] = {};
    } lockset_;
};

TEST_F(Lend, WhatIsCutIsExact) {
    start();
    s64 added = 0, seen = 0;
    std::mt19937 random(1);
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 3000; i++, added++)
            add(static_cast<s64>(random() % 5000), 1);
        ASSERT_TRUE(take(kStats, 1, TAPIR_SORT_DESCENDING));
        EXPECT_EQ(maps_[kStats]->count, 0u);
        // The array goes on at once, and what comes now is not the report's.
        for (int i = 0; i < 500; i++, added++)
            add(static_cast<s64>(random() % 5000), 1);
        s64 last = 1000000;
        for (const auto &[key, count, sum, max] : walk(kStats, {TAPIR_SORT_DESCENDING, 0, TAPIR_SORT_COUNT, 0, 0})) {
            EXPECT_EQ(count, sum);
            EXPECT_EQ(max, 1);
            EXPECT_LE(count, last);
            last = count;
            seen += count;
        }
        drop();
        balanced(kStats);
        enter();
        tapir_host_tend();
    }
    ASSERT_TRUE(take(kStats, 1));
    for (const auto &element : walk(kStats))
        seen += element[1];
    drop();
    EXPECT_EQ(seen, added);
}

TEST_F(Lend, NumbersAreCut) {
    start();
    for (s64 i = 0; i < 20000; i++) {
        set(maps_[kLongs], i, 3 * i);
        if (i % 100 == 0) tapir_host_tend();
    }
    ASSERT_TRUE(take(kLongs, 1));
    for (s64 i = 0; i < 100; i++)
        set(maps_[kLongs], i, -1);
    tapir_iter it;
    tapir_foreach spec = {};
    s64 n = 0;
    tapir_foreach_begin_snapshot(c_, &it, maps_[kLongs], &spec, 0, nullptr, nullptr);
    for (; tapir_foreach_next(&it); n++)
        ASSERT_EQ(tapir_foreach_value_long(&it), 3 * tapir_foreach_key_long(&it, 0));
    EXPECT_EQ(n, 20000);
    drop();
    balanced(kLongs);
    EXPECT_EQ(get(maps_[kLongs], 99), -1);
    // Only a report can cut, and there is no room for copies.
    enter(0, TAPIR_LEVEL_HARDIRQ);
    EXPECT_FALSE(tapir_snapshots_take(c_, snapshots(), nullptr));
}

// The same holds for an array that grows, but does not grow meanwhile, empty or not at a report's end.
TEST_F(Lend, AsManyAsWereCutHaveRoomAtOnce) {
    start();
    for (const s64 many : {3000, 20000}) {
        for (int round = 0; round < 3; round++) {
            for (s64 i = 0; i < many; i++)
                add(i, 1);
            ASSERT_TRUE(take(kStats, 1));
            drop();
            enter();
            for (s64 i = 0; i < many; i++)
                add(i, 1);
            ASSERT_TRUE(take(kStats, 1));
            for (s64 i = 0; i < many; i++) {
                tapir_val k = val(i);
                tapir_map_add_stat(c_, maps_[kStats], &k, 1, &kSite);
                ASSERT_EQ(error(), "") << i << " of " << many << " in round " << round;
            }
            EXPECT_EQ(walk(kStats).size(), static_cast<size_t>(many));
            drop();
            enter();
        }
    }
}

TEST_F(Lend, AFullArrayCanBeFilledAnewAtOnce) {
    descs_[kLongs].max_entries = 1000;
    descs_[kStats].max_entries = 1000;
    start(true);
    for (int which : {kLongs, kStats}) {
        for (s64 i = 0; i < 1000; i++)
            which == kLongs ? set(maps_[kLongs], i, i) : add(i, i);
        ASSERT_TRUE(take(static_cast<u16>(which), 1));
        for (s64 i = 0; i < 1000; i++)
            which == kLongs ? set(maps_[kLongs], i, i) : add(i, i);
        ASSERT_EQ(error(), "");
        EXPECT_EQ(maps_[which]->ncopied, 1000u);
        drop();
        balanced(which);
        enter();
    }
}

// Elements that others delete before they are copied are in the report all the same, and one with the report's own
// name may be there again.
TEST_F(Lend, DeletedMeanwhile) {
    for (const bool all : {false, true}) {
        start();
        for (s64 i = 0; i < 5000; i++)
            add(i, i);
        ASSERT_TRUE(take(kStats, 0, TAPIR_SORT_ASCENDING));
        enter(1);
        for (s64 i = 0; !all && i < 5000; i += 2) {
            tapir_val k = val(i);
            tapir_map_delete(c_, maps_[kStats], &k);
            add(i + 1000000, 1);
        }
        if (all) tapir_map_clear(c_, maps_[kStats], &kSite);
        add(7, 1);
        enter(0, TAPIR_LEVEL_REPORT);
        complete();
        balanced(kStats);
        // It has its own copies by now.
        enter(1);
        tapir_map_clear(c_, maps_[kStats], &kSite);
        add(1, 1);
        enter(0, TAPIR_LEVEL_REPORT);
        const Sums sums = walk(kStats, {TAPIR_SORT_ASCENDING, 0, TAPIR_SORT_SUM, 0, 0});
        ASSERT_EQ(sums.size(), 5000u);
        for (s64 i = 0; i < 5000; i++) {
            ASSERT_EQ(sums[static_cast<size_t>(i)][0], i);
            ASSERT_EQ(sums[static_cast<size_t>(i)][2], i + (i == 7 && !all));
        }
        drop();
        tapir_globals_destroy();
    }
}

// Others replace all elements of a full array while a report has them.
TEST_F(Lend, ReplacedMeanwhile) {
    descs_[kStats].max_entries = 1000;
    descs_[kStats].reported = TAPIR_REPORTED_COPIES;
    start(true);
    for (int round = 0; round < 3; round++) {
        const s64 first = 1000 * round;
        for (s64 i = 0; i < 1000; i++)
            add(first + i, i + 1);
        ASSERT_TRUE(take(kStats, 0));
        enter(1);
        for (s64 i = 0; i < 1000; i++) {
            tapir_val k = val(first + i);
            tapir_map_delete(c_, maps_[kStats], &k);
            k = val(first + 1000 + i);
            tapir_map_add_stat(c_, maps_[kStats], &k, 5, &kSite);
            ASSERT_EQ(error(), "") << i << " in round " << round;
        }
        enter(0, TAPIR_LEVEL_REPORT);
        complete();
        balanced(kStats);
        const Sums sums = walk(kStats);
        ASSERT_EQ(sums.size(), 1000u);
        for (size_t i = 0; i < 1000; i++)
            ASSERT_EQ(sums[i][0], first + static_cast<s64>(i));
        drop();
        enter();
    }
}

TEST_F(Lend, ClearedWhileAReportHasElements) {
    start();
    for (int round = 0; round < 3; round++) {
        for (s64 i = 0; i < 3000; i++)
            add(i, 1);
        ASSERT_TRUE(take(kStats, 1));
        enter(1);
        for (int again = 0; again < 3; again++) {
            for (s64 i = 0; i < 1000; i++)
                add(i, 5);
            tapir_map_clear(c_, maps_[kStats], &kSite);
        }
        if (round) add(9, 5);
        enter(0, TAPIR_LEVEL_REPORT);
        for (const auto &element : walk(kStats))
            ASSERT_EQ(element[2], 1);
        drop();
        balanced(kStats);
        enter();
        tapir_map_clear(c_, maps_[kStats], &kSite);
    }
}

TEST_F(Lend, NobodyWaitsForStatistics) {
    start();
    for (s64 i = 0; i < 3000; i++)
        add(i, i, kStable);
    // Those who are no reports go through the array.
    enter(0, TAPIR_LEVEL_HARDIRQ);
    set_.of[0] = {kStable, TAPIR_SORT_NONE, 0, 0, 0};
    EXPECT_FALSE(tapir_snapshots_take(c_, snapshots(), nullptr));
    ASSERT_TRUE(take(kStable, 0));
    complete();
    EXPECT_EQ(walk(kStable).size(), 3000u);
    drop();
}

// Numbers by texts of all lengths: what a report sees is how they were, though they change before it copies the texts.
TEST_F(Lend, TextsAreCopiedWhenOthersGoOn) {
    start();
    constexpr s64 kCount = 5000;
    const auto set_all = [&](s64 add) {
        for (s64 i = 0; i < kCount; i++) {
            const std::string first(static_cast<size_t>(i % 100), 'a'), second = std::to_string(i);
            const tapir_val keys[] = {val(first.c_str()), val(i), val(second.c_str())};
            *tapir_map_slot_long(c_, maps_[kPairs], keys, &kSite) = 3 * i + add;
            ASSERT_EQ(error(), "");
            if (i % 100 == 0) tapir_host_tend();
        }
    };
    set_all(0);
    ASSERT_TRUE(take(kPairs, 0, TAPIR_SORT_DESCENDING));
    enter(1);
    set_all(1);
    enter(0, TAPIR_LEVEL_REPORT);
    complete();
    tapir_iter it;
    const tapir_foreach spec = {TAPIR_SORT_DESCENDING, 0, 0, 0, 0};
    s64 left = kCount;
    tapir_foreach_begin_snapshot(c_, &it, maps_[kPairs], &spec, 0, nullptr, nullptr);
    while (tapir_foreach_next(&it)) {
        left--;
        ASSERT_EQ(tapir_foreach_value_long(&it), 3 * left);
        ASSERT_EQ(tapir_foreach_key_long(&it, 1), left);
        ASSERT_EQ(tapir_foreach_key_string(&it, 0), std::string(static_cast<size_t>(left % 100), 'a'));
        ASSERT_EQ(tapir_foreach_key_string(&it, 2), std::to_string(left));
    }
    EXPECT_EQ(left, 0);
    drop();
    // A loop with a small limit copies at once the few elements that it finds.
    set_.of[0] = {kPairs, TAPIR_SORT_DESCENDING, 0, 3, 0};
    enter(0, TAPIR_LEVEL_REPORT);
    tapir_handler_start(c_, tapir_module.probes, 1000000);
    ASSERT_TRUE(tapir_snapshots_take(c_, snapshots(), &kSite));
    EXPECT_EQ(maps_[kPairs]->ncopied, 3u);
    complete();
    EXPECT_EQ(maps_[kPairs]->ncopied, 3u);
    drop();
}

// Processors add while a report cuts again and again: each sample is in one report.
TEST_F(Lend, NoSampleIsLostOrTwice) {
    start(true);
    constexpr s64 kEach = 100000;
    std::atomic<u32> running = 3;
    std::atomic<u64> failed = 0;
    std::vector<std::thread> threads;
    for (u32 cpu = 1; cpu < 4; cpu++)
        threads.emplace_back([&, cpu] {
            std::mt19937 random(cpu);
            for (s64 i = 0; i < kEach; i++) {
                tapir_ctx *c = tapir_host_enter(cpu, TAPIR_LEVEL_TASK, tapir_module.probes);
                tapir_val k = val(static_cast<s64>(random() % 500));
                tapir_map_add_stat(c, maps_[kStats], &k, 1, &kSite);
                failed += c->failed != 0;
                tapir_host_leave(c);
            }
            running--;
        });
    s64 seen = 0;
    bool last;
    do {
        last = !running;
        ASSERT_TRUE(take(kStats, 1));
        for (const auto &element : walk(kStats))
            seen += element[1];
        drop();
        tapir_host_tend();
    } while (!last);
    for (std::thread &thread : threads)
        thread.join();
    EXPECT_EQ(failed, 0u);
    EXPECT_EQ(seen, 3 * kEach);
}

}  // namespace
}  // namespace tapir::test
