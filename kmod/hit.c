// SPDX-License-Identifier: GPL-2.0-or-later
/* Contexts of handlers, and how a hit runs its handler: see hit.h. */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/topology.h>
#include <tapir/port.h>
#include "cgroups.h"
#include "governed.h"
#include "compat/cpu_hotplug.h"
#include "hit.h"
#include "port_memory.h"
#include "processors.h"
#include "relay.h"
#include "report.h"
#include "state.h"

/* ---- life ---- */

static void tapir_context_free(struct tapir_ctx *c)
{
	kvfree(c);
}

extern const u32 tapir_stacks_space __weak, tapir_user_stacks_space __weak; /* tapir/stacks.h */

static size_t tapir_frame_bytes(void)
{
	return ALIGN((size_t)tapir_module.frame_bytes, 64);
}

static size_t tapir_context_stack_bytes(void)
{
	return (&tapir_stacks_space ? tapir_stacks_space : 0) + (&tapir_user_stacks_space ? tapir_user_stacks_space : 0);
}

static size_t tapir_context_bytes(size_t frame)
{
	return ALIGN(sizeof(struct tapir_ctx), 64) + TAPIR_OUTPUT_MAX + frame + TAPIR_SCRATCH_BYTES + tapir_context_stack_bytes();
}

/* One allocation: the context, its output buffer, its frame of so many bytes, its scratch memory and that for stacks. */
static struct tapir_ctx *tapir_context_create(u32 cpu, u8 level, size_t frame, int node)
{
	size_t bytes = tapir_context_bytes(frame);
	struct tapir_ctx *c = tapir_port_affordable(bytes) ? kvzalloc_node(bytes, TAPIR_GFP_ASKED, node) : NULL;

	if (!c)
		return NULL;
	c->cpu = cpu;
	c->level = level;
	c->out = (char *)c + ALIGN(sizeof(*c), 64);
	c->frame = c->out + TAPIR_OUTPUT_MAX;
	c->scratch = c->frame + frame;
	c->stacks = tapir_context_stack_bytes() ? c->scratch + TAPIR_SCRATCH_BYTES : NULL;
	return c;
}

static int tapir_contexts_hotplug; /* the state that brings contexts to CPUs; 0: none */

void tapir_contexts_destroy(void)
{
	u32 level;
	int cpu;

	if (tapir_contexts_hotplug > 0)
		cpuhp_remove_state_nocalls(tapir_contexts_hotplug);
	tapir_contexts_hotplug = 0;
	for_each_possible_cpu(cpu) {
		for (level = 0; level < TAPIR_LEVEL_SESSION; level++) {
			tapir_context_free(per_cpu(tapir_contexts[level], cpu));
			per_cpu(tapir_contexts[level], cpu) = NULL;
		}
	}
	if (tapir_session_context)
		tapir_port_free(tapir_session_context->frame);
	tapir_context_free(tapir_session_context);
	tapir_session_context = NULL;
}

int tapir_session_context_create(void)
{
	tapir_session_context = tapir_context_create(0, TAPIR_LEVEL_SESSION, 0, NUMA_NO_NODE);
	if (!tapir_session_context)
		return -ENOMEM;
	tapir_session_context->may_wait = 1;
	tapir_session_context->frame = NULL;
	return 0;
}

void tapir_contexts_demand(struct tapir_demand *demand)
{
	u64 count = (u64)num_online_cpus() * TAPIR_LEVEL_SESSION;

	tapir_demand_add(demand, count * tapir_context_bytes(tapir_frame_bytes()) + tapir_frame_bytes(), "the variables of ",
			 "handlers", "use shorter strings (MAXSTRINGLEN), or fewer calls within calls (MAXNESTING)");
}

/*
 * Before a CPU runs anything. Its contexts stay when it goes. Without memory for them it does not come. One state of CPU hotplug
 * serves all of a session: kernels have twenty of them, and warn when none is left.
 */
static int tapir_contexts_come(unsigned int cpu)
{
	size_t frame = tapir_frame_bytes();
	u32 level;

	for (level = 0; level < TAPIR_LEVEL_SESSION; level++) {
		struct tapir_ctx **context = &per_cpu(tapir_contexts[level], cpu);

		if (!*context)
			*context = tapir_context_create(cpu, level, frame, cpu_to_node(cpu));
		if (!*context)
			return -ENOMEM;
	}
	tapir_processor_begins(cpu);
	return 0;
}

bool tapir_contexts_create(void)
{
	int state = tapir_cpu_hotplug_prepare("tapir:contexts", tapir_contexts_come);

	tapir_contexts_hotplug = max(state, 0);
	tapir_session_context->frame = state < 0 ? NULL : tapir_port_alloc(tapir_frame_bytes());
	if (tapir_session_context->frame)
		return true;
	tapir_session_fail(TAPIR_TEXT(NoMemoryContexts));
	return false;
}

/* ---- hits ---- */

/* Every handler finds these zero; one that did not fail leaves them so. */
static void tapir_hit_reset(struct tapir_ctx *c)
{
	c->unsettled = 0;
	c->aborted = 0;
	c->frame_used = 0;
	c->nesting = 0;
	c->out_len = 0;
}

#define TAPIR_OWN_HITS 50 /* hits of the loader that print, before the warning; starting and ending take some */

static atomic_t tapir_own_hits;

/*
 * Warns if hits by staprun print: its work to deliver that output may hit again. Probes of clocks and the like run meanwhile, but
 * not because of it.
 */
static noinline void tapir_hit_by_loader(const struct tapir_probe *probe, u8 level)
{
	if (probe->kind->any_task || level >= TAPIR_LEVEL_NMI || atomic_read(&tapir_own_hits) >= TAPIR_OWN_HITS)
		return;
	if (atomic_inc_return(&tapir_own_hits) == TAPIR_OWN_HITS)
		tapir_relay_note(TAPIR_REC_WARNING, TAPIR_TEXT(HitsOwnOutput), sizeof(TAPIR_TEXT(HitsOwnOutput)) - 1);
}

void tapir_hit_finish(struct tapir_ctx *c, const struct tapir_hook *hook)
{
	if (TAPIR_UNLIKELY(current->tgid == tapir_session.loader_pid) && c->out_len)
		tapir_hit_by_loader(hook->probe, c->level);
	/* A handler that prints a little, and no more. */
	if (TAPIR_LIKELY(!c->unsettled && tapir_relay_output(c))) {
		this_cpu_inc(hook->cell->handled);
		return;
	}
	tapir_handler_finish(c);
	/* A lock that could not be had was counted where it happened. */
	if (c->failed != TAPIR_FAIL_SKIP)
		this_cpu_inc(hook->cell->handled);
	tapir_hit_reset(c);
}

static void tapir_hit_leaf(const struct tapir_probe *probe, const struct tapir_hit_data *hit)
{
	u32 cpu = raw_smp_processor_id();
	const u64 *a = hit->args;

	switch (probe->kind->leaf) {
	case TAPIR_LEAF_REGISTERS:
		probe->leaf.registers(cpu, hit->regs);
		break;
	case TAPIR_LEAF_ARGUMENTS:
		probe->leaf.arguments(cpu, a[0], a[1], a[2], a[3], a[4]);
		break;
	default:
		probe->leaf.plain(cpu);
	}
}

/*
 * The time, to measure a handler. Reading the clock may hit probes. Without the measurement nothing would have hit these, so that
 * they are left out: see tapir_hit_is_ours().
 */
static u64 tapir_hit_clock(struct tapir_ctx *c)
{
	u64 now;

	c->reads_clock = 1;
	barrier();
	now = ktime_get_mono_fast_ns();
	barrier();
	c->reads_clock = 0;
	return now;
}

/* The session is in TAPIR_MODE_EXTRA. */
static __always_inline bool tapir_hit_is_ours(void)
{
	return tapir_context_here()->reads_clock;
}

static noinline void tapir_hit_nothing(struct tapir_ctx *c)
{
	barrier();
}

#define TAPIR_CALIBRATION_TRIES 16

/* The least of a few tries: any may be interrupted. */
void tapir_hit_calibrate(void)
{
	u64 least = ~0ull;
	u32 i;

	for (i = 0; i < TAPIR_CALIBRATION_TRIES; i++) {
		u64 started = tapir_hit_clock(tapir_session_context);

		tapir_hit_nothing(tapir_session_context);
		least = min(least, tapir_hit_clock(tapir_session_context) - started);
	}
	tapir_ledger_calibrate(least);
}

/* The session is in TAPIR_MODE_EXTRA. */
static __always_inline bool tapir_hit_is_outside(const struct tapir_probe *probe)
{
	return tapir_cgroup && !probe->kind->any_task && !tapir_cgroup_has_current();
}

/* Runs a leaf handler in TAPIR_MODE_EXTRA; returns its time if it is to be measured. */
static u64 tapir_hit_leaf_extra(const struct tapir_hook *hook, const struct tapir_hit_data *hit, bool timed)
{
	struct tapir_ctx *c = tapir_context_here();
	u64 started = timed ? tapir_hit_clock(c) : 0;

	tapir_hit_leaf(hook->probe, hit);
	this_cpu_inc(hook->cell->handled);
	return timed ? tapir_hit_clock(c) - started : 0;
}

static __always_inline void tapir_hit_describe(struct tapir_ctx *c, const struct tapir_hit_data *hit)
{
	c->args = hit->args;
	c->place = hit->place;
	c->saved = hit->saved;
}

/* The verdict of a budget on a hit; without a budget, that it is handled. *left_out is set in any case. */
static enum tapir_verdict tapir_hit_verdict(const struct tapir_hook *hook, const struct tapir_hit_data *hit, u32 *left_out)
{
	*left_out = 0;
	if (!tapir_session.governed || hook->probe->steady)
		return TAPIR_VERDICT_HANDLE;
	if (hook->probe->entry && hit->saved)
		return tapir_governed_return(hook, hit->saved, left_out);
	return tapir_governed_hit(hook, left_out);
}

/* A hit while the session is in TAPIR_MODE_EXTRA. */
static noinline void tapir_hit_extra(const struct tapir_hook *hook, const struct tapir_hit_data *hit)
{
	const struct tapir_probe *probe = hook->probe;
	enum tapir_verdict verdict;
	struct tapir_ctx *c;
	u64 started = 0, ns;
	u32 left_out;
	bool timed;

	if (tapir_hit_is_ours() || tapir_hit_is_outside(probe) || (probe->condition && !probe->condition->holds()))
		return;
	verdict = tapir_hit_verdict(hook, hit, &left_out);
	if (verdict == TAPIR_VERDICT_SKIP) {
		tapir_hit_skip(hook, TAPIR_SKIP_BUDGET);
		return;
	}
	timed = verdict == TAPIR_VERDICT_MEASURE || READ_ONCE(tapir_session.timed);
	if (probe->leaf.plain) {
		ns = tapir_hit_leaf_extra(hook, hit, timed);
	} else {
		c = tapir_enter(hook, hit->regs, hit->ip);
		if (!c)
			return;
		tapir_hit_describe(c, hit);
		c->left_out = tapir_module.weighted ? left_out : 0;
		if (timed)
			started = tapir_hit_clock(c);
		hit->handler(c);
		tapir_settle(c, hook);
		ns = timed ? tapir_hit_clock(c) - started : 0;
		tapir_release(c);
	}
	if (!timed)
		return;
	ns = tapir_ledger_time(hook->cell, ns);
	if (verdict == TAPIR_VERDICT_MEASURE)
		tapir_governed_measured(hook, ns);
}

void tapir_hit_at(const struct tapir_hook *hook, const struct tapir_hit_data *hit)
{
	const struct tapir_probe *probe = hook->probe;
	u32 mode = READ_ONCE(tapir_session.mode);
	struct tapir_ctx *c;

	if (mode == TAPIR_MODE_OFF) {
		tapir_hit_skip(hook, TAPIR_SKIP_STATE);
		return;
	}
	if (TAPIR_UNLIKELY(mode == TAPIR_MODE_EXTRA)) {
		tapir_hit_extra(hook, hit);
		return;
	}
	if (probe->condition && !probe->condition->holds())
		return;
	if (probe->leaf.plain) {
		tapir_hit_leaf(probe, hit);
		this_cpu_inc(hook->cell->handled);
		return;
	}
	c = tapir_enter(hook, hit->regs, hit->ip);
	if (!c)
		return;
	tapir_hit_describe(c, hit);
	hit->handler(c);
	tapir_settle(c, hook);
	tapir_release(c);
}

void tapir_hit(const struct tapir_hook *hook, struct pt_regs *regs, unsigned long ip)
{
	struct tapir_hit_data hit = {.regs = regs, .ip = ip, .handler = hook->probe->handler};

	tapir_hit_at(hook, &hit);
}

/* Runs the handler of a call's entry. False: the call is not followed. `left_out` is NULL in a session without a budget. */
static __always_inline bool tapir_hit_enter_call(const struct tapir_hook *hook, const struct tapir_hit_data *hit,
						 const u32 *left_out)
{
	struct tapir_ctx *c = tapir_enter(hook, hit->regs, hit->ip);
	bool follow;

	if (!c)
		return false;
	tapir_hit_describe(c, hit);
	if (left_out)
		c->left_out = *left_out;
	c->at_entry = 1;
	hit->handler(c);
	c->at_entry = 0;
	follow = !c->failed;
	if (c->unsettled | c->out_len) {
		tapir_handler_finish(c);
		tapir_hit_reset(c);
	}
	barrier();
	c->busy = 0;
	return follow;
}

/* In TAPIR_MODE_EXTRA. One that is left out here is left out at its return, too. */
static noinline bool tapir_hit_entry_extra(const struct tapir_hook *hook, const struct tapir_hit_data *hit)
{
	u32 left_out = 0;

	if (tapir_hit_is_ours() || tapir_hit_is_outside(hook->probe))
		return false;
	if (tapir_session.governed && tapir_governed_entry(hook, hit->saved, &left_out) == TAPIR_VERDICT_SKIP) {
		tapir_hit_skip(hook, TAPIR_SKIP_BUDGET);
		return false;
	}
	left_out = tapir_module.weighted ? left_out : 0;
	return tapir_hit_enter_call(hook, hit, &left_out);
}

bool tapir_hit_entry(const struct tapir_hook *hook, const struct tapir_hit_data *hit)
{
	u32 mode = READ_ONCE(tapir_session.mode);

	if (mode == TAPIR_MODE_OFF || (hook->probe->condition && !hook->probe->condition->holds()))
		return false;
	if (TAPIR_UNLIKELY(mode == TAPIR_MODE_EXTRA))
		return tapir_hit_entry_extra(hook, hit);
	return tapir_hit_enter_call(hook, hit, NULL);
}

/* Runs a handler that has a context in the session thread. */
static void tapir_thread_run(const struct tapir_hook *hook, u8 level)
{
	struct tapir_ctx *c = tapir_session_context;
	bool given_up;

	c->level = level;
	tapir_handler_start(c, hook->probe, tapir_port_limit(TAPIR_LIMIT_MAXACTION_INTERRUPTIBLE));
	c->busy = 1;
	tapir_session_handler_begins();
	hook->probe->handler(c);
	given_up = c->failed == TAPIR_FAIL_ABORT && !c->aborted;
	tapir_leave(c, hook);
	c->level = TAPIR_LEVEL_SESSION;
	if (given_up)
		tapir_session_warn(TAPIR_TEXT(Interrupted), hook->probe->point);
}

void tapir_session_hit(const struct tapir_hook *hook, struct pt_regs *regs, unsigned long ip)
{
	u64 started;

	if (hook->probe->condition && !hook->probe->condition->holds())
		return;
	/* Nothing else writes statistics while session-level handlers run, so any CPU's slots will do. */
	tapir_session_context->cpu = raw_smp_processor_id();
	started = ktime_get_mono_fast_ns();
	if (hook->probe->leaf.plain) {
		hook->probe->leaf.plain(tapir_session_context->cpu);
		this_cpu_inc(hook->cell->handled);
	} else {
		tapir_session_context->regs = regs;
		tapir_session_context->ip = ip;
		tapir_thread_run(hook, TAPIR_LEVEL_SESSION);
		tapir_session_context->regs = NULL;
		tapir_session_context->ip = 0;
	}
	tapir_ledger_time(hook->cell, ktime_get_mono_fast_ns() - started);
}

void tapir_session_run(u32 index)
{
	struct tapir_hook hook = tapir_hook_of(index);

	tapir_ledger_add_attached(index, 1);
	tapir_session_hit(&hook, NULL, 0);
}

void tapir_report_run(const struct tapir_hook *hook)
{
	u64 started;

	if (hook->probe->condition && !hook->probe->condition->holds())
		return;
	started = ktime_get_mono_fast_ns();
	tapir_thread_run(hook, TAPIR_LEVEL_REPORT);
	tapir_ledger_time(hook->cell, ktime_get_mono_fast_ns() - started);
}
