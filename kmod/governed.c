// SPDX-License-Identifier: GPL-2.0-or-later
/* Sessions with a budget: see governed.h. */
#include <linux/math64.h>
#include <linux/random.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <runtime/thread_marks.h>
#include "budget_pages.h"
#include "governed.h"
#include "report.h"
#include "state.h"

/* A hit that asks the governor costs so much more on its way. */
#define TAPIR_GOVERNED_WAY_NS 60u

static DEFINE_PER_CPU(struct tapir_governor, tapir_governors);
static u64 *tapir_governed_marks; /* NULL: no probes hand elements to each other */

bool tapir_governed_create(void)
{
	bool pairs = false;
	u32 i;

	for (i = 0; i < tapir_module.nprobes; i++)
		pairs |= tapir_module.probes[i].pair > 0;
	if (!tapir_session.governed || !pairs)
		return true;
	tapir_governed_marks = kvzalloc(TAPIR_MARK_BYTES, GFP_KERNEL);
	if (tapir_governed_marks)
		return true;
	tapir_session_fail(TAPIR_TEXT(NoMemoryBudget));
	return false;
}

void tapir_governed_destroy(void)
{
	kvfree(tapir_governed_marks);
	tapir_governed_marks = NULL;
}

/* Hits of these probes have a period. */
static void tapir_governed_tell_periodic(void)
{
	u32 i;
	int cpu;

	for (i = 0; i < tapir_module.nprobes; i++) {
		struct tapir_hook hook;

		if (!tapir_module.probes[i].kind->stretch)
			continue;
		hook = tapir_hook_of(i);
		for_each_possible_cpu(cpu)
			per_cpu_ptr(hook.cell, cpu)->governed.periodic = 1;
	}
}

void tapir_governed_begin(void)
{
	u64 window = (u64)TAPIR_GOVERNED_TICKS * TICK_NSEC;
	u64 allowed = div_u64(window * tapir_session.limits[TAPIR_LIMIT_BUDGET], TAPIR_SHARE_ALL);
	u32 seed;
	int cpu;

	tapir_session.more_way_ns = tapir_session.governed ? TAPIR_GOVERNED_WAY_NS : 0;
	get_random_bytes(&seed, sizeof(seed));
	for_each_possible_cpu(cpu)
		tapir_governor_init(per_cpu_ptr(&tapir_governors, cpu), allowed, tapir_budget_row(cpu), seed + cpu);
	if (tapir_session.governed)
		tapir_governed_tell_periodic();
}

/* The governor of this processor, the probe's part of it, and now. */
struct tapir_governed_place {
	struct tapir_governor *governor;
	struct tapir_governed *governed;
	u32 window, way;
};

static struct tapir_governed_place tapir_governed_here(const struct tapir_hook *hook)
{
	return (struct tapir_governed_place){
	    .governor = this_cpu_ptr(&tapir_governors),
	    .governed = &this_cpu_ptr(hook->cell)->governed,
	    .window = (u32)(READ_ONCE(jiffies) / TAPIR_GOVERNED_TICKS),
	    .way = tapir_probe_way(hook->probe) + tapir_session.more_way_ns,
	};
}

/* A hit that finds what an earlier one of the thread left. */
static enum tapir_verdict tapir_governed_follow(const struct tapir_probe *probe, const struct tapir_governed_place *here,
						u32 *left_out)
{
	u32 weight = tapir_marked(tapir_governed_marks, current->pid, probe->pair);

	if (!weight) {
		tapir_governor_pass(here->governor, here->governed, here->window, here->way);
		return TAPIR_VERDICT_SKIP;
	}
	*left_out = weight - 1;
	return tapir_governor_follow(here->governor, here->governed, here->window, here->way);
}

enum tapir_verdict tapir_governed_hit(const struct tapir_hook *hook, u32 *left_out)
{
	const struct tapir_probe *probe = hook->probe;
	struct tapir_governed_place here = tapir_governed_here(hook);
	enum tapir_verdict verdict;
	u32 weight;

	if (probe->follows)
		return tapir_governed_follow(probe, &here, left_out);
	verdict = tapir_governor_hit(here.governor, here.governed, here.window, here.way, left_out);
	if (probe->pair) {
		weight = verdict == TAPIR_VERDICT_SKIP ? 0 : min(*left_out, ~0u - 1) + 1;
		tapir_mark(tapir_governed_marks, current->pid, probe->pair, weight);
	}
	return verdict;
}

/* The weight is at the end of what is saved of a call, behind texts of any length: it may be unaligned. */
static char *tapir_governed_saved(const struct tapir_probe *probe, char *saved)
{
	return saved + probe->saved_bytes - sizeof(u64);
}

enum tapir_verdict tapir_governed_entry(const struct tapir_hook *hook, char *saved, u32 *left_out)
{
	enum tapir_verdict verdict = tapir_governed_hit(hook, left_out);
	u64 weight = *left_out;

	if (tapir_module.weighted && verdict != TAPIR_VERDICT_SKIP)
		memcpy(tapir_governed_saved(hook->probe, saved), &weight, sizeof(weight));
	return verdict;
}

enum tapir_verdict tapir_governed_return(const struct tapir_hook *hook, char *saved, u32 *left_out)
{
	struct tapir_governed_place here = tapir_governed_here(hook);
	u64 weight = 0;

	if (tapir_module.weighted)
		memcpy(&weight, tapir_governed_saved(hook->probe, saved), sizeof(weight));
	*left_out = (u32)weight;
	return tapir_governor_return(here.governor, here.governed, here.window, here.way);
}

u64 tapir_governed_ways(int cpu, u64 *ways)
{
	const struct tapir_governor *governor = per_cpu_ptr(&tapir_governors, cpu);

	ways[0] = READ_ONCE(governor->ways[0]);
	ways[1] = READ_ONCE(governor->ways[1]);
	return READ_ONCE(governor->allowed);
}

void tapir_governed_stretch(const struct tapir_hook *hook, int cpu, u32 times)
{
	WRITE_ONCE(per_cpu_ptr(hook->cell, cpu)->governed.times, times);
}

void tapir_governed_measured(const struct tapir_hook *hook, u64 ns)
{
	tapir_governor_measured(this_cpu_ptr(&tapir_governors), &this_cpu_ptr(hook->cell)->governed, ns);
}
