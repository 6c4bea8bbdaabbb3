/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ledger: an account of each probe's hits. hits = handled + skipped, for each reason. Missed hits, which the kernel never
 * delivered, are not among the hits.
 */
#ifndef TAPIR_KMOD_LEDGER_H
#define TAPIR_KMOD_LEDGER_H

#include <linux/percpu.h>
#include <tapir/abi.h>
#include <tapir/wire.h>
#include <runtime/governor.h>

/* One probe's row of the ledger on one CPU. Counted with this_cpu operations: a hit may interrupt the accounting of another one. */
struct tapir_cell {
	u64 handled;
	u64 skipped[TAPIR_SKIPS];
	u64 errors;
	u64 timed;			  /* of those handled: how many were measured, and */
	u64 time_min, time_max, time_sum; /* ns; time_min is 0 before the first one, and at least 1 afterwards */
	u64 weighed, weighed_handled;	  /* the session thread's: hits that overhead.c has seen */
	struct tapir_governed governed;
};

/* The part of a probe that its kind passes with each hit. */
struct tapir_hook {
	const struct tapir_probe *probe;
	struct tapir_cell __percpu *cell;
};

/* Cells for every possible CPU. May sleep. -ENOMEM: nothing is left allocated. */
int tapir_ledger_create(void);
void tapir_ledger_destroy(void);

/* The hook of a probe; after tapir_ledger_create(). */
struct tapir_hook tapir_hook_of(u32 probe);

/* Counts, over all probes, how calls in programs ended whose entries left something for their returns. */
enum tapir_call_count {
	TAPIR_CALLS_FOLLOWED, /* = all others but KEPT, when it is 0 */
	TAPIR_CALLS_RETURNED,
	TAPIR_CALLS_LEFT,   /* without a return: longjmp, exceptions, the end of the process */
	TAPIR_CALLS_INSIDE, /* when the probe was detached */
	TAPIR_CALLS_MISSED, /* for want of memory */
	TAPIR_CALLS_KEPT,   /* now */
	TAPIR_CALL_COUNTS
};
DECLARE_PER_CPU(u64[TAPIR_CALL_COUNTS], tapir_call_counts);

/* Any context. */
static __always_inline void tapir_ledger_count_call(u32 what, s64 calls)
{
	this_cpu_add(tapir_call_counts[what], calls);
}
/* Process context. */
void tapir_ledger_sum_calls(struct tapir_ioc_calls *calls);

/* Texts that were cut. Process context. */
void tapir_ledger_sum_cuts(struct tapir_ioc_cut *cut);

/* Session thread. */
void tapir_ledger_add_attached(u32 probe, u32 sites);
void tapir_ledger_add_missed(u32 probe, u64 hits);
/* Sums the ledger of a probe over the CPUs into the numbers of `row`. Process context; zeros before START. */
void tapir_ledger_sum(u32 probe, struct tapir_ioc_probe *row);

/* Hits of a probe on a CPU since the last call, and how many of them were handled. Session thread. */
u64 tapir_ledger_new_hits(u32 probe, int cpu, u64 *handled);
/* Adds how many hits of a probe were measured on all CPUs, and how long they took. Session thread. */
void tapir_ledger_sum_times(u32 probe, u64 *timed, u64 *ns);

/* Counts a hit that is skipped. Any context, preemption disabled. */
void tapir_hit_skip(const struct tapir_hook *hook, u32 reason);
/* Sets how much of the times below the measurement itself takes. Session thread, before the first of them. */
void tapir_ledger_calibrate(u64 ns);
/* How long a handler ran, as it was measured; returns that without the measurement. Any context, preemption disabled. */
u64 tapir_ledger_time(struct tapir_cell __percpu *cell, u64 ns);

#endif
