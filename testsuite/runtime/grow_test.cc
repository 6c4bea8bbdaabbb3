// SPDX-License-Identifier: GPL-2.0-or-later
// Arrays that grow and shrink while handlers run.
#include <algorithm>
#include <array>
#include <cstring>

#include "grow_fixture.h"

namespace tapir::test {
namespace {

TEST_F(Grow, ManyMoreThanAtFirst) {
    start();
    tapir_map *m = maps_[kLongs];
    const u32 first = m->pools[0].capacity;
    EXPECT_LE(first, 10240u);
    EXPECT_GE(first, 2048u);
    for (s64 i = 0; i < 300000; i++) {
        set(m, i * 4096, i);
        if (i % 1000 == 0) enter();
        ASSERT_EQ(error(), "") << i;
    }
    enter();
    EXPECT_EQ(m->count, 300000u);
    EXPECT_EQ(m->older, nullptr);
    EXPECT_GE(tapir_table_size(m->table), 300000u / 2);
    EXPECT_LE(longest_chain(m), 16u);
    for (s64 i = 0; i < 300000; i++)
        ASSERT_EQ(get(m, i * 4096), i);
    Keys keys = order(m);
    ASSERT_EQ(keys.size(), 300000u);
    EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
}

TEST_F(Grow, TheDefaultLimitHolds) {
    start(false, 0, 0);
    tapir_map *m = maps_[kStrings];
    char key[24];
    for (s64 i = 0; i <= TAPIR_DEFAULT_MAXMAPENTRIES; i++) {
        snprintf(key, sizeof(key), "%d", static_cast<int>(i));
        tapir_val k = val(key);
        tapir_map_set_long(c_, m, &k, i, &kSite);
        if (i == TAPIR_DEFAULT_MAXMAPENTRIES) break;
        ASSERT_FALSE(c_->failed) << i << c_->message;
        if (i % 1000 == 0) enter();
    }
    EXPECT_EQ(error(), "Array overflow, check MAXMAPENTRIES");
    EXPECT_EQ(m->count, u32{TAPIR_DEFAULT_MAXMAPENTRIES});
}

TEST_F(Grow, ASizeOfItsOwnHolds) {
    start();
    tapir_map *m = maps_[kSmall];
    EXPECT_LT(m->pools[0].capacity, 100000u);
    for (s64 i = 0; i < 100000; i++) {
        set(m, i, i);
        ASSERT_EQ(error(), "") << i;
        if (i % 1000 == 0) enter();
    }
    set(m, -1, 1);
    EXPECT_EQ(error(), "Array overflow, check size limit (100000)");
    set(m, 5, 1);
    EXPECT_EQ(error(), "");
}

// Where handlers end with more new elements than are free, the error says so, and the array has room again a little
// later.
TEST_F(Grow, TooManyAtOnce) {
    start(true);
    tapir_map *m = maps_[kLongs];
    const s64 first = m->pools[0].capacity;
    for (s64 i = 0; i < first; i++)
        set(m, i, i);
    EXPECT_EQ(error(), "");
    set(m, first, 1);
    EXPECT_STREQ(c_->message, "Array overflow, no element of 'longs' is free yet");
    finish();
    EXPECT_EQ(take(TAPIR_REC_ERROR),
              "Array overflow, no element of 'longs' is free yet near identifier 'a' at t.stp:1:1 in probe "
              "kernel.function(\"vfs_read\") (it has " +
                  std::to_string(first) + " and grows, but too many were new at once)");
    tapir_host_tend();
    set(m, first, 1);
    EXPECT_EQ(error(), "");
    EXPECT_EQ(m->count, first + 1);
}

// There is time for memory: no handler of session level runs out of it.
TEST_F(Grow, SessionLevelDoesNotWait) {
    start(true);
    enter(0, TAPIR_LEVEL_SESSION);
    for (s64 i = 0; i < 200000; i++) {
        tapir_val k = val(i);
        set(maps_[kLongs], i, i);
        tapir_map_add_stat(c_, maps_[kStats], &k, i, &kSite);
        tapir_map_add_stat(c_, maps_[kStable], &k, i, &kSite);
        if (i < 100000) tapir_map_add_long_atomic(c_, maps_[kSmall], &k, i, &kSite);
        ASSERT_EQ(error(), "") << i;
    }
    for (int which : {kLongs, kStats, kStable})
        EXPECT_LE(longest_chain(maps_[which]), 16u);
    for (s64 i = 0; i < 200000; i++) {
        tapir_val k = val(i);
        tapir_stat_sum s;
        ASSERT_TRUE(tapir_map_get_stat(maps_[kStable], &k, &s));
        ASSERT_EQ(s.sum, i);
        ASSERT_TRUE(tapir_map_get_stat(maps_[kStats], &k, &s));
        ASSERT_EQ(s.sum, i);
    }
}

TEST_F(Grow, ArraysHaveTheirShare) {
    start(false, 64u << 20);
    tapir_map *m = maps_[kLongs];
    s64 i = 0;
    for (; i < 1000000 && !c_->failed; i++) {
        set(m, i, i);
        if (i % 500 == 0 && !c_->failed) enter();
    }
    EXPECT_GT(m->count, 40000u);
    EXPECT_LE(tapir_arrays.bytes, 16u << 20);
    EXPECT_GT(tapir_arrays.bytes, 14u << 20);
    const std::string text =
        "Array overflow, no memory for more than " + std::to_string(m->count) + " elements of 'longs'";
    EXPECT_EQ(c_->message, text);
    finish();
    const std::string report = take(TAPIR_REC_ERROR);
    EXPECT_TRUE(report.starts_with(text + " near identifier 'a' at t.stp:1:1 in probe kernel.function")) << report;
    EXPECT_TRUE(report.ends_with(" MB; they may take a quarter of the available memory)")) << report;
    // Memory that another array gives back can be had.
    const u64 before = tapir_arrays.bytes;
    tapir_map_clear(c_, m, nullptr);
    set(m, 1, 1);
    tapir_map_clear(c_, m, nullptr);
    enter();
    EXPECT_LT(tapir_arrays.bytes, before - (4u << 20));
    for (i = 0; i < 20000; i++) {
        set(maps_[kSmall], i, i);
        if (i % 500 == 0) enter();
    }
    EXPECT_EQ(error(), "");
}

// A growing array sees memory that others take and give back meanwhile.
TEST_F(Grow, ArraysLeaveOthersTheirMemory) {
    start(false, 1u << 30);
    tapir_map *m = maps_[kLongs];
    s64 n = 0;
    const auto fill = [&](s64 goal) {
        for (; n < goal && !c_->failed; n++) {
            set(m, n, n);
            if (n % 500 == 0 && !c_->failed) enter();
        }
        return n == goal && !c_->failed;
    };
    ASSERT_TRUE(fill(50000));
    const u64 taken = tapir_arrays.bytes, capacity = m->pools[0].capacity;
    // There is room for another batch, but the arrays have more than a quarter of what is left.
    tapir_host.memory -= tapir_port_room() - 2 * taken;
    EXPECT_FALSE(fill(200000));
    EXPECT_EQ(tapir_arrays.bytes, taken);
    EXPECT_EQ(m->pools[0].capacity, capacity);
    finish();
    std::string report = take(TAPIR_REC_ERROR);
    EXPECT_TRUE(report.ends_with(" (all arrays take " + std::to_string(taken >> 20) +
                                 " MB; they may take a quarter of the available memory)"))
        << report;
    // There is none.
    enter();
    tapir_host.memory -= tapir_port_room();
    EXPECT_FALSE(fill(200000));
    enter();
    EXPECT_FALSE(fill(200000));
    finish();
    report = take(TAPIR_REC_ERROR);
    EXPECT_TRUE(report.ends_with(" (the machine has no memory to spare; all arrays take " +
                                 std::to_string(taken >> 20) + " MB)"))
        << report;
    enter();
    tapir_host.memory = 1u << 30;
    set(m, -1, 1);
    error();
    enter();
    EXPECT_TRUE(fill(200000)) << c_->message;
}

TEST_F(Grow, FailedAllocationsAreSurvived) {
    start(true);
    tapir_map *m = maps_[kLongs];
    const s64 first = m->pools[0].capacity;
    for (s64 i = 0; i < first; i++)
        set(m, i, i);
    for (u64 n = 1; n < 16; n++) {
        // A batch is tried at every size down to the smallest; then copies and tables.
        tapir_host.fail_alloc = n;
        tapir_host_tend();
        tapir_host.fail_alloc = 0;
        set(m, -static_cast<s64>(n), 1);
        const std::string text = error();
        EXPECT_TRUE(text.empty() || text == "Array overflow, no memory for more than " + std::to_string(m->count) +
                                                " elements of 'longs'")
            << text;
        tapir_pool_ask(m->pools);
    }
    tapir_host_tend();
    set(m, 123456789, 7);
    EXPECT_EQ(error(), "");
    for (s64 i = 0; i < first; i++)
        ASSERT_EQ(get(m, i), i);
}

// Deleting everything keeps what that took, and the next time what was not needed any more goes.
TEST_F(Grow, MemoryIsGivenBack) {
    start();
    tapir_map *m = maps_[kLongs];
    const u64 first = tapir_arrays.bytes;
    const auto fill = [&](s64 count) {
        for (s64 i = 0; i < count; i++) {
            set(m, i, i + 1);
            if (i % 1000 == 0) enter();
        }
        ASSERT_EQ(error(), "");
    };
    fill(200000);
    const u64 full = tapir_arrays.bytes, live = tapir_host_live_allocations();
    EXPECT_GT(full, first + 200000 * 64);
    tapir_map_clear(c_, m, nullptr);
    enter();
    EXPECT_GE(tapir_arrays.bytes, full / 4 * 3);
    fill(10);
    EXPECT_EQ(order(m).size(), 10u);
    // A loop goes on over what it deletes; its elements stay for as long as the handler may look at them.
    tapir_iter it;
    tapir_foreach spec = {};
    tapir_foreach_begin(c_, &it, m, &spec, 0, nullptr, nullptr);
    for (s64 i = 0; tapir_foreach_next(&it); i++) {
        EXPECT_EQ(tapir_foreach_key_long(&it, 0), i);
        if (i == 0) tapir_map_clear(c_, m, nullptr);
    }
    enter();
    EXPECT_LT(tapir_host_live_allocations(), live);
    EXPECT_LT(m->pools[0].capacity, 40000u);
    fill(200000);
    EXPECT_EQ(get(m, 199999), 200000);
    EXPECT_EQ(m->count, 200000u);
}

TEST_F(Grow, StringsTakeWhatTheyNeed) {
    start();
    tapir_map *m = maps_[kStrings], *pairs = maps_[kPairs];
    EXPECT_GT(m->npools, 1u);
    const u64 before = tapir_arrays.bytes;
    const auto key = [](s64 i) {
        std::string s = std::to_string(i) + "-" + std::string(static_cast<size_t>(i % 3 ? i % 20 : i % 120), 'k');
        return s.substr(0, Buffer::cap - 1);
    };
    for (s64 i = 0; i < 50000; i++) {
        const std::string one = key(i), two = key(i * 7);
        tapir_val k[] = {val(one.c_str()), val(i), val(two.c_str())};
        tapir_map_set_long(c_, m, k, i, &kSite);
        tapir_map_set_long(c_, pairs, k, -i, &kSite);
        ASSERT_EQ(error(), "") << i;
        if (i % 50 == 0) enter();
    }
    // With strings at full length, 192 bytes and 320 bytes twice for each element.
    EXPECT_LT(tapir_arrays.bytes - before, 50000u * (192 + 2 * 320));
    for (s64 i = 0; i < 50000; i++) {
        const std::string one = key(i), two = key(i * 7);
        tapir_val k[] = {val(one.c_str()), val(i), val(two.c_str())};
        ASSERT_EQ(tapir_map_get_long(m, k), i);
        ASSERT_EQ(tapir_map_get_long(pairs, k), -i);
        k[2] = val("none");
        ASSERT_FALSE(tapir_map_contains(pairs, k));
    }
    // Delete every other one and set them anew with other lengths; the rest is as it was.
    for (s64 i = 0; i < 50000; i += 2) {
        const std::string one = key(i), two = key(i * 7);
        tapir_val k[] = {val(one.c_str()), val(i), val(two.c_str())};
        tapir_map_delete(c_, pairs, k);
        k[0] = val(two.c_str());
        k[2] = val(one.c_str());
        tapir_map_set_long(c_, pairs, k, i, &kSite);
        ASSERT_EQ(error(), "") << i;
        if (i % 100 == 0) enter();
    }
    EXPECT_EQ(pairs->count, 50000u);
    tapir_iter it;
    tapir_foreach spec = loop(TAPIR_SORT_ASCENDING, 3);
    std::string last;
    s64 seen = 0;
    tapir_foreach_begin(c_, &it, pairs, &spec, 0, nullptr, nullptr);
    for (; tapir_foreach_next(&it); seen++) {
        const s64 i = tapir_foreach_key_long(&it, 1);
        ASSERT_EQ(tapir_foreach_key_string(&it, 0), key(i % 2 ? i : i * 7));
        ASSERT_EQ(tapir_foreach_key_string(&it, 2), key(i % 2 ? i * 7 : i));
        ASSERT_EQ(tapir_foreach_value_long(&it), i % 2 ? -i : i);
        ASSERT_LE(last, tapir_foreach_key_string(&it, 2));
        last = tapir_foreach_key_string(&it, 2);
    }
    EXPECT_EQ(seen, 50000);
    // A slice by the last of two strings.
    tapir_val slice[] = {val(""), val(s64{0}), val(last.c_str())};
    EXPECT_TRUE(tapir_map_contains_slice(c_, pairs, slice, 1u << 2, nullptr));
    slice[2] = val("none");
    EXPECT_FALSE(tapir_map_contains_slice(c_, pairs, slice, 1u << 2, nullptr));
}

TEST_F(Grow, SnapshotsFollow) {
    start();
    struct {
        u32 count = 2;
        tapir_snapshot of[2] = {{kLongs, TAPIR_SORT_NONE, 0, 0, 0}, {kPairs, TAPIR_SORT_NONE, 0, 0, 0}};
    } two;
    const auto *set_of_two = reinterpret_cast<const tapir_snapshots *>(&two);
    for (s64 i = 0; i < 60000; i++) {
        const std::string text = std::string(static_cast<size_t>(i % 100), 'x');
        tapir_val k[] = {val(text.c_str()), val(i), val("behind")};
        set(maps_[kLongs], i, i);
        tapir_map_set_long(c_, maps_[kPairs], k, -i, &kSite);
        ASSERT_EQ(error(), "") << i;
        if (i % 100 == 0) enter();
    }
    enter(1);
    ASSERT_TRUE(tapir_snapshots_take(c_, set_of_two, nullptr));
    tapir_map_clear(c_, maps_[kPairs], nullptr);
    tapir_iter it;
    tapir_foreach spec = {};
    s64 n = 0;
    tapir_foreach_begin_snapshot(c_, &it, maps_[kPairs], &spec, 0, nullptr, nullptr);
    for (; tapir_foreach_next(&it); n++) {
        ASSERT_EQ(strlen(tapir_foreach_key_string(&it, 0)), static_cast<size_t>(n % 100));
        ASSERT_EQ(tapir_foreach_key_long(&it, 1), n);
        ASSERT_STREQ(tapir_foreach_key_string(&it, 2), "behind");
        ASSERT_EQ(tapir_foreach_value_long(&it), -n);
    }
    EXPECT_EQ(n, 60000);
    tapir_snapshots_drop(set_of_two);
}

// Without room for all copies there is no snapshot; the handler goes through the array itself.
TEST_F(Grow, NoRoomForCopies) {
    start(true);
    struct {
        u32 count = 1;
        tapir_snapshot of[1] = {{kLongs, TAPIR_SORT_NONE, 0, 0, 0}};
    } one;
    const auto *set_of_one = reinterpret_cast<const tapir_snapshots *>(&one);
    tapir_map *m = maps_[kLongs];
    const s64 first = m->pools[0].capacity;
    for (s64 i = 0; i < first; i++)
        set(m, i, i);
    tapir_host.fail_alloc = 2;  // the copies
    tapir_host_tend();
    tapir_host.fail_alloc = 0;
    set(m, first, 1);
    ASSERT_EQ(error(), "");
    enter(1);
    EXPECT_FALSE(tapir_snapshots_take(c_, set_of_one, nullptr));
    tapir_pool_ask(m->pools);
    tapir_host_tend();
    EXPECT_TRUE(tapir_snapshots_take(c_, set_of_one, nullptr));
    EXPECT_EQ(m->ncopied, first + 1);
    tapir_snapshots_drop(set_of_one);
}

// Every operation finds elements that have not moved to a larger table yet.
TEST_F(Grow, BetweenTables) {
    start();
    const auto keys = [](s64 i, const char *text) { return std::array<tapir_val, 3>{val(text), val(i), val("b")}; };
    const std::string texts[] = {"short", "of 8 and", "not so short a text that it fits in two words"};
    for (s64 i = 0; i < 3; i++) {
        tapir_val k = val(i);
        const auto three = keys(i, texts[i].c_str());
        set(maps_[kLongs], i, i + 1);
        tapir_map_set_long(c_, maps_[kStrings], three.data(), i + 1, &kSite);
        tapir_map_set_long(c_, maps_[kPairs], three.data(), i + 1, &kSite);
        for (int which : {kStats, kStable})
            tapir_map_add_stat(c_, maps_[which], &k, i + 1, &kSite);
    }
    for (tapir_map *m : maps_) {
        tapir_table *table = tapir_table_create(2 * tapir_table_size(m->table));
        table->next = m->older = m->table;
        m->table = table;
    }
    for (s64 i = 0; i < 3; i++) {
        tapir_val k = val(i);
        const auto three = keys(i, texts[i].c_str());
        EXPECT_EQ(get(maps_[kLongs], i), i + 1);
        EXPECT_TRUE(has(maps_[kLongs], i));
        EXPECT_EQ(tapir_map_add_long(c_, maps_[kLongs], &k, 10, &kSite), i + 11);
        EXPECT_EQ(tapir_map_add_long_atomic(c_, maps_[kLongs], &k, 10, &kSite), i + 21);
        for (int which : {kStrings, kPairs}) {
            EXPECT_EQ(tapir_map_get_long(maps_[which], three.data()), i + 1);
            EXPECT_EQ(tapir_map_add_long(c_, maps_[which], three.data(), 10, &kSite), i + 11);
        }
        for (int which : {kStats, kStable}) {
            tapir_stat_sum s;
            tapir_map_add_stat(c_, maps_[which], &k, 1, &kSite);
            EXPECT_TRUE(tapir_map_contains(maps_[which], &k));
            EXPECT_TRUE(tapir_map_get_stat(maps_[which], &k, &s));
            EXPECT_EQ(s.sum, i + 2);
        }
    }
    for (int which : {kLongs, kStrings, kPairs, kStats}) {
        const auto three = keys(1, texts[1].c_str());
        const tapir_val *k = which == kLongs || which == kStats ? &three[1] : three.data();
        EXPECT_EQ(maps_[which]->count, 3u);
        tapir_map_delete(c_, maps_[which], k);
        EXPECT_EQ(maps_[which]->count, 2u);
        EXPECT_FALSE(tapir_map_contains(maps_[which], k));
    }
    set(maps_[kLongs], 1, 7);
    EXPECT_EQ(get(maps_[kLongs], 1), 7);
    EXPECT_EQ(order(maps_[kLongs]), (Keys{0, 2, 1}));
    tapir_map_clear(c_, maps_[kLongs], nullptr);
    EXPECT_FALSE(has(maps_[kLongs], 0));
    EXPECT_EQ(error(), "");
}

TEST_F(Grow, ArraysThatForgetHaveTheirSizeFromTheStart) {
    descs_[kLongs].wrap = 1;
    start(true, 0, 0);
    tapir_map *m = maps_[kLongs];
    EXPECT_EQ(m->max_entries, 2048u);
    for (s64 i = 0; i < 5000; i++)
        set(m, i, i);
    EXPECT_EQ(error(), "");
    EXPECT_EQ(m->count, 2048u);
    EXPECT_FALSE(has(m, 5000 - 2049));
    EXPECT_TRUE(has(m, 5000 - 2048));
}

TEST_F(Grow, PercentilesOfManyElements) {
    stat_.sketch = 1;
    start();
    tapir_map *m = maps_[kStats];
    for (s64 i = 0; i < 6000; i++) {
        tapir_val k = val(i);
        for (s64 n = 1; n <= 3; n++)
            tapir_map_add_stat(c_, m, &k, i + n, &kSite);
        ASSERT_EQ(error(), "") << i;
        if (i % 100 == 0) enter();
    }
    for (s64 i = 0; i < 40; i++) {
        tapir_val k = val(i);
        tapir_stat_sum s;
        ASSERT_TRUE(tapir_map_get_stat(m, &k, &s));
        EXPECT_EQ(tapir_stat_percentile(c_, &s, 50, 100, &kSite), i + 2);
    }
    EXPECT_EQ(take(TAPIR_REC_WARNING), "");
}

}  // namespace
}  // namespace tapir::test
