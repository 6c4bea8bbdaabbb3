// SPDX-License-Identifier: GPL-2.0-or-later
// Nested handlers: what a handler does that interrupted another one of its CPU.
#include <atomic>
#include <chrono>
#include <thread>

#include "fixture.h"

extern "C" {
#include "map_internal.h"
}

namespace tapir::test {
namespace {

const tapir_site kLockSite = {"identifier 'a' at t.stp:1:1"};

struct Lockset {
    u32 count;
    u16 globals[3];
    operator const tapir_lockset *() const { return reinterpret_cast<const tapir_lockset *>(this); }
};

class Locks : public Runtime {
  protected:
    void SetUp() override {
        Runtime::SetUp();
        ASSERT_TRUE(tapir_globals_create(c_, 100));
        nmi_ = tapir_host_enter(0, TAPIR_LEVEL_NMI, tapir_module.probes);
    }
    void TearDown() override {
        tapir_host_leave(nmi_);
        tapir_globals_destroy();
        Runtime::TearDown();
    }
    static u64 skipped() { return tapir_host_probe_of(tapir_module.probes)->skipped[TAPIR_SKIP_LOCK]; }
    static tapir_lock *lock(int which) { return tapir_module.globals[which].lock; }
    static bool is_free(tapir_lock *l) {
        if (!tapir_port_trylock(l)) return false;
        tapir_port_unlock(l);
        return true;
    }

    tapir_ctx *nmi_ = nullptr;
    const Lockset all_ = {3, {kGlobalLong, kGlobalStat, kGlobalStatMap}};
    const Lockset one_ = {1, {kGlobalStatMap}};
};

TEST_F(Locks, NestedOverAHolderIsSkippedAndGivesBackWhatItGot) {
    ASSERT_TRUE(tapir_locks_take(c_, one_));
    EXPECT_FALSE(tapir_locks_take(nmi_, all_));
    EXPECT_EQ(nmi_->failed, TAPIR_FAIL_SKIP);
    EXPECT_EQ(skipped(), 1u);
    EXPECT_TRUE(is_free(lock(kGlobalLong)));
    EXPECT_TRUE(is_free(lock(kGlobalStat)));
    tapir_locks_drop(c_, one_);
    EXPECT_TRUE(is_free(lock(kGlobalStatMap)));
}

TEST_F(Locks, NestedOverNobodyTakesThem) {
    ASSERT_TRUE(tapir_locks_take(nmi_, all_));
    EXPECT_FALSE(is_free(lock(kGlobalLong)));
    EXPECT_EQ(nmi_->held, static_cast<const tapir_lockset *>(all_));
    tapir_locks_drop(nmi_, all_);
    EXPECT_TRUE(is_free(lock(kGlobalLong)));
    EXPECT_EQ(nmi_->held, nullptr);
    EXPECT_EQ(skipped(), 0u);
}

TEST_F(Locks, SessionTakesNone) {
    tapir_ctx *session = tapir_host_enter(0, TAPIR_LEVEL_SESSION, tapir_module.probes);
    ASSERT_TRUE(tapir_locks_take(c_, all_));
    EXPECT_TRUE(tapir_locks_take(session, all_));
    tapir_locks_drop(session, all_);
    EXPECT_FALSE(is_free(lock(kGlobalLong)));
    tapir_locks_drop(c_, all_);
    tapir_host_leave(session);
}

TEST_F(Locks, InsertionUnderAnInsertionIsSkipped) {
    tapir_val k = val("new");
    tapir_map *m = global_stat_map;
    u64 flags = tapir_map_freeze(nmi_, m, true);  // what sorting and deleting do: holds the insertion lock
    tapir_map_add_stat(nmi_, m, &k, 1, &kLockSite);
    EXPECT_EQ(nmi_->failed, TAPIR_FAIL_SKIP);
    EXPECT_EQ(skipped(), 1u);
    nmi_->failed = 0;
    // Taking the global's lock for a handler that would sort or delete fails as well, instead of spinning later.
    EXPECT_FALSE(tapir_locks_take(nmi_, one_));
    EXPECT_TRUE(is_free(lock(kGlobalStatMap)));
    tapir_map_thaw(nmi_, m, true, flags);
    nmi_->failed = 0;
    tapir_map_add_stat(nmi_, m, &k, 1, &kLockSite);
    EXPECT_EQ(nmi_->failed, TAPIR_FAIL_NONE);
    EXPECT_TRUE(tapir_map_contains(m, &k));
}

TEST_F(Locks, ExistingElementsNeedNoLock) {
    tapir_val k = val("old");
    tapir_map_add_stat(c_, global_stat_map, &k, 1, &kLockSite);
    ASSERT_TRUE(tapir_locks_take(c_, one_));
    tapir_map_add_stat(nmi_, global_stat_map, &k, 2, &kLockSite);
    tapir_locks_drop(c_, one_);
    tapir_stat_sum s;
    EXPECT_TRUE(tapir_map_get_stat(global_stat_map, &k, &s));
    EXPECT_EQ(s.sum, 3);
    EXPECT_EQ(skipped(), 0u);
}

TEST_F(Locks, RecyclingNeedsTheGlobalsLock) {
    tapir_map_desc desc = map_descriptor({TAPIR_LONG}, TAPIR_STAT, 2, true);
    tapir_stat_desc stat = stat_descriptor();
    tapir_map *m = nullptr;
    tapir_lock l = {};
    tapir_global g = {"w", TAPIR_GLOBAL_MAP, 0, &desc, &stat, &m, &l, nullptr, 0};
    m = tapir_map_create(&g, 2, tapir_host.ncpus, Buffer::cap);
    for (s64 i = 0; i < 3; i++) {
        tapir_val k = val(i);
        tapir_map_add_stat(c_, m, &k, 1, &kLockSite);
    }
    EXPECT_EQ(skipped(), 0u);
    // Somebody walks the list under the lock: the new element must not recycle what he is looking at.
    tapir_port_lock(&l);
    tapir_val k = val(s64{9});
    tapir_map_add_stat(c_, m, &k, 1, &kLockSite);
    EXPECT_EQ(c_->failed, TAPIR_FAIL_SKIP);
    EXPECT_EQ(skipped(), 1u);
    EXPECT_FALSE(tapir_map_contains(m, &k));
    tapir_port_unlock(&l);
    tapir_map_destroy(m);
}

// Whichever lock of an array a sample does not get, the hit is counted as skipped.
TEST_F(Locks, ASampleWithoutALockIsCountedAsSkipped) {
    tapir_map_desc desc = map_descriptor({TAPIR_LONG}, TAPIR_STAT);
    tapir_stat_desc stat = stat_descriptor();
    tapir_map *m = nullptr;
    tapir_lock l = {};
    tapir_global g = {"d", TAPIR_GLOBAL_MAP, 0, &desc, &stat, &m, &l, nullptr, 0};
    m = tapir_map_create(&g, 10, tapir_host.ncpus, Buffer::cap);
    // This CPU's for looking the element up, the one for inserting it, and this CPU's again for the sample.
    for (u64 lock = 1; lock <= 3; lock++) {
        tapir_val k = val(static_cast<s64>(lock));
        tapir_host.fail_lock = lock;
        tapir_map_add_stat(c_, m, &k, 1, &kLockSite);
        EXPECT_EQ(tapir_host.fail_lock, 0u) << "no lock number " << lock;
        EXPECT_EQ(c_->failed, TAPIR_FAIL_SKIP);
        EXPECT_EQ(skipped(), lock);
        c_->failed = TAPIR_FAIL_NONE;
        tapir_map_add_stat(c_, m, &k, 1, &kLockSite);
        EXPECT_EQ(c_->failed, TAPIR_FAIL_NONE);
    }
    tapir_map_destroy(m);
}

// With interrupts off under every lock an interrupt's handler cannot have interrupted a holder: it waits for the other
// CPU.
TEST_F(Locks, AnInterruptWaits) {
    ASSERT_TRUE(tapir_locks_take(c_, all_));
    std::atomic<bool> taken = false;
    std::thread other([&] {
        tapir_host_enter(1, TAPIR_LEVEL_TASK, tapir_module.probes);
        tapir_ctx *irq = tapir_host_enter(1, TAPIR_LEVEL_HARDIRQ, tapir_module.probes);
        EXPECT_TRUE(tapir_locks_take(irq, all_));
        taken = true;
        tapir_locks_drop(irq, all_);
        tapir_host_leave(irq);
        tapir_host_leave(tapir_host_enter(1, TAPIR_LEVEL_TASK, tapir_module.probes));
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(taken);
    tapir_locks_drop(c_, all_);
    other.join();
    EXPECT_TRUE(taken);
    EXPECT_EQ(skipped(), 0u);
}

TEST_F(Locks, ContentionIsCounted) {
    u64 before = tapir_port_lock_contended(lock(kGlobalLong));
    ASSERT_TRUE(tapir_locks_take(c_, all_));
    EXPECT_FALSE(tapir_locks_take(nmi_, all_));
    tapir_locks_drop(c_, all_);
    EXPECT_EQ(tapir_port_lock_contended(lock(kGlobalLong)), before + 1);
}

}  // namespace
}  // namespace tapir::test
