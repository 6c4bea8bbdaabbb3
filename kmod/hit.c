// SPDX-License-Identifier: GPL-2.0-or-later
/* Contexts of handlers, and the ledger of hits. */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/topology.h>
#include <tapir/port.h>
#include "hit.h"

DEFINE_PER_CPU(struct tapir_ctx *, tapir_contexts[TAPIR_LEVEL_SESSION]);
struct tapir_ctx *tapir_session_context;

/* The ledger. Per-CPU memory comes in limited pieces, so the cells do too. */
#define TAPIR_CELLS_PER_PIECE 128u
static struct tapir_cell __percpu **tapir_cell_pieces;
static u32 tapir_ncell_pieces;

static struct tapir_attachment {
	u32 attached;
	u64 missed;
} * tapir_attachments; /* by probe */

/* ---- life ---- */

static void tapir_context_free(struct tapir_ctx *c)
{
	kvfree(c);
}

/* One allocation: the context, its output buffer, its frame and its scratch memory. */
static struct tapir_ctx *tapir_context_create(u32 cpu, u8 level, int node)
{
	size_t head = ALIGN(sizeof(struct tapir_ctx), 64), frame = ALIGN((size_t)tapir_module.frame_bytes, 64);
	struct tapir_ctx *c = kvzalloc_node(head + TAPIR_OUTPUT_MAX + frame + TAPIR_SCRATCH_BYTES, GFP_KERNEL, node);

	if (!c)
		return NULL;
	c->cpu = cpu;
	c->level = level;
	c->out = (char *)c + head;
	c->frame = c->out + TAPIR_OUTPUT_MAX;
	c->scratch = c->frame + frame;
	return c;
}

void tapir_contexts_destroy(void)
{
	u32 level, i;
	int cpu;

	for_each_possible_cpu(cpu) {
		for (level = 0; level < TAPIR_LEVEL_SESSION; level++) {
			tapir_context_free(per_cpu(tapir_contexts[level], cpu));
			per_cpu(tapir_contexts[level], cpu) = NULL;
		}
	}
	tapir_context_free(tapir_session_context);
	tapir_session_context = NULL;
	for (i = 0; i < tapir_ncell_pieces; i++)
		free_percpu(tapir_cell_pieces[i]);
	kfree(tapir_cell_pieces);
	tapir_cell_pieces = NULL;
	tapir_ncell_pieces = 0;
	kvfree(tapir_attachments);
	tapir_attachments = NULL;
}

static bool tapir_ledger_create(void)
{
	u32 pieces = DIV_ROUND_UP(tapir_module.nprobes, TAPIR_CELLS_PER_PIECE);

	tapir_attachments = kvcalloc(max(tapir_module.nprobes, 1u), sizeof(*tapir_attachments), GFP_KERNEL);
	tapir_cell_pieces = kcalloc(max(pieces, 1u), sizeof(*tapir_cell_pieces), GFP_KERNEL);
	if (!tapir_attachments || !tapir_cell_pieces)
		return false;
	for (; tapir_ncell_pieces < pieces; tapir_ncell_pieces++) {
		struct tapir_cell __percpu *piece =
		    __alloc_percpu(TAPIR_CELLS_PER_PIECE * sizeof(struct tapir_cell), __alignof__(struct tapir_cell));

		if (!piece)
			return false;
		tapir_cell_pieces[tapir_ncell_pieces] = piece;
	}
	return true;
}

int tapir_contexts_create(void)
{
	u32 level;
	int cpu;

	for_each_possible_cpu(cpu) {
		for (level = 0; level < TAPIR_LEVEL_SESSION; level++) {
			struct tapir_ctx *c = tapir_context_create(cpu, level, cpu_to_node(cpu));

			if (!c)
				goto no_memory;
			per_cpu(tapir_contexts[level], cpu) = c;
		}
	}
	tapir_session_context = tapir_context_create(0, TAPIR_LEVEL_SESSION, NUMA_NO_NODE);
	if (!tapir_session_context || !tapir_ledger_create())
		goto no_memory;
	tapir_session_context->may_wait = 1;
	return 0;

no_memory:
	tapir_contexts_destroy();
	return -ENOMEM;
}

/* ---- the ledger ---- */

static struct tapir_cell __percpu *tapir_cell_of(u32 probe)
{
	return tapir_cell_pieces[probe / TAPIR_CELLS_PER_PIECE] + probe % TAPIR_CELLS_PER_PIECE;
}

struct tapir_hook tapir_hook_of(u32 probe)
{
	return (struct tapir_hook){.probe = &tapir_module.probes[probe], .cell = tapir_cell_of(probe)};
}

void tapir_ledger_add_attached(u32 probe, u32 sites)
{
	tapir_attachments[probe].attached += sites;
}

void tapir_ledger_add_missed(u32 probe, u64 hits)
{
	tapir_attachments[probe].missed += hits;
}

void tapir_ledger_sum(u32 probe, struct tapir_ioc_probe *row)
{
	int cpu, reason;

	if (!tapir_attachments)
		return;
	row->attached = tapir_attachments[probe].attached;
	row->missed = tapir_attachments[probe].missed;
	for_each_possible_cpu(cpu) {
		const struct tapir_cell *cell = per_cpu_ptr(tapir_cell_of(probe), cpu);
		u64 least = READ_ONCE(cell->time_min);

		row->handled += READ_ONCE(cell->handled);
		for (reason = 0; reason < TAPIR_SKIPS; reason++)
			row->skipped[reason] += READ_ONCE(cell->skipped[reason]);
		row->errors += READ_ONCE(cell->errors);
		if (least && (!row->time_min || least < row->time_min))
			row->time_min = least;
		row->time_max = max(row->time_max, READ_ONCE(cell->time_max));
		row->time_sum += READ_ONCE(cell->time_sum);
	}
	row->hits = row->handled;
	for (reason = 0; reason < TAPIR_SKIPS; reason++)
		row->hits += row->skipped[reason];
}

static void tapir_ledger_time(struct tapir_cell __percpu *cell, u64 ns)
{
	u64 old;

	ns = max_t(u64, ns, 1);
	this_cpu_add(cell->time_sum, ns);
	do {
		old = this_cpu_read(cell->time_max);
	} while (ns > old && this_cpu_cmpxchg(cell->time_max, old, ns) != old);
	do {
		old = this_cpu_read(cell->time_min);
	} while ((!old || ns < old) && this_cpu_cmpxchg(cell->time_min, old, ns) != old);
}

/* ---- hits ---- */

void tapir_hit_skip(const struct tapir_hook *hook, u32 reason)
{
	this_cpu_inc(hook->cell->skipped[reason]);
	tapir_session_count_skip(reason);
}

void tapir_port_count_skip(struct tapir_ctx *c, u32 reason)
{
	this_cpu_inc(tapir_cell_of(c->probe - tapir_module.probes)->skipped[reason]);
	tapir_session_count_skip(reason);
}

bool tapir_port_count_error(struct tapir_ctx *c)
{
	this_cpu_inc(tapir_cell_of(c->probe - tapir_module.probes)->errors);
	tapir_session_count_error();
	return !tapir_session.suppress_errors;
}

/* Every handler finds these zero; one that did not fail leaves them so. */
static void tapir_hit_reset(struct tapir_ctx *c)
{
	c->failed = TAPIR_FAIL_NONE;
	c->aborted = 0;
	c->frame_used = 0;
	c->nesting = 0;
	c->out_len = 0;
}

void tapir_hit_finish(struct tapir_ctx *c, const struct tapir_hook *hook)
{
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

/* Reading the clock may hit probes, so that this one has to hold the context that it can do without. */
static noinline void tapir_hit_leaf_timed(const struct tapir_hook *hook, const struct tapir_hit_data *hit)
{
	struct tapir_ctx *c = tapir_context_here();
	u64 started;

	if (c->busy) {
		tapir_hit_skip(hook, TAPIR_SKIP_REENTRY);
		return;
	}
	c->busy = 1;
	barrier();
	started = ktime_get_mono_fast_ns();
	tapir_hit_leaf(hook->probe, hit);
	this_cpu_inc(hook->cell->handled);
	tapir_ledger_time(hook->cell, ktime_get_mono_fast_ns() - started);
	tapir_release(c);
}

void tapir_hit_at(const struct tapir_hook *hook, const struct tapir_hit_data *hit)
{
	const struct tapir_probe *probe = hook->probe;
	u32 mode = READ_ONCE(tapir_session.mode);
	struct tapir_ctx *c;
	u64 started = 0;

	if (mode == TAPIR_MODE_OFF) {
		tapir_hit_skip(hook, TAPIR_SKIP_STATE);
		return;
	}
	if (probe->condition && !probe->condition->holds())
		return;
	if (probe->leaf.plain) {
		if (mode == TAPIR_MODE_TIMED) {
			tapir_hit_leaf_timed(hook, hit);
			return;
		}
		tapir_hit_leaf(probe, hit);
		this_cpu_inc(hook->cell->handled);
		return;
	}
	c = tapir_enter(hook, hit->regs, hit->ip);
	if (!c)
		return;
	c->args = hit->args;
	c->place = hit->place;
	c->saved = hit->saved;
	if (mode == TAPIR_MODE_TIMED)
		started = ktime_get_mono_fast_ns();
	hit->handler(c);
	tapir_settle(c, hook);
	if (mode == TAPIR_MODE_TIMED)
		tapir_ledger_time(hook->cell, ktime_get_mono_fast_ns() - started);
	tapir_release(c);
}

void tapir_hit(const struct tapir_hook *hook, struct pt_regs *regs, unsigned long ip)
{
	struct tapir_hit_data hit = {.regs = regs, .ip = ip, .handler = hook->probe->handler};

	tapir_hit_at(hook, &hit);
}

bool tapir_hit_entry(const struct tapir_hook *hook, const struct tapir_hit_data *hit)
{
	struct tapir_ctx *c;
	bool follow;

	if (READ_ONCE(tapir_session.mode) == TAPIR_MODE_OFF || (hook->probe->condition && !hook->probe->condition->holds()))
		return false;
	c = tapir_enter(hook, hit->regs, hit->ip);
	if (!c)
		return false;
	c->args = hit->args;
	c->place = hit->place;
	c->saved = hit->saved;
	c->at_entry = 1;
	hit->handler(c);
	c->at_entry = 0;
	follow = !c->failed;
	if (c->failed | c->out_len) {
		tapir_handler_finish(c);
		tapir_hit_reset(c);
	}
	barrier();
	c->busy = 0;
	return follow;
}

static int tapir_interrupts_before; /* the session-level handler that is running */

static bool tapir_interrupted(void)
{
	return READ_ONCE(tapir_session.abandoned) || atomic_read(&tapir_session.interrupts) != tapir_interrupts_before;
}

bool tapir_port_pause(struct tapir_ctx *c)
{
	cond_resched();
	return !tapir_interrupted();
}

void tapir_session_run(u32 index)
{
	struct tapir_hook hook = tapir_hook_of(index);
	struct tapir_ctx *c = tapir_session_context;
	bool given_up;
	u64 started;

	tapir_ledger_add_attached(index, 1);
	if (hook.probe->condition && !hook.probe->condition->holds())
		return;
	/* Nothing else writes statistics while session-level handlers run, so any CPU's slots will do. */
	c->cpu = raw_smp_processor_id();
	started = ktime_get_mono_fast_ns();
	if (hook.probe->leaf.plain) {
		hook.probe->leaf.plain(c->cpu);
		this_cpu_inc(hook.cell->handled);
	} else {
		tapir_handler_start(c, hook.probe, tapir_session.limits[TAPIR_LIMIT_MAXACTION_INTERRUPTIBLE]);
		c->busy = 1;
		tapir_interrupts_before = atomic_read(&tapir_session.interrupts);
		hook.probe->handler(c);
		given_up = c->failed == TAPIR_FAIL_ABORT && !c->aborted;
		tapir_leave(c, &hook);
		if (given_up)
			tapir_session_warn("probe %s was interrupted", hook.probe->point);
	}
	if (tapir_session.timing)
		tapir_ledger_time(hook.cell, ktime_get_mono_fast_ns() - started);
}
