// SPDX-License-Identifier: GPL-2.0-or-later
// Arrays that grow and shrink while several processors are in them.
#include <atomic>
#include <functional>
#include <random>
#include <thread>

#include "every_cpu.h"
#include "grow_fixture.h"

namespace tapir::test {
namespace {

// Runs `body` on every CPU while another thread lets arrays grow.
void beside_growth(const std::function<void(u32)> &body) {
    std::atomic<bool> done = false;
    std::thread grower([&] {
        while (!done) {
            tapir_host_tend();
            std::this_thread::yield();
        }
    });
    on_every_cpu(body);
    done = true;
    grower.join();
    tapir_host_tend();
}

class GrowThreads : public Grow {};

// All CPUs insert the same keys into arrays that grow: none is lost, none is there twice, and readers find what they
// added.
TEST_F(GrowThreads, EverybodyInserts) {
    start(true);
    constexpr s64 kKeys = 60000;
    std::atomic<u64> lost = 0, failed = 0;
    beside_growth([&](u32 cpu) {
        for (s64 i = 0; i < kKeys; i++) {
            tapir_ctx *c = tapir_host_enter(cpu, TAPIR_LEVEL_TASK, tapir_module.probes);
            tapir_val k = val(i);
            // Never more at once than what is free: growth is not what this is about.
            while (maps_[kStable]->pools[0].capacity < maps_[kStable]->count + 1000 ||
                   maps_[kStats]->pools[0].capacity < maps_[kStats]->count + 1000 ||
                   maps_[kSmall]->pools[0].capacity < maps_[kSmall]->count + 1000)
                std::this_thread::yield();
            tapir_map_add_stat(c, maps_[kStable], &k, 1, &kSite);
            tapir_map_add_stat(c, maps_[kStats], &k, 2, &kSite);
            tapir_map_add_long_atomic(c, maps_[kSmall], &k, 3, &kSite);
            failed += c->failed != 0;
            tapir_stat_sum s;
            tapir_port_lock(&locks_[kStable]);
            lost += !tapir_map_get_stat(maps_[kStable], &k, &s) || s.count < 1;
            tapir_port_unlock(&locks_[kStable]);
            tapir_port_lock(&locks_[kStats]);
            lost += !tapir_map_contains(maps_[kStats], &k);
            tapir_port_unlock(&locks_[kStats]);
            tapir_host_leave(c);
        }
    });
    EXPECT_EQ(lost, 0u);
    EXPECT_EQ(failed, 0u);
    for (int which : {kStable, kStats}) {
        tapir_iter it;
        tapir_foreach spec = {};
        s64 elements = 0;
        tapir_foreach_begin(c_, &it, maps_[which], &spec, 0, nullptr, nullptr);
        for (; tapir_foreach_next(&it); elements++) {
            tapir_stat_sum s;
            tapir_foreach_value_stat(&it, &s);
            ASSERT_EQ(s.count, kCpus);
        }
        EXPECT_EQ(elements, kKeys);
        EXPECT_LE(longest_chain(maps_[which]), 16u);
    }
    for (s64 i = 0; i < kKeys; i++)
        ASSERT_EQ(get(maps_[kSmall], i), 3 * kCpus);
}

// Inserting, deleting one and all, and walking on all CPUs, under the global's lock as handlers do it, while memory
// comes and goes.
TEST_F(GrowThreads, EverybodyDoesEverything) {
    start(true);
    std::atomic<u64> wrong = 0;
    beside_growth([&](u32 cpu) {
        std::mt19937 random(cpu);
        for (int round = 0; round < 3000; round++) {
            tapir_ctx *c = tapir_host_enter(cpu, TAPIR_LEVEL_TASK, tapir_module.probes);
            tapir_map *m = maps_[kLongs];
            tapir_port_lock(&locks_[kLongs]);
            if (random() % 300 == 0) {
                tapir_map_clear(c, m, nullptr);
            } else if (random() % 100 == 0) {
                tapir_iter it;
                tapir_foreach spec = {};
                u32 seen = 0;
                tapir_foreach_begin(c, &it, m, &spec, 0, nullptr, nullptr);
                for (; tapir_foreach_next(&it); seen++)
                    wrong += tapir_foreach_value_long(&it) != 3 * tapir_foreach_key_long(&it, 0);
                wrong += seen != m->count;
            }
            for (int i = 0; i < 100; i++) {
                tapir_val k = val(static_cast<s64>(random() % 1000000));
                const bool deleted = random() % 8 == 0;
                if (!deleted)
                    tapir_map_set_long(c, m, &k, 3 * k.n, &kSite);
                else
                    tapir_map_delete(c, m, &k);
                if (c->failed) break;  // no element is free yet
                const bool set = tapir_map_contains(m, &k);
                wrong += tapir_map_get_long(m, &k) != (set ? 3 * k.n : 0) || set != !deleted;
            }
            tapir_port_unlock(&locks_[kLongs]);
            // Statistics with deletion: adders have no lock of the global.
            tapir_val k = val(static_cast<s64>(random() % 20000));
            tapir_map_add_stat(c, maps_[kStats], &k, 5, &kSite);
            if (random() % 500 == 0) {
                tapir_port_lock(&locks_[kStats]);
                tapir_map_clear(c, maps_[kStats], nullptr);
                tapir_port_unlock(&locks_[kStats]);
            }
            c->failed = 0;
            tapir_host_leave(c);
        }
    });
    EXPECT_EQ(wrong, 0u);
    tapir_iter it;
    tapir_foreach spec = {};
    tapir_foreach_begin(c_, &it, maps_[kStats], &spec, 0, nullptr, nullptr);
    while (tapir_foreach_next(&it)) {
        tapir_stat_sum s;
        tapir_foreach_value_stat(&it, &s);
        EXPECT_EQ(s.sum, 5 * s.count);
        EXPECT_GT(s.count, 0);
    }
}

}  // namespace
}  // namespace tapir::test
