// SPDX-License-Identifier: GPL-2.0-or-later
// Threads stand for CPUs; totals must be exact in any interleaving.
#include <atomic>
#include <functional>
#include <set>
#include <thread>

#include "every_cpu.h"
#include "fixture.h"

extern "C" {
#include <tapir/map_layout.h>
}

namespace tapir::test {
namespace {

constexpr s64 kRounds = 20000;
const tapir_site kSite = {"identifier 'a' at t.stp:1:1"};

u64 skips() {
    u64 n = 0;
    for (u64 reason : tapir_host_probe_of(tapir_module.probes)->skipped)
        n += reason;
    return n;
}

class Concurrency : public Runtime {
  protected:
    void SetUp() override {
        Runtime::SetUp();
        ASSERT_TRUE(tapir_globals_create(c_, 1000));
    }
    void TearDown() override {
        tapir_globals_destroy();
        EXPECT_EQ(skips(), 0u);
        Runtime::TearDown();
    }
    static const tapir_global *global(int which) { return &tapir_module.globals[which]; }
};

TEST_F(Concurrency, LockedIncrementsAreExact) {
    on_every_cpu([](u32 cpu) {
        for (s64 i = 0; i < kRounds; i++) {
            tapir_ctx *c = tapir_host_enter(cpu, TAPIR_LEVEL_TASK, tapir_module.probes);
            tapir_val k = val(i % 10);
            tapir_map_add_long_locked(c, global(kGlobalMap), &k, 1, &kSite);
            tapir_handler_finish(c);
            tapir_host_leave(c);
        }
    });
    for (s64 key = 0; key < 10; key++) {
        tapir_val k = val(key);
        EXPECT_EQ(tapir_map_get_long(global_map, &k), kCpus * kRounds / 10);
    }
}

TEST_F(Concurrency, AtomicIncrementsAreExact) {
    on_every_cpu([](u32 cpu) {
        for (s64 i = 0; i < kRounds; i++) {
            tapir_ctx *c = tapir_host_enter(cpu, TAPIR_LEVEL_TASK, tapir_module.probes);
            tapir_val k = val(i % 500);
            tapir_map_add_long_atomic(c, global_map, &k, 1, &kSite);
            tapir_host_leave(c);
        }
    });
    s64 elements = 0;
    tapir_iter it;
    tapir_foreach spec = {};
    tapir_foreach_begin(c_, &it, global_map, &spec, 0, nullptr, nullptr);
    for (; tapir_foreach_next(&it); elements++)
        EXPECT_EQ(tapir_foreach_value_long(&it), kCpus * kRounds / 500);
    EXPECT_EQ(elements, 500);
}

struct TwoGlobals {
    u32 count;
    u16 globals[2];
};

TEST_F(Concurrency, AnInvariantOverTwoGlobalsHolds) {
    static const TwoGlobals lockset = {2, {kGlobalLong, kGlobalMap}};
    const auto *set = reinterpret_cast<const tapir_lockset *>(&lockset);
    std::atomic<u64> broken = 0;
    global_long = 0;
    on_every_cpu([&](u32 cpu) {
        for (s64 i = 0; i < kRounds; i++) {
            tapir_ctx *c = tapir_host_enter(cpu, TAPIR_LEVEL_TASK, tapir_module.probes);
            tapir_val k = val(s64{7});
            if (tapir_locks_take(c, set)) {
                global_long++;
                tapir_map_set_long(c, global_map, &k, tapir_map_get_long(global_map, &k) - 1, &kSite);
                if (global_long != -tapir_map_get_long(global_map, &k)) broken++;
                tapir_locks_drop(c, set);
            }
            tapir_host_leave(c);
        }
    });
    EXPECT_EQ(broken, 0u);
    EXPECT_EQ(global_long, kCpus * kRounds);
}

TEST_F(Concurrency, ScalarSamplesAreExact) {
    on_every_cpu([](u32 cpu) {
        for (s64 i = 0; i < kRounds; i++)
            tapir_stat_add(global_stat, global(kGlobalStat)->stat, cpu, i);
    });
    tapir_stat_sum s;
    u64 buckets[TAPIR_HIST_LOG_BUCKETS];
    tapir_stat_read_hist(global_stat, global(kGlobalStat)->stat, &kLogHist, buckets, &s);
    EXPECT_EQ(s.count, kCpus * kRounds);
    EXPECT_EQ(s.sum, kCpus * (kRounds * (kRounds - 1) / 2));
    EXPECT_EQ(s.min, 0);
    EXPECT_EQ(s.max, kRounds - 1);
    u64 samples = 0;
    for (u64 bucket : buckets)
        samples += bucket;
    EXPECT_EQ(samples, static_cast<u64>(kCpus * kRounds));
}

// Deleting in the middle of adding takes effect at once and for good: nothing of before comes back, nothing of later is
// lost.
TEST_F(Concurrency, DeletingAScalarWhileAdding) {
    const tapir_stat_desc *desc = global(kGlobalStat)->stat;
    std::atomic<u32> running = kCpus;
    std::atomic<u64> bad = 0, rounds = 0;
    std::thread reader([&] {
        do {
            tapir_stat_sum s;
            tapir_stat_clear(global_stat, desc);
            tapir_stat_read(global_stat, desc, &s);
            // A sample under way on each CPU may be in the count and not yet in the sum.
            if (s.count < 0 || s.count > kCpus * kRounds || (s.count > 0 && (s.min < 0 || s.max > 3 * kCpus))) bad++;
            rounds++;
        } while (running > 0);
    });
    on_every_cpu([&](u32 cpu) {
        for (s64 i = 0; i < kRounds; i++)
            tapir_stat_add(global_stat, desc, cpu, 1 + i % 3);
        running--;
    });
    reader.join();
    EXPECT_EQ(bad, 0u);
    EXPECT_GT(rounds, 0u);
    tapir_stat_clear(global_stat, desc);
    on_every_cpu([&](u32 cpu) { tapir_stat_add(global_stat, desc, cpu, 1 + cpu); });
    tapir_stat_sum s;
    tapir_stat_read(global_stat, desc, &s);
    EXPECT_EQ(s.count, kCpus);
    EXPECT_EQ(s.sum, 10);
    EXPECT_EQ(s.min, 1);
    EXPECT_EQ(s.max, 4);
}

// All CPUs create the same elements at the same time.
TEST_F(Concurrency, InsertionRaces) {
    for (int round = 0; round < 20; round++) {
        tapir_map_clear(c_, global_stat_map, nullptr);
        std::atomic<u32> ready = 0;
        on_every_cpu([&](u32 cpu) {
            ready++;
            while (ready < kCpus)
                ;
            for (s64 i = 0; i < 400; i++) {
                tapir_ctx *c = tapir_host_enter(cpu, TAPIR_LEVEL_TASK, tapir_module.probes);
                Buffer name;
                snprintf(name.text, sizeof(name.text), "process %d", static_cast<int>(i % 100));
                tapir_val k = val(name.text);
                tapir_map_add_stat(c, global_stat_map, &k, i, &kSite);
                EXPECT_FALSE(c->failed);
                tapir_host_leave(c);
            }
        });
        s64 elements = 0, count = 0;
        std::set<std::string> names;
        tapir_iter it;
        tapir_foreach spec = {};
        tapir_foreach_begin(c_, &it, global_stat_map, &spec, 0, nullptr, nullptr);
        while (tapir_foreach_next(&it)) {
            tapir_stat_sum s;
            tapir_foreach_value_stat(&it, &s);
            elements++;
            count += s.count;
            names.insert(tapir_foreach_key_string(&it, 0));
        }
        EXPECT_EQ(elements, 100);
        EXPECT_EQ(names.size(), 100u);
        EXPECT_EQ(count, kCpus * 400);
    }
}

// A reader sorts and walks the array while others add to it and create elements.
TEST_F(Concurrency, ReadersDoNotDisturbAdders) {
    static const TwoGlobals lockset = {1, {kGlobalStatMap}};
    const auto *set = reinterpret_cast<const tapir_lockset *>(&lockset);
    std::atomic<u32> running = kCpus - 1;
    on_every_cpu([&](u32 cpu) {
        if (cpu == kCpus - 1) {
            u8 direction = TAPIR_SORT_ASCENDING;
            while (running > 0) {
                tapir_ctx *c = tapir_host_enter(cpu, TAPIR_LEVEL_TASK, tapir_module.probes);
                ASSERT_TRUE(tapir_locks_take(c, set));
                tapir_foreach spec = {};
                spec.sort = direction;
                tapir_iter it;
                s64 seen = 0;
                tapir_foreach_begin(c, &it, global_stat_map, &spec, 0, nullptr, nullptr);
                while (tapir_foreach_next(&it))
                    seen++;
                EXPECT_LE(seen, 100);
                tapir_locks_drop(c, set);
                tapir_host_leave(c);
                direction = TAPIR_SORT_ASCENDING + TAPIR_SORT_DESCENDING - direction;
            }
            return;
        }
        for (s64 i = 0; i < kRounds; i++) {
            tapir_ctx *c = tapir_host_enter(cpu, TAPIR_LEVEL_TASK, tapir_module.probes);
            Buffer name;
            snprintf(name.text, sizeof(name.text), "p%d", static_cast<int>(i / 200));
            tapir_val k = val(name.text);
            tapir_map_add_stat(c, global_stat_map, &k, 1, &kSite);
            tapir_host_leave(c);
        }
        running--;
    });
    s64 count = 0;
    tapir_iter it;
    tapir_foreach spec = {};
    tapir_foreach_begin(c_, &it, global_stat_map, &spec, 0, nullptr, nullptr);
    while (tapir_foreach_next(&it)) {
        tapir_stat_sum s;
        tapir_foreach_value_stat(&it, &s);
        count += s.count;
    }
    EXPECT_EQ(count, (kCpus - 1) * kRounds);
}

// An array whose elements come and go: deleting, recycling and adding on all CPUs.
class Unstable : public Runtime {
  protected:
    void hammer(bool wrap) {
        tapir_map_desc desc = map_descriptor({TAPIR_LONG}, TAPIR_STAT, 16, wrap);
        tapir_stat_desc stat = stat_descriptor(nullptr, true);
        tapir_map *m = nullptr;
        tapir_lock lock = {};
        tapir_global g = {"a", TAPIR_GLOBAL_MAP, 0, &desc, &stat, &m, &lock, nullptr, 0};
        m = tapir_map_create(&g, 16, kCpus, Buffer::cap);
        std::atomic<s64> errors = 0;
        // Without wrap half as many keys as there is room, with it twice as many.
        const s64 keys = wrap ? 32 : 8;
        on_every_cpu([&](u32 cpu) {
            for (s64 i = 0; i < kRounds / 4; i++) {
                tapir_ctx *c = tapir_host_enter(cpu, TAPIR_LEVEL_TASK, tapir_module.probes);
                tapir_val k = val((i * 7 + cpu) % keys);
                if (!wrap && cpu == 0 && i % 16 == 0) {
                    // As a handler does it, under the global's lock.
                    tapir_port_lock(&lock);
                    tapir_map_delete(c, m, &k);
                    tapir_port_unlock(&lock);
                } else {
                    tapir_map_add_stat(c, m, &k, 3, &kSite);
                    errors += c->failed == TAPIR_FAIL_ERROR;
                }
                tapir_host_leave(c);
            }
        });
        EXPECT_EQ(errors, 0);
        s64 elements = 0;
        tapir_iter it;
        tapir_foreach spec = {};
        tapir_foreach_begin(c_, &it, m, &spec, 0, nullptr, nullptr);
        while (tapir_foreach_next(&it)) {
            tapir_stat_sum s;
            tapir_foreach_value_stat(&it, &s);
            EXPECT_EQ(s.sum, 3 * s.count);
            EXPECT_GT(s.count, 0);
            EXPECT_EQ(s.min, 3);
            elements++;
        }
        EXPECT_LE(elements, wrap ? 16 : keys);
        EXPECT_GE(elements, wrap ? 16 : 1);
        tapir_map_destroy(m);
    }
};

TEST_F(Unstable, DeletingWhileAdding) {
    hammer(false);
}
TEST_F(Unstable, RecyclingWhileAdding) {
    hammer(true);
}

// Handlers without a context, which share places for what they remember, while others insert.
TEST_F(Concurrency, KnownTextsAreExact) {
    alignas(8) static char texts[8 * TAPIR_KNOWN_TEXTS + 64];
    tapir_map_desc desc = map_descriptor({TAPIR_STRING}, TAPIR_STAT, 16, false, true);
    desc.known = 1;
    tapir_stat_desc stat = stat_descriptor();
    tapir_map *m = nullptr;
    tapir_lock lock = {};
    tapir_global g = {"a", TAPIR_GLOBAL_MAP, 0, &desc, &stat, &m, &lock, nullptr, 0};
    const char *keys[8];
    for (int i = 0; i < 8; i++) {
        char *key = &texts[(i & 3) * 8 + (i & 4 ? 8 * TAPIR_KNOWN_TEXTS : 0)];
        key[0] = static_cast<char>('a' + i);
        keys[i] = key;
    }
    for (int round = 0; round < 50; round++) {
        m = tapir_map_create(&g, 16, kCpus, Buffer::cap);
        std::atomic<s64> attempted = 0;
        on_every_cpu([&](u32 cpu) {
            s64 done = 0;
            for (s64 i = 0; i < 400; i++) {
                const char *key = keys[(i + cpu) % 8];
                if (tapir_map_attempt_stat(key, cpu, m, 3)) {
                    done++;
                    continue;
                }
                tapir_ctx *c = tapir_host_enter(cpu, TAPIR_LEVEL_TASK, tapir_module.probes);
                tapir_val k = val(key);
                tapir_map_add_stat(c, m, &k, 3, &kSite);
                tapir_host_leave(c);
            }
            attempted += done;
        });
        EXPECT_GE(attempted, s64{kCpus} * (400 - 8));
        for (const char *key : keys) {
            tapir_val k = val(key);
            tapir_stat_sum s;
            ASSERT_TRUE(tapir_map_get_stat(m, &k, &s));
            EXPECT_EQ(s.count, s64{kCpus} * 50);
            EXPECT_EQ(s.sum, 3 * s.count);
        }
        tapir_map_destroy(m);
    }
}

}  // namespace
}  // namespace tapir::test
