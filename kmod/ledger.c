// SPDX-License-Identifier: GPL-2.0-or-later
/* The ledger of hits: see ledger.h. */
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <tapir/context.h>
#include <tapir/port.h>
#include "kind.h"
#include "ledger.h"
#include "state.h"

/* Per-CPU memory comes in limited pieces, so the cells do too. */
#define TAPIR_CELLS_PER_PIECE 128u
static struct tapir_cell __percpu **tapir_cell_pieces;
static u32 tapir_ncell_pieces;

static u64 tapir_measured_nothing; /* ns that a handler takes which does nothing, as it is measured */

static struct tapir_attachment {
	u32 attached;
	u64 missed;
} * tapir_attachments; /* by probe */

DEFINE_PER_CPU(u64[TAPIR_CALL_COUNTS], tapir_call_counts);
static DEFINE_PER_CPU(u64[TAPIR_CUTS], tapir_cut_counts);

/* ---- life ---- */

void tapir_ledger_destroy(void)
{
	u32 i;

	for (i = 0; i < tapir_ncell_pieces; i++)
		free_percpu(tapir_cell_pieces[i]);
	kfree(tapir_cell_pieces);
	tapir_cell_pieces = NULL;
	tapir_ncell_pieces = 0;
	kvfree(tapir_attachments);
	tapir_attachments = NULL;
}

int tapir_ledger_create(void)
{
	u32 pieces = DIV_ROUND_UP(tapir_module.nprobes, TAPIR_CELLS_PER_PIECE);

	tapir_attachments = kvcalloc(max(tapir_module.nprobes, 1u), sizeof(*tapir_attachments), GFP_KERNEL);
	tapir_cell_pieces = kcalloc(max(pieces, 1u), sizeof(*tapir_cell_pieces), GFP_KERNEL);
	if (!tapir_attachments || !tapir_cell_pieces)
		goto no_memory;
	for (; tapir_ncell_pieces < pieces; tapir_ncell_pieces++) {
		struct tapir_cell __percpu *piece =
		    __alloc_percpu(TAPIR_CELLS_PER_PIECE * sizeof(struct tapir_cell), __alignof__(struct tapir_cell));

		if (!piece)
			goto no_memory;
		tapir_cell_pieces[tapir_ncell_pieces] = piece;
	}
	return 0;

no_memory:
	tapir_ledger_destroy();
	return -ENOMEM;
}

/* ---- attaching and counting ---- */

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
	tapir_session_count_missed(hits);
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
		row->refused += READ_ONCE(cell->governed.refused);
		row->stretched += READ_ONCE(cell->governed.stretched);
		row->errors += READ_ONCE(cell->errors);
		if (least && (!row->time_min || least < row->time_min))
			row->time_min = least;
		row->time_max = max(row->time_max, READ_ONCE(cell->time_max));
		row->time_sum += READ_ONCE(cell->time_sum);
		row->timed += READ_ONCE(cell->timed);
	}
	row->way_ns = tapir_probe_way(&tapir_module.probes[probe]) + tapir_session.more_way_ns;
	row->hits = row->handled;
	for (reason = 0; reason < TAPIR_SKIPS; reason++)
		row->hits += row->skipped[reason];
}

u64 tapir_ledger_new_hits(u32 probe, int cpu, u64 *handled)
{
	struct tapir_cell *cell = per_cpu_ptr(tapir_cell_of(probe), cpu);
	u64 hits = READ_ONCE(cell->handled), before = cell->weighed;
	int reason;

	*handled = hits - cell->weighed_handled;
	if (*handled)
		cell->weighed_handled = hits;
	for (reason = 0; reason < TAPIR_SKIPS; reason++)
		hits += READ_ONCE(cell->skipped[reason]);
	/* Cells that are not hit are not written to, either. */
	if (hits != before)
		cell->weighed = hits;
	return hits - before;
}

void tapir_ledger_sum_times(u32 probe, u64 *timed, u64 *ns)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct tapir_cell *cell = per_cpu_ptr(tapir_cell_of(probe), cpu);

		*timed += READ_ONCE(cell->timed);
		*ns += READ_ONCE(cell->time_sum);
	}
}

void tapir_ledger_sum_calls(struct tapir_ioc_calls *calls)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		const u64 *counts = per_cpu(tapir_call_counts, cpu);

		calls->followed += READ_ONCE(counts[TAPIR_CALLS_FOLLOWED]);
		calls->returned += READ_ONCE(counts[TAPIR_CALLS_RETURNED]);
		calls->left += READ_ONCE(counts[TAPIR_CALLS_LEFT]);
		calls->inside += READ_ONCE(counts[TAPIR_CALLS_INSIDE]) + READ_ONCE(counts[TAPIR_CALLS_KEPT]);
		calls->missed += READ_ONCE(counts[TAPIR_CALLS_MISSED]);
	}
}

void tapir_ledger_sum_cuts(struct tapir_ioc_cut *cut)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		const u64 *counts = per_cpu(tapir_cut_counts, cpu);

		cut->strings += READ_ONCE(counts[TAPIR_CUT_STRING]);
		cut->stacks += READ_ONCE(counts[TAPIR_CUT_STACK]);
		cut->recalls += READ_ONCE(counts[TAPIR_LOST_RECALL]);
		cut->samples += READ_ONCE(counts[TAPIR_LOST_SAMPLE]);
	}
	cut->string_cap = tapir_module.string_cap;
	cut->weighted = tapir_session.governed && tapir_module.weighted;
}

void tapir_port_count_cut(u32 what)
{
	this_cpu_inc(tapir_cut_counts[what]);
}

void tapir_ledger_calibrate(u64 ns)
{
	tapir_measured_nothing = ns;
}

u64 tapir_ledger_time(struct tapir_cell __percpu *cell, u64 ns)
{
	u64 old;

	ns = ns > tapir_measured_nothing ? ns - tapir_measured_nothing : 1;
	this_cpu_add(cell->time_sum, ns);
	this_cpu_inc(cell->timed);
	do {
		old = this_cpu_read(cell->time_max);
	} while (ns > old && this_cpu_cmpxchg(cell->time_max, old, ns) != old);
	do {
		old = this_cpu_read(cell->time_min);
	} while ((!old || ns < old) && this_cpu_cmpxchg(cell->time_min, old, ns) != old);
	return ns;
}

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
