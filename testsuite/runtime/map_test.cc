// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cstring>
#include <list>
#include <map>
#include <random>

#include "map_fixture.h"

extern "C" {
#include <tapir/map_layout.h>
}

namespace tapir::test {
namespace {

TEST_F(Map, MissingElementsReadAsNothingAndAreNotCreated) {
    Array a(map_descriptor({TAPIR_LONG}, TAPIR_LONG));
    EXPECT_EQ(get(a, 1), 0);
    EXPECT_FALSE(has(a, 1));
    Array s(map_descriptor({TAPIR_STRING}, TAPIR_STRING));
    Buffer b;
    strcpy(b.text, "old");
    tapir_val k = val("k");
    tapir_map_get_string(s, &k, b.text);
    EXPECT_STREQ(b.text, "");
    EXPECT_FALSE(tapir_map_contains(s, &k));
}

TEST_F(Map, ZeroAndEmptyAreValues) {
    Array a(map_descriptor({TAPIR_LONG}, TAPIR_LONG));
    set(a, 1, 0);
    EXPECT_TRUE(has(a, 1));
    Array s(map_descriptor({TAPIR_LONG}, TAPIR_STRING));
    tapir_val k = val(s64{5});
    tapir_map_set_string(c_, s, &k, "", &kSite);
    EXPECT_TRUE(tapir_map_contains(s, &k));
}

TEST_F(Map, NumbersWrap) {
    Array a(map_descriptor({TAPIR_LONG}, TAPIR_LONG));
    tapir_val k = val(s64{1});
    EXPECT_EQ(tapir_map_add_long(c_, a, &k, INT64_MAX, &kSite), INT64_MAX);
    EXPECT_EQ(tapir_map_add_long(c_, a, &k, 1, &kSite), INT64_MIN);
    *tapir_map_slot_long(c_, a, &k, &kSite) = 7;
    EXPECT_EQ(get(a, 1), 7);
    k = val(s64{2});
    EXPECT_EQ(*tapir_map_slot_long(c_, a, &k, &kSite), 0);
    EXPECT_TRUE(has(a, 2));
}

TEST_F(Map, OverflowNamesTheLimit) {
    Array a(map_descriptor({TAPIR_LONG}, TAPIR_LONG), 2);
    set(a, 1, 1);
    set(a, 2, 2);
    set(a, 1, 3);  // existing elements can still be written
    EXPECT_FALSE(c_->failed);
    set(a, 3, 3);
    EXPECT_STREQ(c_->message, "Array overflow, check MAXMAPENTRIES");
    EXPECT_EQ(c_->site, &kSite);
    c_->failed = 0;
    Array sized(map_descriptor({TAPIR_LONG}, TAPIR_LONG, 1));
    set(sized, 1, 1);
    tapir_val k = val(s64{2});
    EXPECT_EQ(tapir_map_slot_long(c_, sized, &k, &kSite), nullptr);
    EXPECT_STREQ(c_->message, "Array overflow, check size limit (1)");
}

TEST_F(Map, WrapRecyclesTheHead) {
    Array a(map_descriptor({TAPIR_LONG}, TAPIR_LONG, 5, true));
    for (s64 i = 0; i < 10; i++)
        set(a, i, i * i);
    EXPECT_EQ(order(a), (Keys{5, 6, 7, 8, 9}));
    EXPECT_EQ(get(a, 9), 81);
    tapir_val k = val(s64{20});
    EXPECT_EQ(tapir_map_add_long(c_, a, &k, 1, &kSite), 1);  // the recycled value is gone
    tapir_foreach down = loop(TAPIR_SORT_DESCENDING, 1);
    EXPECT_EQ(order(a, down), (Keys{20, 9, 8, 7, 6}));
    set(a, 30, 1);  // sorting moved 20 to the head
    EXPECT_EQ(order(a), (Keys{9, 8, 7, 6, 30}));
    EXPECT_FALSE(c_->failed);
}

TEST_F(Map, DeletingKeepsTheOrderOfTheRest) {
    Array a(map_descriptor({TAPIR_LONG}, TAPIR_LONG), 4);
    for (s64 i = 1; i <= 4; i++)
        set(a, i, i);
    remove(a, 3);
    remove(a, 1);
    remove(a, 99);
    EXPECT_EQ(order(a), (Keys{2, 4}));
    set(a, 1, 5);
    EXPECT_EQ(order(a), (Keys{2, 4, 1}));
    remove(a, 1);
    EXPECT_EQ(get(a, 1), 0);
    tapir_map_clear(c_, a, nullptr);
    EXPECT_EQ(order(a), Keys{});
    for (s64 i = 1; i <= 4; i++)
        set(a, i, 0);
    EXPECT_FALSE(c_->failed);
    EXPECT_EQ(get(a, 2), 0);
}

TEST_F(Map, StringsAreCutAtTheCapacity) {
    Array a(map_descriptor({TAPIR_STRING}, TAPIR_STRING));
    std::string longest(Buffer::cap - 1, 'k');
    tapir_val full = val(longest.c_str());
    std::string longer = longest + "tail";
    tapir_val cut = val(longer.c_str());
    tapir_map_set_string(c_, a, &cut, longer.c_str(), &kSite);
    EXPECT_TRUE(tapir_map_contains(a, &full));
    EXPECT_TRUE(tapir_map_contains(a, &cut));
    Buffer b;
    tapir_map_get_string(a, &full, b.text);
    EXPECT_EQ(longest, b.text);
    tapir_iter it;
    tapir_foreach spec = {};
    tapir_foreach_begin(c_, &it, a, &spec, 0, nullptr, nullptr);
    ASSERT_TRUE(tapir_foreach_next(&it));
    EXPECT_EQ(longest, tapir_foreach_key_string(&it, 0));
    EXPECT_EQ(longest, tapir_foreach_value_string(&it));
    EXPECT_FALSE(tapir_foreach_next(&it));
}

TEST_F(Map, KeysAreComparedUpToTheirEndOnly) {
    Array a(map_descriptor({TAPIR_STRING}, TAPIR_LONG));
    Buffer b;
    memset(b.text, '#', Buffer::cap);
    strcpy(b.text, "bash");
    tapir_val k = val(b.text);
    tapir_map_set_long(c_, a, &k, 7, &kSite);
    memset(b.text, '!', Buffer::cap);
    strcpy(b.text, "bash");
    EXPECT_EQ(tapir_map_get_long(a, &k), 7);
    tapir_val other = val("bas");
    EXPECT_FALSE(tapir_map_contains(a, &other));
}

// Around the lengths that lookup treats apart, at every alignment, in every kind of array.
TEST_F(Map, StringKeysOfEveryLengthAndAlignment) {
    Array numbers(map_descriptor({TAPIR_STRING}, TAPIR_LONG), 200);
    Array strings(map_descriptor({TAPIR_STRING}, TAPIR_STRING), 200);
    Array stats(map_descriptor({TAPIR_STRING}, TAPIR_STAT, 0, false, true), 200);
    for (int round = 0; round < 3; round++) {
        for (size_t length = 0; length < 40; length++) {
            for (char last : {'a', 'b'}) {
                std::string key(length, 'x');
                if (length)
                    key.back() = last;
                else if (last == 'b')
                    continue;
                for (size_t shift = 0; shift < 8; shift++) {
                    alignas(8) char text[64];
                    memset(text, '?', sizeof(text));
                    strcpy(text + shift, key.c_str());
                    tapir_val k = val(text + shift);
                    tapir_map_add_long(c_, numbers, &k, 1, &kSite);
                    tapir_map_set_string(c_, strings, &k, key.c_str(), &kSite);
                    tapir_map_add_stat(c_, stats, &k, static_cast<s64>(length), &kSite);
                }
            }
        }
    }
    ASSERT_FALSE(c_->failed);
    for (size_t length = 0; length < 40; length++) {
        std::string key(length, 'x');
        if (length) key.back() = 'b';
        tapir_val k = val(key.c_str());
        EXPECT_EQ(tapir_map_get_long(numbers, &k), 24) << length;
        Buffer b;
        tapir_map_get_string(strings, &k, b.text);
        EXPECT_EQ(key, b.text);
        tapir_stat_sum s;
        EXPECT_TRUE(tapir_map_get_stat(stats, &k, &s));
        EXPECT_EQ(s.count, 24);
        EXPECT_EQ(s.sum, static_cast<s64>(24 * length));
    }
    EXPECT_EQ(order(numbers).size(), 79u);
}

// Keys that differ in few, high bits only must not share a chain: lookups of all of them stay far below quadratic.
TEST_F(Map, KeysSpreadOverTheBuckets) {
    for (int shift : {0, 12, 32, 48, 52}) {
        Array a(map_descriptor({TAPIR_LONG}, TAPIR_LONG), 4096);
        for (s64 i = 0; i < 4096; i++)
            set(a, static_cast<s64>(static_cast<u64>(i) << shift), i);
        tapir_map *m = a;
        u32 longest = 0;
        for (u32 i = 0; i < 4096; i++) {
            u32 length = 0;
            for (tapir_node *node = m->table->buckets[i]; node; node = node->chain)
                length++;
            longest = std::max(longest, length);
        }
        EXPECT_LE(longest, 12u) << shift;
    }
}

TEST_F(Map, AtomicAddCreatesAndOverflows) {
    Array a(map_descriptor({TAPIR_STRING}, TAPIR_LONG, 2));
    for (const char *key : {"short", "a key of more than sixteen bytes"}) {
        tapir_val k = val(key);
        EXPECT_EQ(tapir_map_add_long_atomic(c_, a, &k, 5, &kSite), 5);
        EXPECT_EQ(tapir_map_add_long_atomic(c_, a, &k, -7, &kSite), -2);
        EXPECT_EQ(tapir_map_get_long(a, &k), -2);
    }
    tapir_val k = val("third");
    EXPECT_EQ(tapir_map_add_long_atomic(c_, a, &k, 1, &kSite), 0);
    EXPECT_STREQ(c_->message, "Array overflow, check size limit (2)");
}

TEST_F(Map, NineMixedKeys) {
    Array a(map_descriptor({TAPIR_LONG, TAPIR_STRING, TAPIR_LONG, TAPIR_STRING, TAPIR_LONG, TAPIR_LONG, TAPIR_LONG,
                            TAPIR_LONG, TAPIR_STRING},
                           TAPIR_LONG),
            100);
    auto keys = [](s64 n, const char *s) {
        return std::vector<tapir_val>{val(n),      val(s),      val(n),      val("b"), val(s64{5}),
                                      val(s64{6}), val(s64{7}), val(s64{8}), val(s)};
    };
    for (s64 n = 0; n < 10; n++) {
        tapir_map_set_long(c_, a, keys(n, "x").data(), n, &kSite);
        tapir_map_set_long(c_, a, keys(n, "y").data(), -n, &kSite);
    }
    for (s64 n = 0; n < 10; n++) {
        EXPECT_EQ(tapir_map_get_long(a, keys(n, "x").data()), n);
        EXPECT_EQ(tapir_map_get_long(a, keys(n, "y").data()), -n);
    }
    EXPECT_FALSE(tapir_map_contains(a, keys(3, "z").data()));
    // Slices: all with key 1 = "y".
    auto want = keys(0, "y");
    EXPECT_TRUE(tapir_map_contains_slice(c_, a, want.data(), 1u << 1, nullptr));
    EXPECT_TRUE(tapir_map_contains_slice(c_, a, keys(9, "?").data(), 1u << 0, nullptr));
    EXPECT_FALSE(tapir_map_contains_slice(c_, a, keys(10, "y").data(), 1u << 0 | 1u << 8, nullptr));
    tapir_foreach spec = loop(TAPIR_SORT_ASCENDING, 0, TAPIR_SORT_COUNT, 0, 1u << 1);
    EXPECT_EQ(order(a, spec, 0, want.data()), (Keys{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}));
    spec.has_limit = 1;
    EXPECT_EQ(order(a, spec, 2, want.data()), (Keys{9, 8}));
    tapir_map_delete_slice(c_, a, want.data(), 1u << 1, nullptr);
    EXPECT_FALSE(tapir_map_contains_slice(c_, a, want.data(), 1u << 1, nullptr));
    EXPECT_TRUE(tapir_map_contains(a, keys(3, "x").data()));
}

TEST_F(Map, SortIsStableAndStays) {
    Array a(map_descriptor({TAPIR_LONG}, TAPIR_LONG), 100);
    for (s64 i = 0; i < 20; i++)
        set(a, i, i % 3);
    Keys up, down;
    for (s64 want = 0; want < 3; want++) {
        for (s64 i = 0; i < 20; i++)
            if (i % 3 == want) up.push_back(i);
    }
    tapir_foreach spec = loop(TAPIR_SORT_ASCENDING);
    EXPECT_EQ(order(a, spec), up);
    EXPECT_EQ(order(a), up);
    for (s64 want = 2; want >= 0; want--) {
        for (s64 i : up)
            if (i % 3 == want) down.push_back(i);
    }
    spec.sort = TAPIR_SORT_DESCENDING;
    EXPECT_EQ(order(a, spec), down);
    remove(a, 4);
    set(a, 4, 0);
    down.erase(std::find(down.begin(), down.end(), 4));
    down.push_back(4);
    EXPECT_EQ(order(a), down);
}

TEST_F(Map, SortOfEverySize) {
    std::mt19937 random(7);
    for (size_t n = 0; n < 70; n++) {
        Array a(map_descriptor({TAPIR_LONG}, TAPIR_LONG), 100);
        std::vector<std::pair<s64, s64>> want;
        for (size_t i = 0; i < n; i++) {
            s64 value = static_cast<s64>(random() % 10) - 5;
            set(a, static_cast<s64>(i), value);
            want.push_back({value, static_cast<s64>(i)});
        }
        std::stable_sort(want.begin(), want.end(), [](auto &x, auto &y) { return x.first < y.first; });
        Keys keys;
        for (auto &w : want)
            keys.push_back(w.second);
        tapir_foreach spec = loop(TAPIR_SORT_ASCENDING);
        EXPECT_EQ(order(a, spec), keys);
    }
}

TEST_F(Map, SortByStrings) {
    Array a(map_descriptor({TAPIR_LONG, TAPIR_STRING}, TAPIR_STRING));
    const char *names[] = {"pear", "apple", "\xc3\xa9", "app"};
    for (s64 i = 0; i < 4; i++) {
        tapir_val k[] = {val(i), val(names[i])};
        tapir_map_set_string(c_, a, k, names[3 - i], &kSite);
    }
    tapir_foreach by_key = loop(TAPIR_SORT_ASCENDING, 2);
    EXPECT_EQ(order(a, by_key), (Keys{3, 1, 0, 2}));
    tapir_foreach by_value = loop(TAPIR_SORT_DESCENDING);
    EXPECT_EQ(order(a, by_value), (Keys{1, 3, 2, 0}));
}

TEST_F(Map, LimitCounts) {
    Array a(map_descriptor({TAPIR_LONG}, TAPIR_LONG));
    for (s64 i = 0; i < 5; i++)
        set(a, i, -i);
    tapir_foreach spec = loop(TAPIR_SORT_ASCENDING, 0, 0, 1);
    EXPECT_EQ(order(a, spec, 2), (Keys{4, 3}));
    EXPECT_EQ(order(a, spec, 0), Keys{});
    EXPECT_EQ(order(a, spec, -3), Keys{});
    EXPECT_EQ(order(a, spec, 99).size(), 5u);
}

// Random operations against a list of pairs.
TEST_F(Map, AgainstTheObvious) {
    std::mt19937 random(8);
    for (bool wrap : {false, true}) {
        Array a(map_descriptor({TAPIR_LONG, TAPIR_STRING}, TAPIR_LONG, 20, wrap));
        std::list<std::pair<std::pair<s64, std::string>, s64>> model;
        for (int step = 0; step < 20000; step++) {
            std::pair<s64, std::string> key = {random() % 6, std::string(random() % 5, 'x')};
            tapir_val k[] = {val(key.first), val(key.second.c_str())};
            auto found = std::find_if(model.begin(), model.end(), [&](auto &e) { return e.first == key; });
            switch (random() % 4) {
                case 0:
                    tapir_map_delete(c_, a, k);
                    if (found != model.end()) model.erase(found);
                    break;
                case 1:
                    ASSERT_EQ(tapir_map_get_long(a, k), found == model.end() ? 0 : found->second);
                    break;
                default: {
                    s64 value = static_cast<s64>(random());
                    tapir_map_set_long(c_, a, k, value, &kSite);
                    if (found != model.end()) {
                        found->second = value;
                    } else if (model.size() < 20 || wrap) {
                        if (model.size() == 20) model.pop_front();
                        model.push_back({key, value});
                    }
                    ASSERT_EQ(c_->failed != 0,
                              !wrap && found == model.end() && model.size() == 20 && model.back().first != key);
                    c_->failed = 0;
                }
            }
        }
        tapir_iter it;
        tapir_foreach spec = {};
        tapir_foreach_begin(c_, &it, a, &spec, 0, nullptr, nullptr);
        for (auto &e : model) {
            ASSERT_TRUE(tapir_foreach_next(&it));
            EXPECT_EQ(tapir_foreach_key_long(&it, 0), e.first.first);
            EXPECT_EQ(tapir_foreach_key_string(&it, 1), e.first.second);
            EXPECT_EQ(tapir_foreach_value_long(&it), e.second);
        }
        EXPECT_FALSE(tapir_foreach_next(&it));
    }
}

TEST_F(Map, EveryFailedAllocationIsSurvived) {
    tapir_map_desc desc = map_descriptor({TAPIR_LONG}, TAPIR_STAT);
    tapir_stat_desc stat = stat_descriptor(&kLogHist, true);
    tapir_map *m = nullptr;
    tapir_global g = {"a", TAPIR_GLOBAL_MAP, 0, &desc, &stat, &m, nullptr, nullptr, 0};
    u64 n = 1;
    for (; n < 20; n++) {
        tapir_host.fail_alloc = n;
        m = tapir_map_create(&g, 10, 4, Buffer::cap);
        if (m) break;
        EXPECT_EQ(tapir_host_live_allocations(), allocations_) << n;
    }
    EXPECT_EQ(n, 6u);  // the map, its buckets, nodes, slots and CPU locks
    tapir_host.fail_alloc = 0;
    tapir_map_destroy(m);
}

// The forecast equals the allocation, but for parts that do not grow with the array.
TEST_F(Map, DemandIsWhatIsAllocated) {
    tapir_stat_desc plain = stat_descriptor(), histogram = stat_descriptor(&kLogHist, true), sketch = stat_descriptor();
    sketch.sketch = 1;
    tapir_map_desc reported = map_descriptor({TAPIR_LONG}, TAPIR_LONG);
    reported.reported = 1;
    tapir_map_desc known = map_descriptor({TAPIR_STRING}, TAPIR_STAT, 0, false, true);
    known.known = 1;
    const struct {
        tapir_map_desc desc;
        const tapir_stat_desc *stat;
    } cases[] = {{map_descriptor({TAPIR_LONG}, TAPIR_LONG), &plain},
                 {map_descriptor({TAPIR_LONG, TAPIR_STRING}, TAPIR_STRING), &plain},
                 {reported, &plain},
                 {known, &plain},
                 {map_descriptor({TAPIR_LONG}, TAPIR_STAT), &histogram},
                 {map_descriptor({TAPIR_STRING}, TAPIR_STAT), &sketch}};
    for (const auto &c : cases) {
        tapir_map *m = nullptr;
        tapir_global g = {"a", TAPIR_GLOBAL_MAP, 0, &c.desc, c.stat, &m, nullptr, nullptr, 0};
        const u64 before = tapir_host_allocated_bytes();
        m = tapir_map_create(&g, 3000, 4, Buffer::cap);
        ASSERT_NE(m, nullptr);
        const u64 allocated = tapir_host_allocated_bytes() - before, told = tapir_map_bytes(&g, 3000, 4, Buffer::cap);
        EXPECT_LE(told, allocated);
        EXPECT_LE(allocated - told, 4096u);
        tapir_map_destroy(m);
    }
    for (const tapir_stat_desc *stat : {&plain, &histogram, &sketch}) {
        const u64 before = tapir_host_allocated_bytes();
        tapir_stat_slot *slots = tapir_stat_create(stat, 4);
        ASSERT_NE(slots, nullptr);
        const u64 allocated = tapir_host_allocated_bytes() - before, told = tapir_stat_bytes(stat, 4);
        EXPECT_LE(told, allocated);
        EXPECT_LE(allocated - told, 4096u);
        tapir_stat_destroy(slots);
    }
}

TEST_F(Map, DemandSaysWhatIsLargest) {
    tapir_demand demand = {};
    tapir_demand_add(&demand, 5, "", "a", "less of a");
    tapir_demand_add(&demand, 9, "the ", "b", "less of b");
    tapir_demand_add(&demand, 9, "", "c", "less of c");
    EXPECT_EQ(demand.bytes, 23u);
    EXPECT_EQ(demand.largest, 9u);
    EXPECT_STREQ(demand.name, "b");
    EXPECT_STREQ(demand.advice, "less of b");
    tapir_demand_add(&demand, tapir_demand_times(1ull << 40, 1ull << 40), "", "d", "");
    EXPECT_EQ(demand.bytes, ~0ull);
    EXPECT_STREQ(demand.name, "d");
}

TEST_F(Map, SizesThatOverflowAreRefused) {
    tapir_map_desc desc = map_descriptor({TAPIR_LONG}, TAPIR_STAT, 0, true);  // "%": all of it at the start
    tapir_stat_desc stat = stat_descriptor(&kLogHist, true);
    tapir_map *m = nullptr;
    tapir_global g = {"a", TAPIR_GLOBAL_MAP, 0, &desc, &stat, &m, nullptr, nullptr, 0};
    EXPECT_EQ(tapir_map_create(&g, ~0u, 8192, 1u << 20), nullptr);
    EXPECT_GT(tapir_map_bytes(&g, ~0u, 8192, 1u << 20), 1ull << 50);
    EXPECT_EQ(tapir_host_live_allocations(), allocations_);
}

TEST_F(Map, LockedFormsTakeTheLockOnce) {
    Array a(map_descriptor({TAPIR_LONG}, TAPIR_LONG));
    tapir_val k = val(s64{1});
    tapir_map_set_long_locked(c_, a.global(), &k, 5, &kSite);
    EXPECT_EQ(tapir_map_add_long_locked(c_, a.global(), &k, 2, &kSite), 7);
    EXPECT_EQ(tapir_map_get_long_locked(c_, a.global(), &k), 7);
    EXPECT_TRUE(tapir_port_trylock(a.global()->lock));  // it was dropped
    // Nested over a holder: skipped and counted, not waited for.
    tapir_ctx *nmi = tapir_host_enter(0, TAPIR_LEVEL_NMI, tapir_module.probes);
    EXPECT_EQ(tapir_map_add_long_locked(nmi, a.global(), &k, 1, &kSite), 0);
    EXPECT_EQ(nmi->failed, TAPIR_FAIL_SKIP);
    EXPECT_EQ(tapir_host_probe_of(tapir_module.probes)->skipped[TAPIR_SKIP_LOCK], 1u);
    tapir_host_leave(nmi);
    // The session thread takes no locks.
    tapir_ctx *session = tapir_host_enter(0, TAPIR_LEVEL_SESSION, tapir_module.probes);
    EXPECT_EQ(tapir_map_add_long_locked(session, a.global(), &k, 1, &kSite), 8);
    tapir_host_leave(session);
    tapir_port_unlock(a.global()->lock);
}

}  // namespace
}  // namespace tapir::test
