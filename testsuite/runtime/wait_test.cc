// SPDX-License-Identifier: GPL-2.0-or-later
// Functions of the kernel are known by their names.
#include "fixture.h"

namespace tapir::test {
namespace {

struct Fact {
    const char *name;
    enum tapir_wait_kind kind;
    u32 flags;
};

TEST(Wait, FunctionsByName) {
    const Fact facts[] = {
        {"pipe_read", TAPIR_WAIT_PIPE, 0},
        {"anon_pipe_read", TAPIR_WAIT_PIPE, 0},
        {"futex_wait_queue", TAPIR_WAIT_FUTEX, 0},
        {"futex_wait_queue_me", TAPIR_WAIT_FUTEX, 0},
        {"rwsem_down_read_slowpath", TAPIR_WAIT_RWSEM, 0},
        {"jbd2_log_wait_commit", TAPIR_WAIT_JOURNAL, 0},
        {"folio_wait_bit_common", TAPIR_WAIT_WRITEBACK, TAPIR_WAIT_WEAK},
        {"rt_mutex_slowlock_block", TAPIR_WAIT_MUTEX, TAPIR_WAIT_WEAK},
        {"wait_woken", TAPIR_WAIT_OTHER, TAPIR_WAIT_SKIP},
        {"__traceiter_sched_switch", TAPIR_WAIT_OTHER, TAPIR_WAIT_SKIP},
        // A star in the middle, and at the end with nothing for it.
        {"vsock_connectible_recvmsg", TAPIR_WAIT_RECEIVE, 0},
        {"vsock_recvmsg", TAPIR_WAIT_RECEIVE, 0},
        {"msleep", TAPIR_WAIT_SLEEP, 0},
        // Longer or shorter than a name of the list.
        {"pipe_readers", TAPIR_WAIT_OTHER, 0},
        {"pipe_rea", TAPIR_WAIT_OTHER, 0},
        {"vsock_", TAPIR_WAIT_OTHER, 0},
        {"", TAPIR_WAIT_OTHER, 0},
    };
    for (const Fact &fact : facts) {
        u32 flags = 99;
        EXPECT_EQ(tapir_wait_kind_of(fact.name, &flags), fact.kind) << fact.name;
        EXPECT_EQ(flags, fact.flags) << fact.name;
    }
}

using Waits = Runtime;

TEST_F(Waits, AreNotKnownWithoutAKernel) {
    EXPECT_EQ(tapir_wait_site(enter()), TAPIR_WAIT_UNKNOWN);
    EXPECT_STREQ(tapir_wait_kind(c_), "unknown");
    finish();
}

}  // namespace
}  // namespace tapir::test
