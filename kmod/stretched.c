// SPDX-License-Identifier: GPL-2.0-or-later
/* Periods of performance events under a budget: see stretched.h. */
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <runtime/stretch.h>
#include "governed.h"
#include "kind.h"
#include "state.h"
#include "stretched.h"

/* A processor: what tapir_governed_ways() said at the last look. */
struct tapir_stretched {
	struct tapir_stretch stretch;
	u64 ways[2];
};
static DEFINE_PER_CPU(struct tapir_stretched, tapir_stretched);

static const struct tapir_kind_ops *tapir_stretch_kind; /* NULL: there is nothing to do */
static unsigned long tapir_stretch_due;			/* jiffies */
static u64 tapir_stretch_looked;			/* CLOCK_MONOTONIC in ns */

void tapir_stretch_begin(void)
{
	u32 i;

	for (i = 0; tapir_session.governed && i < tapir_module.nprobes; i++)
		if (tapir_module.probes[i].kind->stretch)
			tapir_stretch_kind = tapir_module.probes[i].kind;
	tapir_stretch_looked = ktime_get_mono_fast_ns();
	tapir_stretch_due = jiffies + TAPIR_GOVERNED_TICKS;
}

long tapir_stretch_next(void)
{
	if (!tapir_stretch_kind)
		return MAX_SCHEDULE_TIMEOUT;
	return max((long)(tapir_stretch_due - jiffies), 0L);
}

static void tapir_stretch_cpu(int cpu, u64 ns)
{
	struct tapir_stretched *here = per_cpu_ptr(&tapir_stretched, cpu);
	u64 ways[2], took[2], allowed = tapir_governed_ways(cpu, ways);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ways); i++)
		took[i] = div64_u64((ways[i] - here->ways[i]) * TAPIR_GOVERNED_TICKS * TICK_NSEC / 1000, ns) * 1000;
	memcpy(here->ways, ways, sizeof(ways));
	if (tapir_stretch_look(&here->stretch, allowed, took))
		tapir_stretch_kind->stretch(cpu, here->stretch.doublings);
}

void tapir_stretch_tend(void)
{
	u64 now, ns;
	int cpu;

	if (tapir_stretch_next())
		return;
	now = ktime_get_mono_fast_ns();
	ns = max_t(u64, now - tapir_stretch_looked, 1);
	for_each_online_cpu(cpu) {
		tapir_stretch_cpu(cpu, ns);
		cond_resched();
	}
	tapir_stretch_looked = now;
	tapir_stretch_due = jiffies + TAPIR_GOVERNED_TICKS;
}
