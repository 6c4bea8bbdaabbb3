// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Elements that leave an array because they were not written for its age. An age has TAPIR_AGE_TICKS ticks. A writer notes the tick
 * in which it wrote. The session thread begins ticks, and takes out what was written more than an age ago: so an element leaves
 * after the age, and at most one tick later. Handlers look at no clock, and at no element but their own.
 *
 * The session thread goes through the buckets, some at a time. It alone gives arrays larger tables, so that none moves meanwhile.
 */
#include <tapir/tapir.h>
#include "map_internal.h"
#include "map_shape.h"

#define TAPIR_AGE_TICKS 8u
/* Buckets that are looked at, and words of elements that are cleared, while others wait. */
#define AGED_BUCKETS 128u
#define AGED_WORDS   4096u

/* A pass through an array. */
struct pass {
	struct tapir_map *m;
	u64 oldest; /* tick; elements that were written before it leave */
	u32 bucket, left;
	u32 used[TAPIR_POOLS];
	bool alone; /* the locks of all CPUs are taken */
};

static u64 tick_ns(const struct tapir_map *m)
{
	return (m->desc->age + TAPIR_AGE_TICKS - 1) / TAPIR_AGE_TICKS;
}

static bool is_old(const struct pass *pass, const struct tapir_node *node)
{
	return __atomic_load_n((u64 *)tapir_node_at(node, pass->m->stamp_at), __ATOMIC_RELAXED) < pass->oldest;
}

/* Adders of statistics hold the lock of their CPU only. */
static void be_alone(struct pass *pass)
{
	u32 cpu;

	if (pass->alone || !pass->m->cpu_locks)
		return;
	for (cpu = 0; cpu < pass->m->ncpus; cpu++)
		tapir_port_lock(&pass->m->cpu_locks[cpu]);
	pass->alone = true;
}

static void let_others(struct pass *pass)
{
	u32 cpu;

	for (cpu = pass->alone ? pass->m->ncpus : 0; cpu-- > 0;)
		tapir_port_unlock(&pass->m->cpu_locks[cpu]);
	pass->alone = false;
}

/* Returns false when elements of this bucket are left for another time. */
static bool go_through(struct pass *pass, struct tapir_node *node, u32 *words)
{
	struct tapir_node *next;

	for (; node; node = next) {
		next = node->chain;
		if (!is_old(pass, node))
			continue;
		be_alone(pass);
		if (!is_old(pass, node))
			continue;
		tapir_map_remove(pass->m, node);
		pass->left++;
		*words += 8 + pass->m->slot_words * pass->m->ncpus;
		if (*words > AGED_WORDS)
			return false;
	}
	return true;
}

static void some_buckets(struct pass *pass)
{
	struct tapir_table *table = pass->m->table;
	u32 last = tapir_table_size(table), words = 0;

	if (last - pass->bucket > AGED_BUCKETS)
		last = pass->bucket + AGED_BUCKETS;
	while (pass->bucket < last && go_through(pass, table->buckets[pass->bucket], &words))
		pass->bucket++;
}

/* Nothing is left: as after a delete of the whole array. */
static void reset(struct pass *pass)
{
	struct tapir_map *m = pass->m;
	u32 i;

	for (i = 0; !m->count && !m->lent && i < m->npools; i++)
		tapir_pool_reset(m, &m->pools[i], pass->used[i]);
}

static void look_through(struct tapir_map *m)
{
	struct pass pass = {.m = m, .oldest = m->ticks - TAPIR_AGE_TICKS};
	u32 size = tapir_table_size(m->table), i;

	for (i = 0; i < m->npools; i++)
		pass.used[i] = __atomic_load_n(&m->pools[i].used, __ATOMIC_RELAXED);
	while (pass.bucket < size) {
		u64 state = tapir_map_exclude(m);

		some_buckets(&pass);
		if (pass.bucket == size && pass.left)
			reset(&pass);
		let_others(&pass);
		tapir_map_include(m, state);
	}
}

/* Returns when the next tick of the array begins. */
static u64 tick(struct tapir_map *m, u64 now)
{
	if (m->next_at > now)
		return m->next_at;
	if (m->next_at) {
		__atomic_store_n(&m->ticks, m->ticks + 1, __ATOMIC_RELAXED);
		if (m->ticks > TAPIR_AGE_TICKS && __atomic_load_n(&m->count, __ATOMIC_RELAXED))
			look_through(m);
	}
	/* Never sooner than a tick after the last one: a late one must not make elements older than they are. */
	m->next_at = now + tick_ns(m);
	return m->next_at;
}

u64 tapir_globals_age(u64 now)
{
	u64 next = 0;
	u32 i;

	for (i = 0; i < tapir_module.nglobals; i++) {
		const struct tapir_global *g = &tapir_module.globals[i];
		struct tapir_map *m;
		u64 at;

		if (g->kind != TAPIR_GLOBAL_MAP || !g->map->age)
			continue;
		m = *(struct tapir_map **)g->storage;
		if (!m)
			continue; /* not created yet */
		at = tick(m, now);
		if (!next || at < next)
			next = at;
	}
	return next;
}
