// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The state of a session. Nothing here calls up: the files that arm, print or command use this one.
 *
 * To end a session, set a flag and wake the session thread through an irq_work, from any context. The mode switches off at the same
 * moment, so no further handler starts while the probes are still being unregistered.
 */
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <runtime/handler.h>
#include <tapir/port.h>
#include "arch/this_arch.h"
#include "state.h"

struct tapir_session tapir_session __read_mostly;
struct tapir_ctx *tapir_session_context;
DEFINE_PER_CPU(struct tapir_ctx *, tapir_contexts[TAPIR_LEVEL_SESSION]);

/* ---- notification ---- */

static atomic_t tapir_news; /* since the last SNAPSHOT */
static struct irq_work tapir_wakeup;

static void tapir_wake_all(struct irq_work *work)
{
	wake_up_all(&tapir_session.state_changed);
}

void tapir_session_wake(void)
{
	irq_work_queue(&tapir_wakeup);
}

void tapir_session_report_due(void)
{
	if (!atomic_xchg(&tapir_session.reports_due, 1))
		tapir_session_wake();
}

void tapir_session_notify(void)
{
	atomic_set(&tapir_news, 1);
	tapir_session_wake();
}

bool tapir_session_has_news(void)
{
	return atomic_read(&tapir_news);
}

void tapir_session_news_seen(void)
{
	atomic_set(&tapir_news, 0);
}

void tapir_session_quiesce(void)
{
	irq_work_sync(&tapir_wakeup);
}

/* ---- state ---- */

/* Upper bounds of limits: they bound time with preemption disabled, and memory. */
static const u64 tapir_limit_max[TAPIR_LIMITS] = {
    [TAPIR_LIMIT_MAXACTION] = 100 * 1000 * 1000,
    [TAPIR_LIMIT_MAXACTION_INTERRUPTIBLE] = S64_MAX,
    [TAPIR_LIMIT_MAXERRORS] = S64_MAX,
    [TAPIR_LIMIT_MAXSKIPPED] = S64_MAX,
    [TAPIR_LIMIT_MAXNESTING] = 100 * 1000,
    [TAPIR_LIMIT_MAXMAPENTRIES] = 100 * 1000 * 1000,
    [TAPIR_LIMIT_MINSTACKSPACE] = THREAD_SIZE / 2,
    [TAPIR_LIMIT_BUFFER_BYTES] = 1ull << 30,
    [TAPIR_LIMIT_MAXTIME] = 1000 * 1000 * 1000,
    [TAPIR_LIMIT_STACK_BYTES] = 1ull << 30,
    [TAPIR_LIMIT_OVERLOAD] = TAPIR_SHARE_ALL,
    [TAPIR_LIMIT_MAXRECALLTHREADS] = 1 << 20,
    [TAPIR_LIMIT_BUDGET] = TAPIR_SHARE_ALL,
};

static const u64 tapir_limit_min[TAPIR_LIMITS] = {
    [TAPIR_LIMIT_MAXNESTING] = 1,
    [TAPIR_LIMIT_MAXTIME] = 1,
    [TAPIR_LIMIT_STACK_BYTES] = 1ull << 20,
    [TAPIR_LIMIT_MAXRECALLTHREADS] = 1,
};

bool tapir_session_limit_allowed(u32 limit, u64 value)
{
	return value >= tapir_limit_min[limit] && value <= tapir_limit_max[limit];
}

/* With preemption disabled MAXACTION_INTERRUPTIBLE has a bound, unless there is to be no limit at all. */
s64 tapir_session_most_actions(void)
{
	u64 most = max(tapir_session.limits[TAPIR_LIMIT_MAXACTION], tapir_limit_max[TAPIR_LIMIT_MAXACTION]);

	return min(tapir_session.limits[TAPIR_LIMIT_MAXACTION_INTERRUPTIBLE], most);
}

void tapir_session_init(void)
{
	u32 i;

	init_waitqueue_head(&tapir_session.state_changed);
	init_irq_work(&tapir_wakeup, tapir_wake_all);
	tapir_session.remote_id = -1;
	for (i = 0; i < TAPIR_LIMITS; i++)
		tapir_session.limits[i] = max(tapir_module_limit(i), tapir_limit_min[i]);
}

void tapir_session_enter(u32 state)
{
	WRITE_ONCE(tapir_session.state, state);
	tapir_session_notify();
}

bool tapir_session_ending(void)
{
	return atomic_read(&tapir_session.exit_requested) || atomic_read(&tapir_session.failed) || kthread_should_stop();
}

/* A session that ends is off for good. */
void tapir_session_switch(bool extra)
{
	u32 from = extra ? TAPIR_MODE_ON : TAPIR_MODE_EXTRA;

	cmpxchg(&tapir_session.mode, from, extra ? TAPIR_MODE_EXTRA : TAPIR_MODE_ON);
}

void tapir_session_request_exit(void)
{
	atomic_set(&tapir_session.exit_requested, 1);
	WRITE_ONCE(tapir_session.mode, TAPIR_MODE_OFF);
	tapir_session_notify();
}

void tapir_session_set_failed(void)
{
	atomic_set(&tapir_session.failed, 1);
	WRITE_ONCE(tapir_session.mode, TAPIR_MODE_OFF);
	tapir_session_notify();
}

void tapir_session_count_error(void)
{
	u64 errors = atomic64_inc_return(&tapir_session.errors);

	if (errors > tapir_session.limits[TAPIR_LIMIT_MAXERRORS] && !tapir_session.suppress_errors)
		tapir_session_set_failed();
}

/* Counts hits without a handler, for any reason. Returns true if these exceed MAXSKIPPED for the first time. */
static bool tapir_session_lose(u64 hits)
{
	return atomic64_add_return(hits, &tapir_session.skipped) > (s64)tapir_session.limits[TAPIR_LIMIT_MAXSKIPPED] &&
	       !tapir_session.suppress_errors && !atomic_xchg(&tapir_session.skipped_too_many, 1);
}

void tapir_session_count_skip(u32 reason)
{
	/* Hits while the probes are being armed or disarmed are no loss, and the user wants those left out that the budget leaves
	 * out.
	 */
	if (reason != TAPIR_SKIP_STATE && reason != TAPIR_SKIP_BUDGET && tapir_session_lose(1))
		tapir_session_set_failed();
}

void tapir_session_count_missed(u64 hits)
{
	if (hits && tapir_session_lose(hits) && READ_ONCE(tapir_session.state) == TAPIR_STATE_RUNNING)
		tapir_session_set_failed();
}

/* ---- the handler that the session thread runs ---- */

static int tapir_interrupts_before; /* it began */

void tapir_session_handler_begins(void)
{
	tapir_interrupts_before = atomic_read(&tapir_session.interrupts);
}

bool tapir_session_handler_interrupted(void)
{
	return READ_ONCE(tapir_session.abandoned) || atomic_read(&tapir_session.interrupts) != tapir_interrupts_before;
}

u64 tapir_port_work_ns(void)
{
	return ktime_get_mono_fast_ns();
}

bool tapir_port_work_is_own(void)
{
	return irqs_disabled() && tapir_owns_processor();
}

bool tapir_port_pause(struct tapir_ctx *c)
{
	cond_resched();
	return !tapir_session_handler_interrupted();
}
