// SPDX-License-Identifier: GPL-2.0-or-later
/* Sessions with a budget: see governed.h. */
#include <linux/math64.h>
#include <linux/random.h>
#include "governed.h"
#include "state.h"

/* A hit that asks the governor costs so much more on its way. */
#define TAPIR_GOVERNED_WAY_NS 60u
/* A window is a tenth of a second, by the kernel's ticks: to read them costs one instruction. */
#define TAPIR_GOVERNED_TICKS max(HZ / 10, 1)

static DEFINE_PER_CPU(struct tapir_governor, tapir_governors);

void tapir_governed_begin(void)
{
	u64 window = (u64)TAPIR_GOVERNED_TICKS * TICK_NSEC;
	u64 allowed = div_u64(window * tapir_session.limits[TAPIR_LIMIT_BUDGET], TAPIR_SHARE_ALL);
	u32 seed;
	int cpu;

	tapir_session.more_way_ns = tapir_session.governed ? TAPIR_GOVERNED_WAY_NS : 0;
	get_random_bytes(&seed, sizeof(seed));
	for_each_possible_cpu(cpu)
		tapir_governor_init(per_cpu_ptr(&tapir_governors, cpu), allowed, seed + cpu);
}

enum tapir_verdict tapir_governed_hit(const struct tapir_hook *hook, bool returns)
{
	struct tapir_governor *governor = this_cpu_ptr(&tapir_governors);
	struct tapir_governed *governed = &this_cpu_ptr(hook->cell)->governed;
	u32 window = (u32)(READ_ONCE(jiffies) / TAPIR_GOVERNED_TICKS),
	    way = tapir_probe_way(hook->probe) + tapir_session.more_way_ns;

	return returns ? tapir_governor_return(governor, governed, window, way)
		       : tapir_governor_hit(governor, governed, window, way);
}

void tapir_governed_measured(const struct tapir_hook *hook, u64 ns)
{
	tapir_governor_measured(this_cpu_ptr(&tapir_governors), &this_cpu_ptr(hook->cell)->governed, ns);
}
