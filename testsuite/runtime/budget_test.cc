// SPDX-License-Identifier: GPL-2.0-or-later
// The cost of handlers that go through arrays, in units and in time, and that the charged work is done right.
#include <algorithm>
#include <random>
#include <tuple>

#include "map_fixture.h"

extern "C" {
#include "map_internal.h"
}

namespace tapir::test {
namespace {

tapir_foreach sorted(u8 direction, u8 column = 0) {
    tapir_foreach spec = {};
    spec.sort = direction;
    spec.column = column;
    return spec;
}

class Budget : public Map {
  protected:
    void TearDown() override {
        tapir_host.look_ns = 0;
        tapir_host.own = false;
        tapir_pace_set(TAPIR_DEFAULT_MAXACTION_INTERRUPTIBLE, ~0ull);
        Map::TearDown();
    }
    // Memory comes between handlers.
    void fill(tapir_map *m, s64 count, s64 (*value)(s64)) {
        for (s64 i = 0; i < count; i++) {
            if (i % 250 == 0) tapir_map_grow(m);
            set(m, i, value(i));
            ASSERT_FALSE(c_->failed) << c_->message;
        }
    }
    void start(s64 units) { tapir_handler_start(c_, tapir_module.probes, units); }
    s64 left() const { return c_->budget + c_->reserve; }
    s64 cost_of_sorting(tapir_map *m, const tapir_foreach &spec) {
        start(1000000);
        tapir_iter it;
        tapir_foreach_begin(c_, &it, m, &spec, 0, nullptr, &kSite);
        EXPECT_FALSE(c_->failed);
        return 1000000 - left();
    }
    // Every element is there once, and each knows its neighbours.
    void expect_whole(tapir_map *m, u32 count) {
        u32 seen = 0;
        tapir_node *before = nullptr;
        for (tapir_node *node = m->head; node; before = node, node = node->next, seen++)
            ASSERT_EQ(node->u.prev, before);
        EXPECT_EQ(m->tail, before);
        EXPECT_EQ(seen, count);
        std::vector<s64> keys = order(m);
        std::sort(keys.begin(), keys.end());
        EXPECT_EQ(std::unique(keys.begin(), keys.end()) - keys.begin(), static_cast<std::ptrdiff_t>(count));
    }
};

TEST_F(Budget, SmallArraysCostNothingLargeOnesByTheirElements) {
    Array a(map_descriptor({TAPIR_LONG}, TAPIR_LONG), 65536);
    for (s64 i = 0; i < 60; i++)
        set(a, i, i * 37 % 64);
    EXPECT_EQ(cost_of_sorting(a, sorted(TAPIR_SORT_DESCENDING)), 0);
    fill(a, 65536, [](s64 i) { return i * 40503 % 65536; });
    // A look at each element, and a walk for each byte in which their values differ.
    EXPECT_EQ(cost_of_sorting(a, sorted(TAPIR_SORT_DESCENDING)), 3 * 65536 / TAPIR_WALK_ELEMENTS);
    start(3 * 65536 / TAPIR_WALK_ELEMENTS);
    tapir_iter it;
    tapir_foreach spec = sorted(TAPIR_SORT_ASCENDING);
    tapir_foreach_begin(c_, &it, a, &spec, 0, nullptr, &kSite);
    EXPECT_EQ(c_->failed, TAPIR_FAIL_ACTIONS);
    EXPECT_STREQ(c_->message, "MAXACTION exceeded");
    EXPECT_EQ(c_->site, &kSite);
    start(1000000);
    expect_whole(a, 65536);
}

TEST_F(Budget, NumbersAreSortedStably) {
    std::mt19937_64 random(7);
    for (u64 range : {3ull, 1000ull, ~0ull}) {
        Array a(map_descriptor({TAPIR_LONG}, TAPIR_LONG), 4096);
        std::vector<std::pair<s64, s64>> model;
        for (s64 i = 0; i < 3000; i++) {
            model.push_back({i, static_cast<s64>(random() % range - range / 2)});
            set(a, i, model.back().second);
        }
        for (u8 direction : {TAPIR_SORT_ASCENDING, TAPIR_SORT_DESCENDING, TAPIR_SORT_ASCENDING}) {
            std::stable_sort(model.begin(), model.end(), [&](auto &x, auto &y) {
                return direction == TAPIR_SORT_ASCENDING ? x.second < y.second : x.second > y.second;
            });
            std::vector<s64> keys;
            for (auto &entry : model)
                keys.push_back(entry.first);
            start(1000000);
            EXPECT_EQ(order(a, sorted(direction)), keys) << range;
        }
        expect_whole(a, 3000);
    }
}

TEST_F(Budget, StringsAreSortedByAllOfThem) {
    std::mt19937 random(3);
    for (const char *start_of_all : {"", "/usr/lib/x86_64-linux-gnu/", "/usr/lib/"}) {
        Array a(map_descriptor({TAPIR_STRING}, TAPIR_LONG), 4096);
        std::vector<std::string> model;
        for (s64 i = 0; i < 2000; i++) {
            std::string text = start_of_all;
            for (u32 n = random() % 20; n > 0; n--)
                text += static_cast<char>(n > 8 ? 'a' : 1 + random() % 255);
            if (std::find(model.begin(), model.end(), text) != model.end()) continue;
            model.push_back(text);
            tapir_val k = val(text.c_str());
            tapir_map_set_long(c_, a, &k, i, &kSite);
        }
        ASSERT_GT(model.size(), 500u);
        std::sort(model.begin(), model.end());
        for (u8 direction : {TAPIR_SORT_ASCENDING, TAPIR_SORT_DESCENDING}) {
            start(1000000);
            std::vector<std::string> got;
            tapir_iter it;
            tapir_foreach spec = sorted(direction, 1);
            tapir_foreach_begin(c_, &it, a, &spec, 0, nullptr, &kSite);
            while (tapir_foreach_next(&it))
                got.push_back(tapir_foreach_key_string(&it, 0));
            EXPECT_EQ(got, model);
            std::reverse(model.begin(), model.end());
        }
    }
}

TEST_F(Budget, TimeEndsASortAndLeavesTheArrayWhole) {
    Array a(map_descriptor({TAPIR_LONG}, TAPIR_LONG), 65536);
    fill(a, 50000, [](s64 i) { return i * 7919 % 50021; });
    // So many looks fit into the time; wherever it ends, all elements stay.
    for (u64 looks : {1, 10, 25, 40, 49, 60, 76, 77}) {
        tapir_pace_set(1000000, 10000);
        tapir_host.look_ns = TAPIR_LOOK_ELEMENTS * TAPIR_WORK_LINKED;
        start(1000000);
        c_->own = tapir_pace.limit_ns - looks * tapir_host.look_ns - 50000 * 8;
        tapir_iter it;
        tapir_foreach spec = sorted(looks % 2 ? TAPIR_SORT_ASCENDING : TAPIR_SORT_DESCENDING);
        tapir_foreach_begin(c_, &it, a, &spec, 0, nullptr, &kSite);
        EXPECT_EQ(c_->failed, looks < 77 ? TAPIR_FAIL_ACTIONS : TAPIR_FAIL_NONE) << looks;
        if (c_->failed) {
            EXPECT_STREQ(c_->message, "MAXTIME exceeded");
        }
        tapir_host.look_ns = 0;
        start(1000000);
        expect_whole(a, 50000);
    }
}

TEST_F(Budget, OrdinaryStatementsHaveTheirUnitsOnAnySlowMachine) {
    tapir_pace_set(10000, 10000);
    tapir_host.look_ns = 1000000000;
    start(10000);
    s64 units = 0;
    do {
        c_->budget -= 1;
        units++;
    } while (c_->budget > 0 || !tapir_actions_spent(c_, &kSite));
    EXPECT_EQ(units, 10000);
    EXPECT_STREQ(c_->message, "MAXACTION exceeded");
}

TEST_F(Budget, MoreUnitsThanThatHaveTheirTime) {
    tapir_pace_set(1000000, 10000);
    tapir_host.look_ns = 20000;
    start(1000000);
    s64 units = 0;
    do {
        c_->budget -= 1;
        units++;
    } while (c_->budget > 0 || !tapir_actions_spent(c_, &kSite));
    EXPECT_STREQ(c_->message, "MAXTIME exceeded");
    EXPECT_EQ(units, 10000000 / 20000 * tapir_pace.at_once);
    EXPECT_FALSE(tapir_error_catch(c_, nullptr, 0));
    tapir_handler_finish(c_);
    EXPECT_NE(take(TAPIR_REC_ERROR).find("(a handler may take 10000 us)"), std::string::npos);
    start(1000);
}

// With its limit of 10 ms and 0.1 ms between two looks: what was before the first look counts, and so does what follows
// the last.
TEST_F(Budget, AllTimeCountsWhereItIsTheHandlers) {
    tapir_pace_set(10000, 10000);
    tapir_host.own = true;
    tapir_host.look_ns = 100000;
    tapir_handler_start(c_, tapir_module.probes, 10000);
    c_->looks = 0;
    s64 units = 0;
    do {
        c_->budget -= 1;
        units++;
    } while (c_->budget > 0 || !tapir_actions_spent(c_, &kSite));
    EXPECT_STREQ(c_->message, "MAXTIME exceeded");
    // A hundred spans of as many units: none before the limit, none after it.
    EXPECT_NEAR(units, 100 * tapir_pace.at_once, tapir_pace.at_once);
    tapir_handler_finish(c_);
    take(TAPIR_REC_ERROR);
    start(1000);
}

// A single statement that takes half the time does not end a handler.
TEST_F(Budget, OneLongStatementIsNotTakenForMany) {
    tapir_pace_set(10000, 10000);
    tapir_host.own = true;
    tapir_host.look_ns = 1000;
    start(10000);
    EXPECT_TRUE(tapir_go_on(c_, TAPIR_WORK_ELEMENT, 0, &kSite));
    tapir_host.look_ns = 5000000;
    EXPECT_TRUE(tapir_go_on(c_, TAPIR_WORK_ELEMENT, 0, &kSite));
    tapir_host.look_ns = 1000;
    EXPECT_TRUE(tapir_go_on(c_, TAPIR_WORK_ELEMENT, 0, &kSite));
    tapir_host.look_ns = 0;
    start(1000);
}

// Where others may have the processor, time counts as far as what was done can have taken it.
TEST_F(Budget, TimeOfOthersDoesNotCount) {
    tapir_pace_set(10000, 10000);
    tapir_host.look_ns = 1000000000;
    start(10000);
    s64 pieces = 0;
    while (tapir_work(c_, 1000))
        pieces++;
    EXPECT_NEAR(pieces, 10000, 2.0 * TAPIR_WORK_AT_ONCE / 1000);
    EXPECT_STREQ(c_->message, "MAXTIME exceeded");
    tapir_handler_finish(c_);
    take(TAPIR_REC_ERROR);
    // No more than passes, however much is reckoned.
    tapir_host.look_ns = TAPIR_WORK_AT_ONCE / 10;
    start(10000);
    for (pieces = 0; tapir_work(c_, TAPIR_WORK_AT_ONCE + 1) && pieces < 10000;)
        pieces++;
    EXPECT_NEAR(pieces, 100000000.0 / TAPIR_WORK_AT_ONCE, 2);
    tapir_handler_finish(c_);
    take(TAPIR_REC_ERROR);
    start(1000);
}

// Units, statements that are none, and work add up.
TEST_F(Budget, AllThatWasDoneIsReckoned) {
    tapir_pace_set(10000, 10000);
    tapir_host.look_ns = 1000000000;
    start(10000);
    tapir_spare_begin(c_);
    s64 rounds = 0;
    const auto round = [&] {
        c_->spare -= 5;
        if (c_->spare <= 0 && tapir_spare_spent(c_, &kSite)) return false;
        if (--c_->budget <= 0 && tapir_actions_spent(c_, &kSite)) return false;
        return tapir_work(c_, 700);
    };
    while (round())
        rounds++;
    EXPECT_STREQ(c_->message, "MAXTIME exceeded");
    EXPECT_NEAR(rounds, 10000000.0 / (5 * TAPIR_SPARE_NS + TAPIR_UNIT_NS + 700), 300);
    tapir_handler_finish(c_);
    take(TAPIR_REC_ERROR);
    start(1000);
}

// Work of one handler brings the next one's first look about, and is not counted there.
TEST_F(Budget, WorkGoesOnFromHandlerToHandler) {
    tapir_pace_set(10000, 10000);
    c_->looks = 0;
    c_->work = 10;
    EXPECT_TRUE(tapir_work(c_, 100));
    EXPECT_EQ(c_->looks, 1u);
    EXPECT_EQ(c_->work, TAPIR_WORK_AT_ONCE);
    EXPECT_EQ(c_->own, 90u / TAPIR_WORK_CAUTION);
    start(1000);
}

// The work that each kind of operation adds.
TEST_F(Budget, OperationsAddTheirWork) {
    const auto work = [&](auto &&operation) {
        c_->work = 1 << 30;
        operation();
        return (1 << 30) - c_->work;
    };
    const std::string text(Buffer::cap - 1, 'a');
    Buffer to;
    const s64 bytes = static_cast<s64>(text.size());
    EXPECT_GE(work([&] { tapir_str_find(c_, text.c_str(), "b", Buffer::cap); }), bytes * TAPIR_WORK_BYTE_LOOKED);
    EXPECT_GE(work([&] { tapir_str_replace(c_, to.text, text.c_str(), "b", "", Buffer::cap); }),
              bytes * (TAPIR_WORK_BYTE_LOOKED + TAPIR_WORK_BYTE_WRITTEN));
    EXPECT_EQ(work([&] { tapir_work_add_text(c_, text.c_str()); }), bytes * TAPIR_WORK_BYTE);
    tapir_fmt all = {};
    all.conv = TAPIR_CONV_STRING;
    all.precision = TAPIR_FMT_UNSET;
    const tapir_val value[] = {val(text.c_str())};
    EXPECT_GE(work([&] { tapir_sprintf(c_, to.text, Buffer::cap, &all, 1, value, &kSite); }), bytes * TAPIR_WORK_BYTE);
    EXPECT_GE(work([&] { tapir_stack_frame(c_, 0); }), TAPIR_WORK_KERNEL_WALK);
    EXPECT_GE(work([&] { tapir_ustack_frame(c_, 3000); }), TAPIR_WORK_USER_WALK);
    EXPECT_GE(work([&] { tapir_symbol_name(c_, 1, to.text, Buffer::cap); }), TAPIR_WORK_KERNEL_SYMBOL);
    EXPECT_GE(work([&] { tapir_usymbol_name(c_, 1, to.text, Buffer::cap); }), TAPIR_WORK_USER_SYMBOL);
    tapir_error_catch(c_, nullptr, 0);
}

// x+ somewhere, with the match as its group: short subjects add what they are long, and long ones end where the time
// does.
TEST_F(Budget, MatchesAreLookedAtWithinLongSubjects) {
    const u8 from_here = TAPIR_REGEX_FROM_HERE, end = TAPIR_REGEX_END;
    const u16 no = TAPIR_REGEX_NO;
    u8 classes[256] = {};
    classes[size_t{'x'}] = 1;
    const tapir_regex_op ops[] = {{end, 0}, {0, from_here}, {end, 0}, {0, 0}, {1, from_here}, {end, 0}};
    const u16 next[] = {0, 0, 1, 2, 2, 2}, edges[] = {0, 0, 0, 1, 0, 0};
    const u16 yes[] = {no, no, 3}, none[] = {no, no, no};
    const tapir_regex re = {3, 2, 1, 1, 1, classes, next, edges, yes, none, ops};
    const std::string text(60000, 'x');
    const u32 cap = 65536;
    std::vector<char> room(sizeof(tapir_regex_last) + cap);
    char *frame = c_->frame;
    c_->frame = room.data();
    tapir_pace_set(1000000, 10000);
    start(1000000);
    const s64 before = c_->work;
    EXPECT_TRUE(tapir_regex_search(c_, &re, "xxx", cap));
    EXPECT_EQ(before - c_->work, 3 * TAPIR_WORK_BYTE_GROUPED);
    EXPECT_TRUE(tapir_regex_test(c_, &re, "-xx", cap));
    EXPECT_EQ(before - c_->work, 3 * TAPIR_WORK_BYTE_GROUPED + 2 * TAPIR_WORK_BYTE_MATCHED);
    tapir_host.look_ns = 1000000;
    for (bool groups : {true, false}) {
        start(1000000);
        c_->own = 9000000;
        EXPECT_FALSE(groups ? tapir_regex_search(c_, &re, text.c_str(), cap)
                            : tapir_regex_test(c_, &re, (std::string(60000, '-') + "x").c_str(), cap));
        EXPECT_EQ(c_->failed, TAPIR_FAIL_ACTIONS);
        EXPECT_STREQ(c_->message, "MAXTIME exceeded");
        EXPECT_EQ(c_->site, nullptr);
        EXPECT_LT(c_->work, 0) << "the look behind the expression comes";
        EXPECT_TRUE(tapir_work_spent(c_, &kSite));
        EXPECT_EQ(c_->site, &kSite);
    }
    EXPECT_EQ(tapir_last_match(c_)->match.ngroups, 0u);
    tapir_host.look_ns = 0;
    start(1000000);
    c_->frame = frame;
}

// Statistics count the processors that exist, not all possible ones.
TEST_F(Budget, StatisticsCostByTheirProcessors) {
    const u16 some[] = {0, 3};
    tapir_stat_desc desc = stat_descriptor(&kLogHist, true);
    Array a(map_descriptor({TAPIR_LONG}, TAPIR_STAT), 100, desc);
    const u64 all = tapir_merge_work(&desc, kLogHist.buckets);
    tapir_host.processors = some;
    tapir_host.nprocessors = 2;
    EXPECT_EQ(tapir_merge_work(&desc, kLogHist.buckets), all / tapir_host.ncpus * 2);
    EXPECT_GE(tapir_merge_work(&desc, kLogHist.buckets), 2 * kLogHist.buckets * TAPIR_WORK_WORD);
    const tapir_val k = val(s64{1});
    for (u32 cpu : {3, 0, 3}) {
        enter(cpu);
        tapir_map_add_stat(c_, a, &k, cpu + 1, &kSite);
    }
    tapir_stat_sum s;
    ASSERT_TRUE(tapir_map_get_stat(a, &k, &s));
    EXPECT_EQ(s.count, 3);
    EXPECT_EQ(s.sum, 9);
    EXPECT_EQ(s.min, 1);
    EXPECT_EQ(s.max, 4);
    tapir_host.processors = nullptr;
    ASSERT_TRUE(tapir_map_get_stat(a, &k, &s));
    EXPECT_EQ(s.sum, 9);
    enter();
}

TEST_F(Budget, SessionLevelPaysForNoElements) {
    Array a(map_descriptor({TAPIR_LONG}, TAPIR_LONG), 65536);
    enter(0, TAPIR_LEVEL_SESSION);
    fill(a, 20000, [](s64 i) { return -i; });
    start(100);
    std::vector<s64> keys = order(a, sorted(TAPIR_SORT_ASCENDING));
    EXPECT_FALSE(c_->failed);
    EXPECT_EQ(keys.front(), 19999);
    EXPECT_EQ(left(), 100);
    enter();
}

// A report under locks has the limits of other handlers; its work without locks costs nothing.
TEST_F(Budget, ReportsHaveLimitsWhileTheyHoldLocks) {
    struct {
        u32 count = 1;
        u16 global = kGlobalLong;
    } set;
    const auto *locks = reinterpret_cast<const tapir_lockset *>(&set);
    Array a(map_descriptor({TAPIR_LONG}, TAPIR_LONG), 65536);
    enter(0, TAPIR_LEVEL_REPORT);
    fill(a, 20000, [](s64 i) { return -i; });
    tapir_pace_set(1000, 10000);
    start(5000);
    EXPECT_EQ(order(a, sorted(TAPIR_SORT_ASCENDING)).front(), 19999);
    EXPECT_EQ(left(), 5000);
    EXPECT_EQ(c_->budget, TAPIR_ACTIONS_AT_ONCE);

    ASSERT_TRUE(tapir_locks_take(c_, locks));
    EXPECT_EQ(c_->budget, tapir_pace.at_once);
    EXPECT_TRUE(tapir_afford(c_, 999, &kSite));
    EXPECT_EQ(left(), 5000);
    EXPECT_FALSE(tapir_afford(c_, 1, &kSite));
    EXPECT_STREQ(c_->message, "MAXACTION exceeded");
    tapir_locks_drop(c_, locks);
    tapir_handler_finish(c_);
    take(TAPIR_REC_ERROR);

    // Each stretch under locks has its time.
    tapir_host.look_ns = 3000000;
    tapir_pace_set(1000, 1000);
    start(5000);
    for (int i = 0; i < 5; i++) {
        ASSERT_TRUE(tapir_locks_take(c_, locks));
        EXPECT_TRUE(tapir_go_on(c_, TAPIR_WORK_ELEMENT, 0, &kSite));
        tapir_locks_drop(c_, locks);
        for (int k = 0; k < 10000; k++)
            ASSERT_TRUE(tapir_go_on(c_, TAPIR_WORK_ELEMENT, 0, &kSite));
    }
    ASSERT_TRUE(tapir_locks_take(c_, locks));
    for (int i = 0; i < 1000 && tapir_go_on(c_, TAPIR_WORK_ELEMENT, 0, &kSite); i++)
        ;
    EXPECT_STREQ(c_->message, "MAXTIME exceeded");
    tapir_locks_drop(c_, locks);
    tapir_handler_finish(c_);
    take(TAPIR_REC_ERROR);
    start(5000);
    enter();
}

// Others print meanwhile.
TEST_F(Budget, ReportsKeepTheirLinesTogether) {
    for (u8 level : {TAPIR_LEVEL_SESSION, TAPIR_LEVEL_REPORT}) {
        enter(0, level);
        start(5000);
        tapir_print_string(c_, "half a line");
        c_->budget = 0;
        EXPECT_FALSE(tapir_actions_spent(c_, &kSite));
        EXPECT_EQ(c_->out_len != 0, level == TAPIR_LEVEL_REPORT);
        EXPECT_EQ(finish(), "half a line");
    }
    enter();
}

TEST_F(Budget, ElementsBegunAnewHaveNoOldValues) {
    Array numbers(map_descriptor({TAPIR_LONG}, TAPIR_LONG), 1000);
    Array strings(map_descriptor({TAPIR_LONG}, TAPIR_STRING), 1000);
    Array stats(map_descriptor({TAPIR_LONG}, TAPIR_STAT), 1000);
    for (int round = 0; round < 3; round++) {
        for (s64 i = 0; i < 300 + 100 * round; i++) {
            tapir_val k = val(i);
            EXPECT_EQ(tapir_map_add_long(c_, numbers, &k, 7, &kSite), 7);
            tapir_map_add_stat(c_, stats, &k, 5, &kSite);
            tapir_stat_sum s;
            ASSERT_TRUE(tapir_map_get_stat(stats, &k, &s));
            EXPECT_EQ(s.count, 1);
            tapir_map_set_string(c_, strings, &k, "old", &kSite);
        }
        for (tapir_map *m :
             {static_cast<tapir_map *>(numbers), static_cast<tapir_map *>(strings), static_cast<tapir_map *>(stats)}) {
            tapir_val first = val(s64{0});
            tapir_map_delete(c_, m, &first);
            tapir_map_clear(c_, m, &kSite);
            EXPECT_EQ(m->count, 0u);
            EXPECT_FALSE(has(m, 5));
        }
    }
    EXPECT_FALSE(c_->failed);
}

TEST_F(Budget, SlicesCostWhatTheyPass) {
    Array a(map_descriptor({TAPIR_LONG, TAPIR_LONG}, TAPIR_LONG), 65536);
    start(1000000);
    for (s64 i = 0; i < 40000; i++) {
        if (i % 250 == 0) tapir_map_grow(a);
        const tapir_val k[] = {val(i), val(i % 2)};
        tapir_map_set_long(c_, a, k, i, &kSite);
    }
    const tapir_val none[] = {val(s64{0}), val(s64{5})};
    start(1000000);
    EXPECT_FALSE(tapir_map_contains_slice(c_, a, none, 2, &kSite));
    EXPECT_EQ(1000000 - left(), 40000 / TAPIR_LOOK_ELEMENTS * (TAPIR_LOOK_ELEMENTS / TAPIR_MATCH_ELEMENTS));
    start(100);
    EXPECT_FALSE(tapir_map_contains_slice(c_, a, none, 2, &kSite));
    EXPECT_STREQ(c_->message, "MAXACTION exceeded");
    start(100);
    tapir_iter it;
    tapir_foreach spec = {};
    spec.slice_mask = 2;
    tapir_foreach_begin(c_, &it, a, &spec, 0, none, &kSite);
    EXPECT_FALSE(tapir_foreach_next(&it));
    EXPECT_EQ(c_->failed, TAPIR_FAIL_ACTIONS);
    EXPECT_EQ(c_->site, &kSite);
    start(100);
    tapir_map_delete_slice(c_, a, none, 2, &kSite);
    EXPECT_EQ(c_->failed, TAPIR_FAIL_ACTIONS);
    start(1000);
    EXPECT_EQ(static_cast<tapir_map *>(a)->count, 40000u);
}

}  // namespace
}  // namespace tapir::test
