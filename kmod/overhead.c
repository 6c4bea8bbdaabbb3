// SPDX-License-Identifier: GPL-2.0-or-later
/* The overhead of the session: see overhead.h. */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <tapir/abi.h>
#include "kind.h"
#include "ledger.h"
#include "overhead.h"
#include "report.h"
#include "state.h"

/*
 * Slices end up to a tick later, and are about 1/300 of the time. A measured hit costs some 200 instructions more, and so the
 * average one 0.7.
 */
#define TAPIR_OVERHEAD_SLICE	max(HZ / 250, 1)
#define TAPIR_OVERHEAD_INTERVAL (500L * TAPIR_OVERHEAD_SLICE)
/* On large machines with many probes the sums take long: the session thread then takes them less often. */
#define TAPIR_OVERHEAD_REST 1000u

/* The share of a processor that is worth a warning once it has lasted for so many intervals. */
#define TAPIR_OVERHEAD_HIGH  (TAPIR_SHARE_ALL / 5)
#define TAPIR_OVERHEAD_LASTS 5u

static struct tapir_overhead {
	u64 *cost;	    /* ns in this interval, by CPU */
	u64 since;	    /* the interval began, CLOCK_MONOTONIC in ns */
	unsigned long next; /* jiffies */
	bool live;	    /* something may be hit */
	bool begun;	    /* the first slice is over, which began with the interval */
	bool slice;	    /* one is under way */
	u32 high;	    /* intervals with a high overhead, one after the other */
	bool warned;
} tapir_overhead;

int tapir_overhead_create(void)
{
	tapir_overhead = (struct tapir_overhead){.cost = kvcalloc(nr_cpu_ids, sizeof(u64), GFP_KERNEL)};
	return tapir_overhead.cost ? 0 : -ENOMEM;
}

void tapir_overhead_destroy(void)
{
	kvfree(tapir_overhead.cost);
	tapir_overhead.cost = NULL;
}

/* ---- slices ---- */

static void tapir_overhead_measure(bool on)
{
	tapir_overhead.slice = on;
	/* Under a budget it is the governor that chooses which ones are measured. */
	if (tapir_session.timing || tapir_session.governed)
		return;
	WRITE_ONCE(tapir_session.timed, on);
	if (!tapir_session.extra)
		tapir_session_switch(on);
}

void tapir_overhead_begin(void)
{
	u32 i;

	for (i = 0; i < tapir_module.nprobes; i++)
		tapir_overhead.live |= tapir_probe_way(&tapir_module.probes[i]) > 0;
	if (!tapir_overhead.live)
		return;
	tapir_overhead.since = ktime_get_mono_fast_ns();
	tapir_overhead.next = jiffies + TAPIR_OVERHEAD_SLICE;
	tapir_overhead_measure(true);
}

long tapir_overhead_next(void)
{
	if (!tapir_overhead.live)
		return MAX_SCHEDULE_TIMEOUT;
	return max((long)(tapir_overhead.next - jiffies), 0L);
}

/* ---- sums ---- */

/* Adds what a probe has cost each CPU in this interval; returns the sum of all. */
static u64 tapir_overhead_add(u32 probe)
{
	u64 timed = 0, ns = 0, way, sum = 0;
	int cpu;

	tapir_ledger_sum_times(probe, &timed, &ns);
	way = tapir_probe_way(&tapir_module.probes[probe]) + tapir_session.more_way_ns;
	ns = timed ? div64_u64(ns, timed) : 0;
	for_each_possible_cpu(cpu) {
		u64 handled, hits = tapir_ledger_new_hits(probe, cpu, &handled), cost = hits * way + handled * ns;

		tapir_overhead.cost[cpu] += cost;
		sum += cost;
	}
	return sum;
}

/* The probe that has cost most in this interval. */
static u32 tapir_overhead_sum(void)
{
	u64 most = 0;
	u32 i, worst = 0;

	memset(tapir_overhead.cost, 0, nr_cpu_ids * sizeof(u64));
	for (i = 0; i < tapir_module.nprobes; i++) {
		u64 sum = tapir_overhead_add(i);

		if (sum > most) {
			most = sum;
			worst = i;
		}
		cond_resched();
	}
	return worst;
}

static int tapir_overhead_busiest(void)
{
	int cpu, busiest = cpumask_first(cpu_possible_mask);

	for_each_possible_cpu(cpu)
		if (tapir_overhead.cost[cpu] > tapir_overhead.cost[busiest])
			busiest = cpu;
	return busiest;
}

static void tapir_overhead_judge(int cpu, u32 share, const char *point)
{
	u32 limit = tapir_session.limits[TAPIR_LIMIT_OVERLOAD];
	u32 percent = DIV_ROUND_CLOSEST(share * 100, TAPIR_SHARE_ALL);

	if (limit && share > limit) {
		tapir_session_fail(TAPIR_TEXT(Overload), percent, cpu, point, DIV_ROUND_CLOSEST(limit * 100, TAPIR_SHARE_ALL));
		return;
	}
	tapir_overhead.high = share >= TAPIR_OVERHEAD_HIGH ? tapir_overhead.high + 1 : 0;
	if (tapir_overhead.high < TAPIR_OVERHEAD_LASTS || tapir_overhead.warned)
		return;
	tapir_overhead.warned = true;
	tapir_session_warn(TAPIR_TEXT(OverloadLasts), percent, cpu, point);
}

/* The end of an interval. */
static void tapir_overhead_weigh(void)
{
	u64 now = ktime_get_mono_fast_ns(), passed = max_t(u64, now - tapir_overhead.since, 1);
	u32 worst = tapir_overhead_sum();
	int cpu = tapir_overhead_busiest();
	u64 share = div64_u64(tapir_overhead.cost[cpu] * TAPIR_SHARE_ALL, passed);

	tapir_overhead.since = now;
	tapir_overhead_judge(cpu, min_t(u64, share, TAPIR_SHARE_ALL), tapir_module.probes[worst].point);
	/* The next slice comes at some other phase of what goes on in the machine. */
	tapir_overhead.next += (u32)now % (TAPIR_OVERHEAD_INTERVAL / 8);
	now = ktime_get_mono_fast_ns() - now;
	tapir_overhead.next += div64_u64(now * TAPIR_OVERHEAD_REST, TICK_NSEC);
}

void tapir_overhead_tend(void)
{
	if (tapir_overhead_next())
		return;
	if (!tapir_overhead.slice) {
		tapir_overhead_measure(true);
		tapir_overhead.next = jiffies + TAPIR_OVERHEAD_SLICE;
		return;
	}
	tapir_overhead_measure(false);
	tapir_overhead.next = jiffies + TAPIR_OVERHEAD_INTERVAL;
	if (tapir_overhead.begun)
		tapir_overhead_weigh();
	tapir_overhead.begun = true;
}
