// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ordered locks of globals, held with interrupts off for the length of a handler.
 *
 * A handler that came as an NMI over another handler of its CPU must not spin on that one's locks: it tries for a bounded time and
 * is skipped otherwise. It also makes sure that the inner locks of the globals it took (a map's insertion lock and this CPU's
 * statistics lock) are not held below it. Operations on these globals may then spin on them, since no code below can take them
 * until this handler ends. All other handlers wait: with interrupts off under every lock they cannot have interrupted a holder.
 * They give up after a second, which is longer than any running holder needs.
 *
 * A lock keeps the time of the last record that was made under it, so that the next one is later. Clocks of CPUs may differ by a
 * little, and two readings may be the same.
 */
#include <tapir/tapir.h>
#include "handler.h"

/* A report can be probed anywhere. While it holds locks, probes must find its CPU's context busy, as in other handlers. */
static u64 shut_out(const struct tapir_ctx *c)
{
	return TAPIR_UNLIKELY(c->level == TAPIR_LEVEL_REPORT) ? tapir_port_tending_begin() : tapir_port_irq_save();
}

static void let_in(const struct tapir_ctx *c, u64 state)
{
	if (TAPIR_UNLIKELY(c->level == TAPIR_LEVEL_REPORT))
		tapir_port_tending_end(state);
	else
		tapir_port_irq_restore(state);
}

static bool inner_locks_free(const struct tapir_global *g, u32 cpu)
{
	struct tapir_lock *lock = NULL;

	if (g->kind == TAPIR_GLOBAL_MAP)
		return tapir_map_locks_free(*(struct tapir_map **)g->storage, cpu);
	if (g->kind == TAPIR_GLOBAL_STAT)
		lock = tapir_stat_lock(*(struct tapir_stat_slot **)g->storage, g->stat, cpu);
	if (!lock)
		return true;
	if (!tapir_port_trylock(lock))
		return false;
	tapir_port_unlock(lock);
	return true;
}

static void drop(const struct tapir_lockset *set, u32 count)
{
	while (count-- > 0)
		tapir_port_unlock(tapir_module.globals[set->globals[count]].lock);
}

static bool take_nested(struct tapir_ctx *c, const struct tapir_lockset *set)
{
	u32 i;

	for (i = 0; i < set->count; i++) {
		const struct tapir_global *g = &tapir_module.globals[set->globals[i]];

		if (!tapir_port_trylock(g->lock))
			break;
		if (!inner_locks_free(g, c->cpu)) {
			tapir_port_unlock(g->lock);
			break;
		}
	}
	if (i == set->count)
		return true;
	drop(set, i);
	return false;
}

static bool take(const struct tapir_lockset *set)
{
	u32 i;

	for (i = 0; i < set->count; i++)
		if (!tapir_port_lock_patiently(tapir_module.globals[set->globals[i]].lock))
			break;
	if (i == set->count)
		return true;
	drop(set, i);
	return false;
}

bool tapir_locks_take(struct tapir_ctx *c, const struct tapir_lockset *set)
{
	u64 flags;
	u32 i;

	if (c->level == TAPIR_LEVEL_SESSION)
		return true;
	flags = shut_out(c);
	if (!(TAPIR_UNLIKELY(tapir_must_not_wait(c)) ? take_nested(c, set) : take(set))) {
		let_in(c, flags);
		tapir_port_count_skip(c, TAPIR_SKIP_LOCK);
		c->failed = TAPIR_FAIL_SKIP;
		return false;
	}
	c->irqflags = flags;
	c->held = set;
	if (TAPIR_UNLIKELY(c->level == TAPIR_LEVEL_REPORT))
		tapir_report_holds(c);
	for (i = 0; i < set->count; i++) {
		u64 time = tapir_module.globals[set->globals[i]].lock->time;

		if (time > c->time)
			c->time = time;
	}
	return true;
}

void tapir_locks_drop(struct tapir_ctx *c, const struct tapir_lockset *set)
{
	u32 i;

	if (c->level == TAPIR_LEVEL_SESSION)
		return;
	c->held = NULL;
	for (i = 0; i < set->count; i++)
		tapir_module.globals[set->globals[i]].lock->time = c->time;
	drop(set, set->count);
	let_in(c, c->irqflags);
}
