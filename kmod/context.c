// SPDX-License-Identifier: GPL-2.0-or-later
/* Contexts of handlers, and the ledger of hits. */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <tapir/port.h>
#include "context.h"

#define TAPIR_SCRATCH_BYTES 4096

DEFINE_PER_CPU(struct tapir_cpu, tapir_cpu);
struct tapir_ctx *tapir_session_context;

static struct tapir_attachment {
	u32 attached;
	u64 missed;
} * tapir_attachments; /* by probe */

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
	c->scratch_bytes = TAPIR_SCRATCH_BYTES;
	return c;
}

void tapir_contexts_destroy(void)
{
	int cpu;
	u32 level;

	for_each_possible_cpu(cpu)
	{
		struct tapir_cpu *state = per_cpu_ptr(&tapir_cpu, cpu);

		for (level = 0; level < TAPIR_LEVEL_SESSION; level++) {
			tapir_context_free(state->contexts[level]);
			state->contexts[level] = NULL;
		}
		kvfree(state->cells);
		state->cells = NULL;
	}
	tapir_context_free(tapir_session_context);
	tapir_session_context = NULL;
	kvfree(tapir_attachments);
	tapir_attachments = NULL;
}

int tapir_contexts_create(void)
{
	size_t nprobes = max(tapir_module.nprobes, 1u);
	int cpu;
	u32 level;

	for_each_possible_cpu(cpu)
	{
		struct tapir_cpu *state = per_cpu_ptr(&tapir_cpu, cpu);
		int node = cpu_to_node(cpu);

		for (level = 0; level < TAPIR_LEVEL_SESSION; level++) {
			state->contexts[level] = tapir_context_create(cpu, level, node);
			if (!state->contexts[level])
				goto no_memory;
		}
		state->cells = kvzalloc_node(nprobes * sizeof(*state->cells), GFP_KERNEL, node);
		if (!state->cells)
			goto no_memory;
	}
	tapir_session_context = tapir_context_create(0, TAPIR_LEVEL_SESSION, NUMA_NO_NODE);
	tapir_attachments = kvcalloc(nprobes, sizeof(*tapir_attachments), GFP_KERNEL);
	if (!tapir_session_context || !tapir_attachments)
		goto no_memory;
	tapir_session_context->may_wait = 1;
	return 0;

no_memory:
	tapir_contexts_destroy();
	return -ENOMEM;
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
	for_each_possible_cpu(cpu)
	{
		struct tapir_cell *cell = per_cpu_ptr(&tapir_cpu, cpu)->cells + probe;
		u64 least;

		row->handled += local_read(&cell->handled);
		for (reason = 0; reason < TAPIR_SKIPS; reason++)
			row->skipped[reason] += local_read(&cell->skipped[reason]);
		row->errors += local_read(&cell->errors);
		least = local_read(&cell->time_min);
		if (least && (!row->time_min || least < row->time_min))
			row->time_min = least;
		row->time_max = max_t(u64, row->time_max, local_read(&cell->time_max));
		row->time_sum += local_read(&cell->time_sum);
	}
	row->hits = row->handled;
	for (reason = 0; reason < TAPIR_SKIPS; reason++)
		row->hits += row->skipped[reason];
}

void tapir_hit_skip(struct tapir_cell *cell, u32 reason)
{
	local_inc(&cell->skipped[reason]);
	tapir_session_count_skip(reason);
}

void tapir_hit_finish(struct tapir_ctx *c, struct tapir_cell *cell)
{
	tapir_handler_finish(c);
	/* A lock that could not be had was counted where it happened. */
	if (c->failed != TAPIR_FAIL_SKIP)
		local_inc(&cell->handled);
}

static struct tapir_cell *tapir_cell_of(const struct tapir_ctx *c)
{
	return per_cpu_ptr(&tapir_cpu, c->cpu)->cells + (c->probe - tapir_module.probes);
}

void tapir_port_count_skip(struct tapir_ctx *c, u32 reason)
{
	tapir_hit_skip(tapir_cell_of(c), reason);
}

bool tapir_port_count_error(struct tapir_ctx *c)
{
	local_inc(&tapir_cell_of(c)->errors);
	tapir_session_count_error();
	return !tapir_session.suppress_errors;
}

void tapir_hit_time(struct tapir_cell *cell, u64 ns)
{
	long sample = max_t(u64, ns, 1), old;

	local_add(sample, &cell->time_sum);
	do {
		old = local_read(&cell->time_max);
	} while (sample > old && local_cmpxchg(&cell->time_max, old, sample) != old);
	do {
		old = local_read(&cell->time_min);
	} while ((!old || sample < old) && local_cmpxchg(&cell->time_min, old, sample) != old);
}

void tapir_session_run(u32 index)
{
	const struct tapir_probe *probe = &tapir_module.probes[index];
	struct tapir_ctx *c = tapir_session_context;
	struct tapir_cell *cell;
	u64 started;

	tapir_ledger_add_attached(index, 1);
	if (probe->condition && !probe->condition())
		return;
	/* Nothing else writes statistics while session-level handlers run, so any CPU's slots will do. */
	c->cpu = raw_smp_processor_id();
	cell = per_cpu_ptr(&tapir_cpu, c->cpu)->cells + index;
	started = ktime_get_mono_fast_ns();
	if (probe->leaf) {
		probe->leaf(c->cpu);
		local_inc(&cell->handled);
	} else {
		tapir_handler_start(c, probe, tapir_session.limits[TAPIR_LIMIT_MAXACTION_INTERRUPTIBLE]);
		c->regs = NULL;
		c->ip = 0;
		c->symbol = ~0u;
		c->busy = 1;
		probe->handler(c);
		tapir_hit_finish(c, cell);
		c->busy = 0;
	}
	if (tapir_session.timing)
		tapir_hit_time(cell, ktime_get_mono_fast_ns() - started);
}
