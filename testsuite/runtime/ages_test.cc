// SPDX-License-Identifier: GPL-2.0-or-later
// Arrays whose elements leave when they were not written for an age.
#include <atomic>
#include <string>
#include <thread>

#include "../unit/patience.h"
#include "every_cpu.h"
#include "grow_fixture.h"

namespace tapir::test {
namespace {

class Ages : public Grow {
  protected:
    static constexpr u64 kAge = 8'000'000'000'000, kTick = kAge / 8;  // ns

    void SetUp() override {
        Grow::SetUp();
        for (auto &desc : descs_)
            desc.age = kAge;
        descs_[kStable].age = 0;
        descs_[kSmall] = map_descriptor({TAPIR_LONG}, TAPIR_LONG, 4, true);
        descs_[kSmall].age = kAge;
        stat_.min_max = true;
    }
    void start_at(u64 now) {
        start(true);
        now_ = now;
        EXPECT_EQ(tapir_globals_age(now_), now_ + kTick);
    }
    // So many ticks pass.
    void pass(u64 ticks) {
        for (u64 i = 0; i < ticks; i++) {
            now_ += kTick;
            EXPECT_EQ(tapir_globals_age(now_), now_ + kTick);
        }
    }
    void add(tapir_map *m, s64 key, s64 value) {
        tapir_val k = val(key);
        tapir_map_add_stat(c_, m, &k, value, &kSite);
    }
    u64 now_ = 0;
};

TEST_F(Ages, AnElementStaysForItsAgeAndATickAtMost) {
    start_at(1'000);
    tapir_map *m = maps_[kLongs];
    set(m, 1, 10);
    pass(8);
    EXPECT_EQ(order(m), Keys{1});
    set(m, 2, 20);
    pass(1);
    EXPECT_EQ(order(m), Keys{2});
    EXPECT_FALSE(has(m, 1));
    EXPECT_EQ(get(m, 1), 0);
    EXPECT_EQ(m->count, 1u);
    pass(8);
    EXPECT_EQ(order(m), Keys{});
}

TEST_F(Ages, WritingKeepsAndReadingDoesNot) {
    start_at(1);
    tapir_map *m = maps_[kLongs];
    for (s64 key = 1; key <= 4; key++)
        set(m, key, key);
    for (int i = 0; i < 10; i++) {
        pass(1);
        tapir_val k = val(s64{1});
        tapir_map_add_long(c_, m, &k, 5, &kSite);
        k = val(s64{2});
        ++*tapir_map_slot_long(c_, m, &k, &kSite);
        get(m, 3);
        has(m, 4);
    }
    EXPECT_EQ(order(m), (Keys{1, 2}));
    EXPECT_EQ(get(m, 1), 51);
    EXPECT_EQ(get(m, 2), 12);
    set(m, 3, 7);
    EXPECT_EQ(get(m, 3), 7);
    EXPECT_EQ(order(m), (Keys{1, 2, 3}));
}

TEST_F(Ages, OfStringsAndPairs) {
    start_at(1);
    for (int i = 0; i < 200; i++) {
        const std::string name = "name " + std::string(static_cast<size_t>(i % 90), 'x') + std::to_string(i);
        const tapir_val pair[] = {val(name.c_str()), val(s64{i}), val("second")};
        tapir_map_set_long(c_, maps_[kStrings], pair, i, &kSite);
        tapir_map_set_long(c_, maps_[kPairs], pair, i, &kSite);
        if (i == 99) pass(4);
    }
    ASSERT_EQ(error(), "");
    pass(5);
    EXPECT_EQ(maps_[kStrings]->count, 100u);
    EXPECT_EQ(maps_[kPairs]->count, 100u);
    const tapir_val left[] = {val("name 99"), val(s64{99}), val("second")},
                    stays[] = {val("name x181"), val(s64{181}), val("second")};
    EXPECT_FALSE(tapir_map_contains(maps_[kStrings], left));
    EXPECT_FALSE(tapir_map_contains(maps_[kPairs], left));
    EXPECT_EQ(tapir_map_get_long(maps_[kStrings], stays), 181);
    EXPECT_EQ(tapir_map_get_long(maps_[kPairs], stays), 181);
    pass(4);
    EXPECT_EQ(maps_[kStrings]->count, 0u);
    EXPECT_EQ(maps_[kPairs]->count, 0u);
}

// Copies of elements go by the layout of nodes.
TEST_F(Ages, ASnapshotHasKeysAndValues) {
    descs_[kStrings].reported = descs_[kPairs].reported = 1;
    start_at(1);
    enter(1, TAPIR_LEVEL_TASK);
    for (s64 i = 0; i < 50; i++) {
        const std::string name = "a name of " + std::to_string(i);
        const tapir_val keys[] = {val(name.c_str()), val(7 * i), val("second")};
        tapir_map_set_long(c_, maps_[kLongs], &keys[1], i, &kSite);
        tapir_map_set_long(c_, maps_[kStrings], keys, i, &kSite);
        tapir_map_set_long(c_, maps_[kPairs], keys, i, &kSite);
    }
    for (const u16 global : {kLongs, kStrings, kPairs}) {
        struct {
            u32 count = 1;
            tapir_snapshot of[1];
        } one = {1, {{global, TAPIR_SORT_NONE, 0, 0, 0}}};
        const auto *set = reinterpret_cast<const tapir_snapshots *>(&one);
        ASSERT_TRUE(tapir_snapshots_take(c_, set, nullptr));
        tapir_snapshots_complete(c_, set, nullptr);
        tapir_iter it;
        const tapir_foreach spec = {};
        tapir_foreach_begin_snapshot(c_, &it, maps_[global], &spec, 0, nullptr, nullptr);
        s64 i = 0;
        for (; tapir_foreach_next(&it); i++) {
            EXPECT_EQ(tapir_foreach_value_long(&it), i);
            const std::string name = "a name of " + std::to_string(i);
            if (global != kLongs) {
                EXPECT_EQ(tapir_foreach_key_string(&it, 0), name);
            }
            if (global != kStrings) {
                EXPECT_EQ(tapir_foreach_key_long(&it, global == kPairs), 7 * i);
            }
            if (global == kPairs) {
                EXPECT_STREQ(tapir_foreach_key_string(&it, 2), "second");
            }
        }
        EXPECT_EQ(i, 50);
        tapir_snapshots_drop(set);
    }
}

TEST_F(Ages, AStatisticThatComesAgainBeginsAnew) {
    start_at(1);
    tapir_map *m = maps_[kStats];
    add(m, 1, 100);
    add(m, 2, 200);
    pass(5);
    add(m, 2, 201);
    pass(4);
    EXPECT_EQ(order(m), Keys{2});
    add(m, 1, 7);
    tapir_val k = val(s64{1});
    tapir_stat_sum sum;
    ASSERT_TRUE(tapir_map_get_stat(m, &k, &sum));
    EXPECT_EQ(sum.count, 1);
    EXPECT_EQ(sum.sum, 7);
    EXPECT_EQ(sum.max, 7);
    k = val(s64{2});
    ASSERT_TRUE(tapir_map_get_stat(m, &k, &sum));
    EXPECT_EQ(sum.sum, 401);
}

TEST_F(Ages, MakeRoom) {
    start_at(1);
    tapir_map *m = maps_[kSmall];
    for (s64 key = 1; key <= 4; key++)
        set(m, key, key);
    pass(9);
    set(m, 5, 5);
    EXPECT_EQ(order(m), Keys{5});
    for (s64 key = 6; key <= 9; key++)
        set(m, key, key);
    EXPECT_EQ(order(m), (Keys{6, 7, 8, 9}));
}

TEST_F(Ages, ManyLeaveSomeAtATimeAndTheirMemoryIsUsedAgain) {
    start_at(static_cast<u64>(tapir_port_ktime_ns()));  // the host looks at the clock, too
    tapir_map *m = maps_[kStats];
    u64 bytes = 0;
    for (int round = 0; round < 5; round++) {
        for (s64 i = 0; i < 20000; i++) {
            add(m, i * 4096 + round, i);
            if (i % 500 == 0) tapir_host_tend();
        }
        ASSERT_EQ(error(), "");
        EXPECT_EQ(m->count, 20000u);
        if (round == 1) bytes = tapir_arrays_bytes();
        if (round > 1) {
            EXPECT_LE(tapir_arrays_bytes(), bytes + bytes / 8);
        }
        pass(9);
        EXPECT_EQ(m->count, 0u);
        EXPECT_EQ(order(m), Keys{});
        EXPECT_EQ(longest_chain(m), 0u);
        tapir_host_tend();
    }
}

// The session thread may be late: elements then stay longer, never shorter.
TEST_F(Ages, ALateTickIsOneTick) {
    start_at(1);
    tapir_map *m = maps_[kLongs];
    pass(7);
    set(m, 1, 1);
    now_ += 100 * kAge;
    tapir_globals_age(now_);
    EXPECT_EQ(order(m), Keys{1});
    EXPECT_EQ(tapir_globals_age(now_ + 1), now_ + kTick);
    pass(8);
    EXPECT_EQ(order(m), Keys{});
}

TEST_F(Ages, NoArrayWithOneAsksForNothing) {
    for (auto &desc : descs_)
        desc.age = 0;
    start(true);
    EXPECT_EQ(tapir_globals_age(5), 0u);
    set(maps_[kLongs], 1, 1);
    EXPECT_EQ(maps_[kLongs]->stamp_at, 0u);
}

TEST_F(Ages, AProcessLooksWhenAHandlerEnds) {
    descs_[kLongs].age = 100'000'000;
    start();
    tapir_map *m = maps_[kLongs];
    const s64 written = tapir_port_ktime_ns();
    set(m, 1, 1);
    EXPECT_TRUE(tests::patiently(5, [&] {
        enter();
        tapir_host_leave(c_);
        return m->count == 0;
    }));
    EXPECT_GE(tapir_port_ktime_ns() - written, 100'000'000);
}

// Adders on all CPUs while elements leave: no sample is in two elements, and none that is left is lost.
TEST_F(Ages, LeavingWhileAdding) {
    constexpr s64 kRounds = 40000, kKeys = 64;
    start(true);
    tapir_map *m = maps_[kStats];
    std::atomic<bool> done = false;
    std::thread session([&] {
        for (u64 now = 1; !done; now += kTick)
            tapir_globals_age(now);
    });
    std::atomic<s64> errors = 0;
    on_every_cpu([&](u32 cpu) {
        for (s64 i = 0; i < kRounds; i++) {
            tapir_ctx *c = tapir_host_enter(cpu, TAPIR_LEVEL_TASK, tapir_module.probes);
            tapir_val k = val((i / 16 + cpu) % kKeys);
            tapir_map_add_stat(c, m, &k, 3, &kSite);
            errors += c->failed == TAPIR_FAIL_ERROR;
            tapir_host_leave(c);
        }
    });
    done = true;
    session.join();
    EXPECT_EQ(errors, 0);
    tapir_iter it;
    tapir_foreach spec = {};
    u32 elements = 0;
    tapir_foreach_begin(c_, &it, m, &spec, 0, nullptr, nullptr);
    while (tapir_foreach_next(&it)) {
        tapir_stat_sum s;
        tapir_foreach_value_stat(&it, &s);
        EXPECT_EQ(s.sum, 3 * s.count);
        EXPECT_GT(s.count, 0);
        EXPECT_EQ(s.min, 3);
        elements++;
    }
    EXPECT_EQ(elements, m->count);
    EXPECT_LE(elements, kKeys);
}

}  // namespace
}  // namespace tapir::test
