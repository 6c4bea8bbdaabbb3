// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/kernel_log.h"

#include <gtest/gtest.h>

namespace tapir::vm {
namespace {

TEST(KernelLog, FindsTheFirstTrouble) {
    KernelLog log;
    log.add("6,700,12345678,-;stap_x: loading out-of-tree module taints kernel.");
    log.add("12,701,12345679,-;BUG: said a program\n");
    EXPECT_EQ(log.trouble(), "");
    log.add("4,702,13000001,-;WARNING: CPU: 1 PID: 5 at kernel/x.c:1 f+0x1/0x2\n SUBSYSTEM=x\n");
    log.add("1,703,13000002,-;BUG: kernel NULL pointer dereference, address: 0");
    EXPECT_EQ(log.trouble(), "WARNING: CPU: 1 PID: 5 at kernel/x.c:1 f+0x1/0x2");
    EXPECT_EQ(log.text(),
              "[   12.345678] stap_x: loading out-of-tree module taints kernel.\n"
              "[   13.000001] WARNING: CPU: 1 PID: 5 at kernel/x.c:1 f+0x1/0x2\n"
              "[   13.000002] BUG: kernel NULL pointer dereference, address: 0\n");
}

TEST(KernelLog, LeavesMalformedRecordsOut) {
    KernelLog log;
    log.add("");
    log.add("no header");
    log.add("x,y,z;BUG: no");
    EXPECT_EQ(log.text(), "");
}

TEST(KernelLog, KnowsHarmFromNoise) {
    EXPECT_TRUE(is_trouble("rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:"));
    EXPECT_TRUE(is_trouble("watchdog: BUG: soft lockup - CPU#0 stuck for 26s!"));
    EXPECT_TRUE(is_trouble("INFO: task rmmod:5 blocked for more than 120 seconds."));
    EXPECT_TRUE(is_trouble("refcount_t: underflow; use-after-free."));
    EXPECT_TRUE(is_trouble("BUG: KASAN: use-after-free in f+0x1/0x2 [stap_x]"));
    EXPECT_TRUE(is_trouble("WARNING: possible circular locking dependency detected"));
    EXPECT_TRUE(is_trouble("INFO: trying to register non-static key."));
    EXPECT_TRUE(is_trouble("INFO: suspicious RCU usage"));
    EXPECT_TRUE(is_trouble("BUG: sleeping function called from invalid context at mm/slab.h:494"));
    EXPECT_TRUE(is_trouble("BUG: using smp_processor_id() in preemptible [00000000] code: staprun/5"));
    EXPECT_TRUE(is_trouble("ODEBUG: free active (active state 0) object type: timer_list hint: f+0x0/0x1"));
    EXPECT_TRUE(is_trouble("BUG task_struct (Tainted: G           O      ): Poison overwritten"));
    EXPECT_TRUE(is_trouble("kmemleak: 3 new suspected memory leaks (see /sys/kernel/debug/kmemleak)"));
    EXPECT_TRUE(is_trouble("kmemleak: Kernel memory leak detector disabled"));
    EXPECT_TRUE(is_trouble("turning off the locking correctness validator."));
    EXPECT_FALSE(is_trouble("kmemleak: Automatic memory scanning thread started"));
    EXPECT_FALSE(is_trouble("BUG said a module"));
    EXPECT_FALSE(is_trouble("module verification failed: signature and/or required key missing - tainting kernel"));
    EXPECT_FALSE(is_trouble("hello WARNING"));
}

}  // namespace
}  // namespace tapir::vm
