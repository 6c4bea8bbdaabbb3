// SPDX-License-Identifier: GPL-2.0-or-later
/* Filters of ftrace_ops: see function_filter.h. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include "function_filter.h"
#include "report.h"
#include "state.h"

bool tapir_filter_coarse;

int tapir_filter_change(struct ftrace_ops *ops, struct tapir_site_entry **entries, unsigned long *ips, u32 count,
			enum tapir_ftrace_change change)
{
	int error;
	u32 i;

	if (!count)
		return 0;
	if (tapir_session_ending())
		return -EINTR;
	for (i = 0; i < count; i++)
		ips[i] = entries[i]->site;
	/* A coarse filter stays as it is. */
	error = tapir_filter_coarse ? 0 : tapir_ftrace_change_sites(ops, ips, count, change);
	/* The kernel copies the whole filter each time, also when it refuses. */
	cond_resched();
	if (!error)
		for (i = 0; i < count; i++)
			entries[i]->enabled = change != TAPIR_FTRACE_REMOVE;
	if (error != -EINVAL || count == 1)
		return error == -EINVAL ? 0 : error;
	error = tapir_filter_change(ops, entries, ips, count / 2, change);
	return error ? error : tapir_filter_change(ops, entries + count / 2, ips, count - count / 2, change);
}

/*
 * Sites per request to the kernel. A request ends at the first address that the kernel refuses, and its allocations until then are
 * wasted. A session that is ending waits for one request.
 */
#define TAPIR_SITES_ASKED 1024u

/* The filter of `ops`, which has none, gets those of entries[0..count) that ftrace takes, which are marked. */
static int tapir_filter_choose(struct ftrace_ops *ops, struct tapir_site_entry **entries, unsigned long *ips, u32 count)
{
	u32 at, i, taken = 0;

	/* One at a time, they add up. */
	if (!TAPIR_FTRACE_BATCHES)
		return tapir_filter_change(ops, entries, ips, count, TAPIR_FTRACE_ADD);
	/* Requests that begin with an empty filter do not copy what earlier ones were granted. */
	for (at = 0; at < count; at += TAPIR_SITES_ASKED) {
		int error = tapir_filter_change(ops, entries + at, ips, min(count - at, TAPIR_SITES_ASKED), TAPIR_FTRACE_REPLACE);

		if (error)
			return error;
	}
	for (i = 0; i < count; i++)
		if (entries[i]->enabled)
			ips[taken++] = entries[i]->site;
	if (!taken || (taken == count && count <= TAPIR_SITES_ASKED))
		return 0;
	return tapir_session_ending() ? -EINTR : tapir_ftrace_change_sites(ops, ips, taken, TAPIR_FTRACE_REPLACE);
}

/* Like tapir_filter_choose(), for a coarse filter: `ops` gets its first step. */
static int tapir_filter_ask(struct ftrace_ops *ops, struct tapir_site_entry **entries, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++) {
		if (tapir_session_ending())
			return -EINTR;
		entries[i]->enabled = !tapir_ftrace_change_sites(ops, &entries[i]->site, 1, TAPIR_FTRACE_REPLACE);
		cond_resched();
	}
	tapir_ftrace_free_sites(ops);
	return tapir_ftrace_change_step(ops, 0, true);
}

int tapir_filter_fill(struct ftrace_ops *ops, u32 probe, u32 first, u32 end, bool *filled)
{
	u32 i, count = 0;
	int error;

	/* Every site once. */
	for (i = first; i < end; i++)
		if ((probe == ~0u || tapir_sites[i].probe == probe) && !tapir_sites[i].no_ftrace &&
		    !(count && tapir_chosen[count - 1]->site == tapir_sites[i].site))
			tapir_chosen[count++] = &tapir_sites[i];
	if (tapir_filter_coarse)
		error = tapir_filter_ask(ops, tapir_chosen, count);
	else
		error = tapir_filter_choose(ops, tapir_chosen, tapir_chosen_ips, count);
	if (error) {
		tapir_ftrace_free_sites(ops);
		if (error != -EINTR)
			tapir_session_fail(TAPIR_TEXT(FtraceFilter), ERR_PTR(error));
		return error;
	}
	*filled = false;
	for (i = 0; i < count; i++) {
		tapir_chosen[i]->ftrace = tapir_chosen[i]->enabled;
		*filled |= tapir_chosen[i]->enabled;
	}
	for (i = first + 1; i < end; i++)
		if (tapir_sites[i].site == tapir_sites[i - 1].site)
			tapir_sites[i].ftrace = tapir_sites[i - 1].ftrace;
	return 0;
}

/* Sites that are switched at once: the kernel does not let other tasks run on the processor meanwhile. */
#define TAPIR_SITES_AT_ONCE 8192u

/* Puts the sites in the filter of a probe, or of all if ~0u, into tapir_chosen_ips. How many can only be switched gradually, or 0.
 */
static u32 tapir_filter_gradual(u32 probe)
{
	u32 i, count = 0;

	for (i = 0; i < tapir_nsites; i++) {
		const struct tapir_site_entry *e = &tapir_sites[i];

		if ((probe == ~0u || e->probe == probe) && e->ftrace && e->enabled &&
		    !(count && tapir_chosen_ips[count - 1] == e->site))
			tapir_chosen_ips[count++] = e->site;
	}
	return TAPIR_FTRACE_BATCHES && count > TAPIR_SITES_AT_ONCE ? count : 0;
}

/* Adds or removes every step of a coarse filter except the first. */
static int tapir_filter_switch_coarse(struct ftrace_ops *ops, bool add)
{
	u32 step;

	for (step = 1; step < TAPIR_FTRACE_STEPS; step++) {
		int error = add && tapir_session_ending() ? -EINTR : tapir_ftrace_change_step(ops, step, add);

		if (error)
			return error;
		cond_resched();
	}
	return 0;
}

/* Adds or removes all but the first of `count` sites in tapir_chosen_ips, so that the filter is never empty. */
static int tapir_filter_switch(struct ftrace_ops *ops, u32 count, bool add)
{
	u32 at;

	if (tapir_filter_coarse)
		return tapir_filter_switch_coarse(ops, add);
	for (at = TAPIR_SITES_AT_ONCE; at < count; at += TAPIR_SITES_AT_ONCE) {
		int error = add && tapir_session_ending()
				? -EINTR
				: tapir_ftrace_change_sites(ops, tapir_chosen_ips + at, min(count - at, TAPIR_SITES_AT_ONCE),
							    add ? TAPIR_FTRACE_ADD : TAPIR_FTRACE_REMOVE);

		if (error)
			return error;
		cond_resched();
	}
	return 0;
}

int tapir_ops_register(struct ftrace_ops *ops, u32 probe, bool *registered)
{
	u32 gradual = tapir_filter_gradual(probe);
	int error = gradual ? tapir_ftrace_change_sites(ops, tapir_chosen_ips, TAPIR_SITES_AT_ONCE, TAPIR_FTRACE_REPLACE) : 0;

	if (!error)
		error = register_ftrace_function(ops);
	*registered = !error;
	if (!error)
		error = tapir_filter_switch(ops, gradual, true);
	if (error == -EBUSY)
		tapir_session_fail(TAPIR_TEXT(FtraceOff));
	else if (error && error != -EINTR)
		tapir_session_fail(TAPIR_TEXT(FtraceRefused), ERR_PTR(error));
	return error;
}

/* Releases the ops. Returns how many sites it had that could only be switched gradually, or 0: they are no longer in its filter. */
static u32 tapir_ops_release(struct ftrace_ops *ops, u32 probe, bool *registered)
{
	u32 gradual;

	if (!*registered)
		return 0;
	gradual = tapir_filter_gradual(probe);
	tapir_filter_switch(ops, gradual, false);
	unregister_ftrace_function(ops);
	*registered = false;
	return gradual;
}

int tapir_ops_unregister(struct ftrace_ops *ops, u32 probe, bool *registered)
{
	u32 gradual = tapir_ops_release(ops, probe, registered);
	int error = gradual ? tapir_ftrace_change_sites(ops, tapir_chosen_ips, gradual, TAPIR_FTRACE_REPLACE) : 0;

	if (error)
		tapir_session_fail(TAPIR_TEXT(ProbesNotRearmed), ERR_PTR(error));
	return error;
}

void tapir_ops_finish(struct ftrace_ops *ops, u32 probe, bool *filled, bool *registered)
{
	tapir_ops_release(ops, probe, registered);
	if (*filled)
		tapir_ftrace_free_sites(ops);
	*filled = false;
}
