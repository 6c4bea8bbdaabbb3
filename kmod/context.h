/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Running a handler in whatever context a probe hits: one context per CPU and nesting level, entered without a lock. The entry path
 * is inline in the kinds, because it is most of what a small handler costs; everything it calls before `busy` is set must be inline
 * or impossible to trace, otherwise a probe on it would recurse without bound.
 */
#ifndef TAPIR_KMOD_CONTEXT_H
#define TAPIR_KMOD_CONTEXT_H

#include <linux/hardirq.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/timekeeping.h>
#include <asm/local.h>
#include <tapir/context.h>
#include <tapir/stat.h>
#include <runtime/session.h>
#include "kind.h"
#include "session.h"

/* One probe's row of the ledger on one CPU. local_t: a hit may interrupt another one in the middle of its accounting. */
struct tapir_cell {
	local_t handled;
	local_t skipped[TAPIR_SKIPS];
	local_t errors;
	local_t time_min, time_max, time_sum; /* ns; time_min is 0 before the first hit, and at least 1 afterwards */
};

struct tapir_cpu {
	struct tapir_cell *cells;			 /* by probe */
	struct tapir_ctx *contexts[TAPIR_LEVEL_SESSION]; /* by level */
};
DECLARE_PER_CPU(struct tapir_cpu, tapir_cpu);

extern struct tapir_ctx *tapir_session_context;

/* Contexts and ledger for every possible CPU, and the session's. May sleep. -ENOMEM: nothing is left allocated. */
int tapir_contexts_create(void);
void tapir_contexts_destroy(void);

/* Session thread. */
void tapir_ledger_add_attached(u32 probe, u32 sites);
void tapir_ledger_add_missed(u32 probe, u64 hits);
/* Sums the ledger of a probe over the CPUs into the numbers of `row`. Process context; zeros before START. */
void tapir_ledger_sum(u32 probe, struct tapir_ioc_probe *row);

/* Runs a session-level handler. Session thread only. */
void tapir_session_run(u32 probe);

/* The handler of `c` printed or failed. */
void tapir_hit_finish(struct tapir_ctx *c, struct tapir_cell *cell);
void tapir_hit_time(struct tapir_cell *cell, u64 ns);
void tapir_hit_skip(struct tapir_cell *cell, u32 reason);

#define TAPIR_STACK_UNKNOWN THREAD_SIZE /* on an interrupt or exception stack, which this file cannot find the bounds of */

/* Bytes left on the current stack. */
static __always_inline unsigned long tapir_stack_left(void)
{
	unsigned long left = (unsigned long)__builtin_frame_address(0) - (unsigned long)task_stack_page(current);

	return left < THREAD_SIZE ? left : TAPIR_STACK_UNKNOWN;
}

/* enum tapir_level of the current context. */
static __always_inline u32 tapir_level(void)
{
	unsigned long count = preempt_count();

	if (TAPIR_UNLIKELY(count & NMI_MASK))
		return TAPIR_LEVEL_NMI;
	if (TAPIR_UNLIKELY(count & HARDIRQ_MASK))
		return TAPIR_LEVEL_HARDIRQ;
	if (TAPIR_UNLIKELY(in_serving_softirq()))
		return TAPIR_LEVEL_SOFTIRQ;
	return TAPIR_LEVEL_TASK;
}

/*
 * A hit of probe number `index`, whose descriptor is `probe`. Any context, preemption disabled. `regs` may be NULL; `symbol` may be
 * ~0u when the kind finds it when asked.
 */
static __always_inline void tapir_hit(const struct tapir_probe *probe, u32 index, struct pt_regs *regs, unsigned long ip,
				      u32 symbol)
{
	struct tapir_cpu *cpu = this_cpu_ptr(&tapir_cpu);
	struct tapir_cell *cell = cpu->cells + index;
	struct tapir_ctx *c;

	if (TAPIR_UNLIKELY(!READ_ONCE(tapir_session.running))) {
		tapir_hit_skip(cell, TAPIR_SKIP_STATE);
		return;
	}
	if (TAPIR_UNLIKELY(probe->condition && !probe->condition()))
		return;
	if (probe->leaf) {
		u64 started = TAPIR_UNLIKELY(tapir_session.timing) ? ktime_get_mono_fast_ns() : 0;

		probe->leaf(raw_smp_processor_id());
		local_inc(&cell->handled);
		if (TAPIR_UNLIKELY(started))
			tapir_hit_time(cell, ktime_get_mono_fast_ns() - started);
		return;
	}
	c = cpu->contexts[tapir_level()];
	if (TAPIR_UNLIKELY(c->busy)) {
		tapir_hit_skip(cell, TAPIR_SKIP_REENTRY);
		return;
	}
	c->busy = 1;
	barrier();
	if (TAPIR_UNLIKELY(tapir_stack_left() < tapir_session.min_stack)) {
		tapir_hit_skip(cell, TAPIR_SKIP_STACK);
		goto out;
	}
	tapir_handler_start(c, probe, tapir_session.max_action);
	c->regs = regs;
	c->ip = ip;
	c->symbol = symbol;
	if (TAPIR_UNLIKELY(tapir_session.timing))
		c->started = ktime_get_mono_fast_ns();
	probe->handler(c);
	if (TAPIR_UNLIKELY(c->failed | c->out_len))
		tapir_hit_finish(c, cell);
	else
		local_inc(&cell->handled);
	if (TAPIR_UNLIKELY(tapir_session.timing))
		tapir_hit_time(cell, ktime_get_mono_fast_ns() - c->started);
out:
	barrier();
	c->busy = 0;
}

#endif
