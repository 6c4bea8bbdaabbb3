// SPDX-License-Identifier: GPL-2.0-or-later
// Snapshots of arrays, and the selection of a few elements instead of sorting all.
#include <algorithm>
#include <random>

#include "fixture.h"

namespace tapir::test {
namespace {

constexpr u16 kMapIndex = 3;  // global_map
struct OneSnapshot {
    u32 count = 1;
    tapir_snapshot of[1] = {{kMapIndex, TAPIR_SORT_NONE, 0, 0, 0}};
    const tapir_snapshots *set() const { return reinterpret_cast<const tapir_snapshots *>(this); }
};

struct MapLockset {
    u32 count = 1;
    u16 globals[1] = {kMapIndex};
    const tapir_lockset *set() const { return reinterpret_cast<const tapir_lockset *>(this); }
};

class Snapshot : public Runtime {
  protected:
    void SetUp() override {
        Runtime::SetUp();
        enter(0, TAPIR_LEVEL_SESSION);
        ASSERT_TRUE(tapir_globals_create(c_, 500));
        enter(1, TAPIR_LEVEL_TASK);
    }
    void TearDown() override {
        tapir_globals_destroy();
        Runtime::TearDown();
    }
    void fill(u32 n, u64 seed, s64 values) {
        std::mt19937_64 random(seed);
        for (u32 i = 0; i < n; i++)
            set(i, static_cast<s64>(random() % static_cast<u64>(values)));
    }
    void set(s64 key, s64 value) {
        tapir_val k = val(key);
        tapir_map_set_long(c_, global_map, &k, value, nullptr);
        contents_.push_back({key, value});
    }
    using Pairs = std::vector<std::pair<s64, s64>>;
    static Pairs rest(tapir_iter &it) {
        Pairs out;
        while (tapir_foreach_next(&it))
            out.push_back({tapir_foreach_key_long(&it, 0), tapir_foreach_value_long(&it)});
        return out;
    }
    Pairs snapshot(tapir_foreach spec, s64 limit = 0) {
        tapir_iter it;
        tapir_foreach_begin_snapshot(c_, &it, global_map, &spec, limit, nullptr, nullptr);
        return rest(it);
    }
    Pairs live(tapir_foreach spec, s64 limit = 0, const tapir_val *slice = nullptr) {
        tapir_iter it;
        tapir_foreach_begin(c_, &it, global_map, &spec, limit, slice, nullptr);
        return rest(it);
    }
    // The result of a stable sort, cut at `limit`.
    Pairs sorted(const tapir_foreach &spec, s64 limit) const {
        Pairs out = contents_;
        std::stable_sort(out.begin(), out.end(), [&](const auto &a, const auto &b) {
            s64 x = spec.column ? a.first : a.second, y = spec.column ? b.first : b.second;
            return spec.sort == TAPIR_SORT_ASCENDING ? x < y : x > y;
        });
        out.resize(std::min(out.size(), static_cast<size_t>(limit)));
        return out;
    }
    Pairs contents_;
};

TEST_F(Snapshot, IsWhatTheArrayWas) {
    fill(200, 1, 50);
    OneSnapshot one;
    ASSERT_TRUE(tapir_snapshots_take(c_, one.set(), nullptr));
    Pairs before = contents_;
    tapir_map_clear(c_, global_map, nullptr);
    set(7, 7);
    EXPECT_EQ(snapshot({}), before);
    EXPECT_EQ(live({}), (Pairs{{7, 7}}));
    contents_ = before;
    tapir_foreach spec = {TAPIR_SORT_DESCENDING, 0, 0, 1, 0};
    EXPECT_EQ(snapshot(spec, 17), sorted(spec, 17));
    tapir_snapshots_drop(one.set());
}

TEST_F(Snapshot, IsHadByOneAndNotAtSessionLevel) {
    OneSnapshot one;
    struct {
        u32 count = 2;
        tapir_snapshot of[2] = {{kMapIndex, TAPIR_SORT_NONE, 0, 0, 0}, {kMapIndex, TAPIR_SORT_NONE, 0, 0, 0}};
    } twice;
    ASSERT_TRUE(tapir_snapshots_take(c_, one.set(), nullptr));
    EXPECT_FALSE(tapir_snapshots_take(c_, one.set(), nullptr));
    tapir_snapshots_drop(one.set());
    // All or nothing.
    EXPECT_FALSE(tapir_snapshots_take(c_, reinterpret_cast<const tapir_snapshots *>(&twice), nullptr));
    ASSERT_TRUE(tapir_snapshots_take(c_, one.set(), nullptr));
    tapir_snapshots_drop(one.set());
    enter(0, TAPIR_LEVEL_SESSION);
    EXPECT_FALSE(tapir_snapshots_take(c_, one.set(), nullptr));
}

// Its copies cost a report nothing of its budget.
TEST_F(Snapshot, IsHadByReports) {
    fill(200, 1, 50);
    OneSnapshot one;
    enter(0, TAPIR_LEVEL_REPORT);
    tapir_handler_start(c_, tapir_module.probes, 100);
    const MapLockset held;
    ASSERT_TRUE(tapir_locks_take(c_, held.set()));
    ASSERT_TRUE(tapir_snapshots_take(c_, one.set(), nullptr));
    tapir_locks_drop(c_, held.set());
    EXPECT_EQ(c_->budget + c_->reserve, 100);
    EXPECT_EQ(snapshot({}), contents_);
    tapir_snapshots_drop(one.set());
}

TEST_F(Snapshot, CopiesNoMoreThanTheLoopSees) {
    fill(300, 2, 40);
    OneSnapshot one;
    for (u8 sort : {TAPIR_SORT_ASCENDING, TAPIR_SORT_DESCENDING})
        for (u8 column : {0, 1})
            for (u32 limit : {1u, 5u, 30u, 31u, 400u}) {
                one.of[0] = {kMapIndex, sort, column, limit, 0};
                ASSERT_TRUE(tapir_snapshots_take(c_, one.set(), nullptr));
                tapir_foreach spec = {sort, column, 0, 1, 0};
                EXPECT_EQ(snapshot(spec, limit), sorted(spec, limit));
                if (limit <= 30) {
                    EXPECT_EQ(snapshot({}).size(), limit);
                }
                tapir_snapshots_drop(one.set());
            }
    one.of[0] = {kMapIndex, TAPIR_SORT_NONE, 0, 12, 0};
    ASSERT_TRUE(tapir_snapshots_take(c_, one.set(), nullptr));
    EXPECT_EQ(snapshot({}), Pairs(contents_.begin(), contents_.begin() + 12));
    tapir_snapshots_drop(one.set());
    // The array itself is in no other order for that.
    EXPECT_EQ(live({}), contents_);
}

TEST_F(Snapshot, SmallLimitsBringToTheFront) {
    fill(300, 3, 30);
    for (u8 sort : {TAPIR_SORT_ASCENDING, TAPIR_SORT_DESCENDING})
        for (u8 column : {0, 1})
            for (s64 limit : {1, 2, 29, 30}) {
                tapir_foreach spec = {sort, column, 0, 1, 0};
                Pairs first = live(spec, limit), expected = sorted(spec, limit), others;
                EXPECT_EQ(first, expected);
                // The rest stays in its order, and nothing is lost.
                for (const auto &pair : contents_)
                    if (std::find(first.begin(), first.end(), pair) == first.end()) others.push_back(pair);
                contents_ = first;
                contents_.insert(contents_.end(), others.begin(), others.end());
                EXPECT_EQ(live({}), contents_);
            }
    set(1000, 1);
    EXPECT_EQ(live({}), contents_);
    tapir_val slice[] = {val(s64{1000})};
    EXPECT_EQ(live({TAPIR_SORT_DESCENDING, 0, 0, 1, 1}, 3, slice), (Pairs{{1000, 1}}));
}

}  // namespace
}  // namespace tapir::test
