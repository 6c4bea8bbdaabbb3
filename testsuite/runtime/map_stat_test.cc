// SPDX-License-Identifier: GPL-2.0-or-later
// Arrays of statistics, and elements that are found by the address of a text.
#include <cstring>

#include "map_fixture.h"

extern "C" {
#include <tapir/map_layout.h>
}

namespace tapir::test {
namespace {

class StatMap : public Map {
  protected:
    void add(tapir_map *m, s64 key, s64 value) {
        tapir_val k = val(key);
        tapir_map_add_stat(c_, m, &k, value, &kSite);
    }
    tapir_stat_sum read(tapir_map *m, s64 key) {
        tapir_val k = val(key);
        tapir_stat_sum s;
        tapir_map_get_stat(m, &k, &s);
        return s;
    }
};

TEST_F(StatMap, MergesCpus) {
    for (bool stable : {true, false}) {
        Array a(map_descriptor({TAPIR_LONG}, TAPIR_STAT, 0, false, stable), 8, stat_descriptor(&kLogHist, true));
        for (u32 cpu = 0; cpu < 4; cpu++) {
            enter(cpu);
            add(a, 1, 10 * (cpu + 1));
            add(a, 2, -static_cast<s64>(cpu));
        }
        u64 buckets[TAPIR_HIST_LOG_BUCKETS];
        tapir_val k = val(s64{1});
        tapir_stat_sum s;
        ASSERT_TRUE(tapir_map_get_hist(a, &k, &kLogHist, buckets, &s));
        EXPECT_EQ(s.count, 4);
        EXPECT_EQ(s.sum, 100);
        EXPECT_EQ(s.min, 10);
        EXPECT_EQ(s.max, 40);
        EXPECT_EQ(s.buckets[64 + 4], 1u);
        EXPECT_EQ(s.buckets[64 + 5], 2u);  // 20 and 30
        EXPECT_EQ(s.buckets[64 + 6], 1u);
        s = read(a, 2);
        EXPECT_EQ(s.min, -3);
        EXPECT_EQ(s.max, 0);
        EXPECT_EQ(s.sum, -6);
    }
}

TEST_F(StatMap, MissingElementIsEmptyAndNotCreated) {
    Array a(map_descriptor({TAPIR_LONG}, TAPIR_STAT));
    tapir_val k = val(s64{1});
    tapir_stat_sum s;
    EXPECT_FALSE(tapir_map_get_stat(a, &k, &s));
    EXPECT_EQ(s.count, 0);
    EXPECT_EQ(s.sum, 0);
    EXPECT_FALSE(has(a, 1));
}

TEST_F(StatMap, OverflowWrapAndDelete) {
    Array full(map_descriptor({TAPIR_LONG}, TAPIR_STAT, 2, false, true));
    add(full, 1, 1);
    add(full, 2, 1);
    add(full, 1, 1);
    EXPECT_FALSE(c_->failed);
    add(full, 3, 1);
    EXPECT_STREQ(c_->message, "Array overflow, check size limit (2)");
    c_->failed = 0;
    Array wrap(map_descriptor({TAPIR_LONG}, TAPIR_STAT, 2, true));
    for (s64 i = 0; i < 5; i++) {
        add(wrap, i, i);
        add(wrap, i, i);
    }
    EXPECT_EQ(order(wrap), (Keys{3, 4}));
    EXPECT_EQ(read(wrap, 4).sum, 8);
    EXPECT_EQ(read(wrap, 3).count, 2);
    remove(wrap, 4);
    EXPECT_EQ(read(wrap, 4).count, 0);
    add(wrap, 4, 100);
    EXPECT_EQ(read(wrap, 4).sum, 100);
    tapir_map_clear(c_, wrap, nullptr);
    add(wrap, 3, 5);
    EXPECT_EQ(read(wrap, 3).count, 1);
    EXPECT_EQ(order(wrap), Keys{3});
}

TEST_F(StatMap, SortsByEveryOperator) {
    Array a(map_descriptor({TAPIR_LONG}, TAPIR_STAT), 8, stat_descriptor(nullptr, true));
    const std::vector<std::vector<s64>> samples = {{5, 5, 5}, {100}, {-50, 60}, {1, 2, 3, 4}};
    for (size_t k = 0; k < samples.size(); k++) {
        for (size_t i = 0; i < samples[k].size(); i++) {
            enter(static_cast<u32>(i) % 4);
            add(a, static_cast<s64>(k), samples[k][i]);
        }
    }
    struct {
        u8 by;
        Keys want;
    } cases[] = {{TAPIR_SORT_COUNT, {1, 2, 0, 3}},
                 {TAPIR_SORT_SUM, {2, 3, 0, 1}},
                 {TAPIR_SORT_MIN, {2, 3, 0, 1}},
                 {TAPIR_SORT_MAX, {3, 0, 2, 1}},
                 {TAPIR_SORT_AVG, {3, 0, 2, 1}}};
    for (auto &test : cases) {
        tapir_foreach spec = loop(TAPIR_SORT_ASCENDING, 0, test.by);
        tapir_foreach by_key = loop(TAPIR_SORT_ASCENDING, 1);
        order(a, by_key);
        EXPECT_EQ(order(a, spec), test.want) << int(test.by);
    }
}

TEST_F(StatMap, IteratedValues) {
    Array a(map_descriptor({TAPIR_STRING}, TAPIR_STAT));
    tapir_val k = val("x");
    tapir_map_add_stat(c_, a, &k, 3, &kSite);
    tapir_map_add_stat(c_, a, &k, 4, &kSite);
    tapir_iter it;
    tapir_foreach spec = {};
    tapir_foreach_begin(c_, &it, a, &spec, 0, nullptr, nullptr);
    ASSERT_TRUE(tapir_foreach_next(&it));
    tapir_stat_sum s;
    tapir_foreach_value_stat(&it, &s);
    EXPECT_EQ(s.sum, 7);
    EXPECT_STREQ(tapir_foreach_key_string(&it, 0), "x");
}

TEST_F(StatMap, VarianceInElements) {
    tapir_stat_desc stat = stat_descriptor();
    stat.variance = 1;
    Array a(map_descriptor({TAPIR_LONG}, TAPIR_STAT, 0, false, true), 8, stat);
    for (s64 i = 1; i <= 5; i++) {
        add(a, 1, i);
        add(a, 2, 7);
    }
    EXPECT_EQ(read(a, 1).variance, 2);
    EXPECT_EQ(read(a, 2).variance, 0);
}

// Elements by texts that stay. Texts whose places are taken, and equal texts at other addresses, are found by what they
// say.
class Known : public Map {
  protected:
    static tapir_map_desc known(u8 value) {
        tapir_map_desc d = map_descriptor({TAPIR_STRING}, value, 0, false, true);
        d.known = 1;
        return d;
    }
    s64 count(tapir_map *m, const char *text) {
        tapir_val k = val(text);
        tapir_stat_sum s;
        return tapir_map_get_stat(m, &k, &s) ? s.count : -1;
    }
    // `at` bytes into memory that is as long as the places reach, twice.
    const char *text(size_t at, const char *what) { return strcpy(&memory_[at], what); }

    alignas(8) char memory_[3 * 8 * TAPIR_KNOWN_TEXTS] = {};
};

TEST_F(Known, OnlyElementsThatAreThere) {
    Array a(known(TAPIR_STAT));
    const char *read = text(0, "read"), *longer = text(8, "a name of more than sixteen bytes"), *empty = text(64, "");
    for (const char *each : {read, longer, empty}) {
        tapir_val k = val(each);
        EXPECT_FALSE(tapir_map_attempt_stat(each, 0, a, 5));
        EXPECT_EQ(count(a, each), -1);
        tapir_map_add_stat(c_, a, &k, 5, &kSite);
        EXPECT_TRUE(tapir_map_attempt_stat(each, 0, a, 6));  // looks it up
        EXPECT_TRUE(tapir_map_attempt_stat(each, 1, a, 7));  // remembers
        tapir_stat_sum s;
        ASSERT_TRUE(tapir_map_get_stat(a, &k, &s));
        EXPECT_EQ(s.count, 3);
        EXPECT_EQ(s.sum, 18);
    }
}

TEST_F(Known, PlacesThatAreTaken) {
    Array a(known(TAPIR_STAT));
    const size_t round = 8 * TAPIR_KNOWN_TEXTS;
    // The first three share a place; the last says what the first does.
    const char *texts[] = {text(0, "one"), text(round, "two"), text(2 * round, "three"), text(8, "one")};
    for (const char *each : texts) {
        tapir_val k = val(each);
        tapir_map_add_stat(c_, a, &k, 1, &kSite);
    }
    for (int i = 0; i < 3; i++)
        for (const char *each : texts)
            EXPECT_TRUE(tapir_map_attempt_stat(each, 0, a, 1));
    EXPECT_EQ(count(a, "one"), 8);
    EXPECT_EQ(count(a, "two"), 4);
    EXPECT_EQ(count(a, "three"), 4);
}

TEST_F(Known, AllThatAStatisticKeeps) {
    Array a(known(TAPIR_STAT), 8, stat_descriptor(&kLogHist, true));
    const char *read = text(0, "read");
    tapir_val k = val(read);
    tapir_map_add_stat(c_, a, &k, 4, &kSite);
    EXPECT_TRUE(tapir_map_attempt_stat(read, 0, a, -3));
    EXPECT_TRUE(tapir_map_attempt_stat(read, 1, a, 9));
    tapir_stat_sum s;
    ASSERT_TRUE(tapir_map_get_stat(a, &k, &s));
    EXPECT_EQ(s.count, 3);
    EXPECT_EQ(tapir_stat_min(c_, &s, &kSite), -3);
    EXPECT_EQ(tapir_stat_max(c_, &s, &kSite), 9);
}

TEST_F(Known, Counters) {
    Array a(known(TAPIR_LONG));
    const char *read = text(0, "read");
    tapir_val k = val(read);
    EXPECT_FALSE(tapir_map_attempt_long(read, a, 2));
    EXPECT_EQ(tapir_map_add_long_atomic(c_, a, &k, 1, &kSite), 1);
    EXPECT_TRUE(tapir_map_attempt_long(read, a, 2));
    EXPECT_TRUE(tapir_map_attempt_long(read, a, -5));
    EXPECT_EQ(tapir_map_get_long(a, &k), -2);
}

}  // namespace
}  // namespace tapir::test
