// SPDX-License-Identifier: GPL-2.0-or-later
/* Locks inside an array: for changes of the set of elements, and for adders on a CPU. map_layout.h says which code takes which. */
#include "map_internal.h"

u64 tapir_map_freeze(const struct tapir_ctx *c, struct tapir_map *m, bool unlinking)
{
	u64 flags;
	u32 cpu;

	if (m->desc->value_type != TAPIR_STAT)
		return 0; /* the global's lock does it */
	if (c->level == TAPIR_LEVEL_SESSION)
		return 0;
	flags = tapir_port_irq_save();
	tapir_port_lock(&m->insertion);
	if (unlinking && m->cpu_locks) {
		for (cpu = 0; cpu < m->ncpus; cpu++)
			tapir_port_lock(&m->cpu_locks[cpu]);
	}
	return flags;
}

void tapir_map_thaw(const struct tapir_ctx *c, struct tapir_map *m, bool unlinking, u64 flags)
{
	u32 cpu;

	if (m->desc->value_type != TAPIR_STAT || c->level == TAPIR_LEVEL_SESSION)
		return;
	if (unlinking && m->cpu_locks) {
		for (cpu = m->ncpus; cpu-- > 0;)
			tapir_port_unlock(&m->cpu_locks[cpu]);
	}
	tapir_port_unlock(&m->insertion);
	tapir_port_irq_restore(flags);
}

u64 tapir_map_exclude(struct tapir_map *m)
{
	u64 state = tapir_port_tending_begin();

	tapir_port_lock(m->global->lock);
	tapir_port_lock(&m->insertion);
	return state;
}

void tapir_map_include(struct tapir_map *m, u64 state)
{
	tapir_port_unlock(&m->insertion);
	tapir_port_unlock(m->global->lock);
	tapir_port_tending_end(state);
}

bool tapir_map_lock_free(struct tapir_lock *lock)
{
	if (!tapir_port_trylock(lock))
		return false;
	tapir_port_unlock(lock);
	return true;
}

bool tapir_map_locks_free(struct tapir_map *m, u32 cpu)
{
	if (m->desc->value_type != TAPIR_STAT)
		return true;
	return tapir_map_lock_free(&m->insertion) && (!m->cpu_locks || tapir_map_lock_free(&m->cpu_locks[cpu]));
}
