/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Running a handler in any context that a probe hits: one context per CPU and nesting level, entered without a lock.
 *
 * The entry path is inline in the kinds because it is most of the cost of a small handler. Everything it calls before `busy` is set
 * must be inline or untraceable; otherwise a probe on it would recurse without bound. A leaf runs without a context, so nothing
 * sets `busy` or checks the stack. The translator makes leaves only of handlers at functions and tracepoints whose callees are
 * inline or untraceable, too (pragma:untraced, docs/tapsets.md).
 */
#ifndef TAPIR_HIT_H
#define TAPIR_HIT_H

#include <linux/hardirq.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <tapir/context.h>
#include <tapir/stat.h>
#include <runtime/handler.h>
#include "kind.h"
#include "ledger.h"
#include "state.h"

/* Does a handler of a level below `end` run on this CPU? With preemption disabled. */
static inline bool tapir_handler_runs(u32 end)
{
	u32 level;

	for (level = 0; level < end; level++)
		if (__this_cpu_read(tapir_contexts[level])->busy)
			return true;
	return false;
}

/* The session's context, as far as messages need it. May sleep. -ENOMEM: nothing is left allocated. */
int tapir_session_context_create(void);
/* Adds the memory that tapir_contexts_create() will allocate. */
void tapir_contexts_demand(struct tapir_demand *demand);
/* The session's frame, and contexts for every CPU that is online or comes. May sleep. False: the session has failed. */
bool tapir_contexts_create(void);
/* All of them, as far as there are any. */
void tapir_contexts_destroy(void);

/* Finds out what it takes to measure a handler. Session thread, before the first hit. */
void tapir_hit_calibrate(void);

/* Runs a session-level handler. Session thread only. */
void tapir_session_run(u32 probe);
/* Runs a session-level handler for a hit; its subject is tapir_subject (subject.h). Session thread only, while nothing is armed. */
void tapir_session_hit(const struct tapir_hook *hook, struct pt_regs *regs, unsigned long ip);
/* Runs the handler of a report, which is a hit now. Session thread only, while the session is in TAPIR_STATE_RUNNING. */
void tapir_report_run(const struct tapir_hook *hook);

/* A hit of any kind of probe. Any context, preemption disabled. `regs` may be NULL. */
void tapir_hit(const struct tapir_hook *hook, struct pt_regs *regs, unsigned long ip);

/* A hit with more to it than registers. */
struct tapir_hit_data {
	struct pt_regs *regs;
	unsigned long ip;
	const u64 *args; /* see struct tapir_ctx */
	const void *place;
	char *saved;
	void (*handler)(struct tapir_ctx *c);
};
void tapir_hit_at(const struct tapir_hook *hook, const struct tapir_hit_data *hit);
/*
 * Runs the entry handler of a return probe. Not counted as a hit; skips are. Returns false if the call's return must not be
 * followed.
 */
bool tapir_hit_entry(const struct tapir_hook *hook, const struct tapir_hit_data *hit);

/* The rest of this file is tapir_hit() in pieces, for kinds that call the handler themselves. */

/* For hot functions whose on-stack array has a fixed, checked number of writers. */
#if __has_attribute(no_stack_protector)
#define TAPIR_NO_STACK_PROTECTOR __attribute__((no_stack_protector))
#else
#define TAPIR_NO_STACK_PROTECTOR
#endif

/* False: go through tapir_hit(). */
static __always_inline bool tapir_hit_is_plain(void)
{
	return TAPIR_LIKELY(READ_ONCE(tapir_session.mode) == TAPIR_MODE_ON);
}

/* The handler of `c` printed or failed. */
void tapir_hit_finish(struct tapir_ctx *c, const struct tapir_hook *hook);

/* The context for the current level. Preemption is disabled. */
static __always_inline struct tapir_ctx *tapir_context_here(void)
{
	unsigned long count = preempt_count();

#ifndef CONFIG_PREEMPT_RT
	if (TAPIR_LIKELY(!(count & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET))))
		return __this_cpu_read(tapir_contexts[TAPIR_LEVEL_TASK]);
#endif
	if (count & NMI_MASK)
		return __this_cpu_read(tapir_contexts[TAPIR_LEVEL_NMI]);
	if (count & HARDIRQ_MASK)
		return __this_cpu_read(tapir_contexts[TAPIR_LEVEL_HARDIRQ]);
	if (in_serving_softirq())
		return __this_cpu_read(tapir_contexts[TAPIR_LEVEL_SOFTIRQ]);
	return __this_cpu_read(tapir_contexts[TAPIR_LEVEL_TASK]);
}

/*
 * Bytes left on the current task's stack; on an interrupt's or exception's stack, whose bounds are not known here, something that
 * is not smaller than THREAD_SIZE.
 */
static __always_inline unsigned long tapir_stack_left(void)
{
	return current_stack_pointer - (unsigned long)task_stack_page(current);
}

/*
 * Enters a handler. Returns NULL if the hit was skipped, which is then counted. Members that are not set here are zero between
 * handlers: see tapir_hit_finish().
 */
static __always_inline struct tapir_ctx *tapir_enter(const struct tapir_hook *hook, struct pt_regs *regs, unsigned long ip)
{
	struct tapir_ctx *c = tapir_context_here();

	if (TAPIR_UNLIKELY(c->busy)) {
		tapir_hit_skip(hook, TAPIR_SKIP_REENTRY);
		return NULL;
	}
	c->busy = 1;
	barrier();
	if (TAPIR_UNLIKELY(tapir_stack_left() < tapir_session.min_stack)) {
		tapir_hit_skip(hook, TAPIR_SKIP_STACK);
		barrier();
		c->busy = 0;
		return NULL;
	}
	c->probe = hook->probe;
	c->budget = tapir_session.first_actions;
	c->regs = regs;
	c->ip = ip;
	return c;
}

/* The handler has ended; the context is still held. */
static __always_inline void tapir_settle(struct tapir_ctx *c, const struct tapir_hook *hook)
{
	if (TAPIR_UNLIKELY(c->unsettled | c->out_len))
		tapir_hit_finish(c, hook);
	else
		this_cpu_inc(hook->cell->handled);
}

/* After this the context is free again: call nothing traceable. */
static __always_inline void tapir_release(struct tapir_ctx *c)
{
	barrier();
	c->busy = 0;
}

static __always_inline void tapir_leave(struct tapir_ctx *c, const struct tapir_hook *hook)
{
	tapir_settle(c, hook);
	tapir_release(c);
}

#endif
