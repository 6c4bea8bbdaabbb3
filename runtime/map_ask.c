// SPDX-License-Identifier: GPL-2.0-or-later
/* Handlers' part in the memory of arrays: they ask for more, report a shortage, and give back. map_grow.c does the rest. */
#include <tapir/tapir.h>
#include "map_internal.h"
#include "map_shape.h"

/* ---- asking ---- */

void tapir_pool_ask(struct tapir_pool *pool)
{
	if (!__atomic_exchange_n(&pool->asked, 1, __ATOMIC_RELAXED))
		tapir_port_grow();
}

static bool has_unused(const struct tapir_pool *pool)
{
	return pool->free || pool->fresh < pool->current->count || pool->current->next ||
	       __atomic_load_n(&pool->incoming, __ATOMIC_RELAXED);
}

void tapir_map_starved(struct tapir_ctx *c, struct tapir_map *m, const struct tapir_site *site)
{
	u32 i, why = TAPIR_STOP_NONE;

	for (i = 0; i < m->npools; i++) {
		struct tapir_pool *pool = &m->pools[i];
		u32 stopped = __atomic_load_n(&pool->stopped, __ATOMIC_RELAXED);

		if (has_unused(pool))
			continue;
		why = stopped ? stopped : why;
		/* Others may have given memory back. */
		tapir_pool_ask(pool);
	}
	if (why == TAPIR_STOP_NONE) {
		tapir_errorf(c, site, "Array overflow, no element of '%s' is free yet", m->global->name);
		tapir_error_limit(c, TAPIR_EXCEEDED_GROWTH, m->count);
		return;
	}
	tapir_errorf(c, site, "Array overflow, no memory for more than %u elements of '%s'", m->count, m->global->name);
	tapir_error_limit(c, why == TAPIR_STOP_SHARE ? TAPIR_EXCEEDED_SHARE : TAPIR_EXCEEDED_MEMORY,
			  __atomic_load_n(&tapir_arrays.bytes, __ATOMIC_RELAXED) >> 20);
}

/* ---- shrinking ---- */

void tapir_pool_reset(struct tapir_map *m, struct tapir_pool *pool, u32 used)
{
	struct tapir_batch *kept = pool->first, *going, *last;
	u32 reserve = __atomic_load_n(&pool->reserve, __ATOMIC_RELAXED), capacity;
	u64 count = kept->count, less;

	pool->free = NULL;
	pool->current = pool->first;
	pool->fresh = 0;
	if (pool->dirty < pool->handed)
		pool->dirty = pool->handed;
	pool->handed = 0;
	for (; kept->next && count < (u64)used + reserve; count += kept->count)
		kept = kept->next;
	going = kept->next;
	if (!going)
		return;
	kept->next = NULL;
	for (last = going, less = last->count; last->next; less += last->count)
		last = last->next;
	capacity = __atomic_sub_fetch(&pool->capacity, (u32)less, __ATOMIC_RELAXED);
	__atomic_store_n(&pool->low, tapir_pool_low(m, reserve, capacity), __ATOMIC_RELAXED);
	__atomic_store_n(&pool->stopped, TAPIR_STOP_NONE, __ATOMIC_RELAXED);
	last->next = __atomic_load_n(&m->outgoing, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&m->outgoing, &last->next, going, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	__atomic_store_n(&m->shrunk, 1, __ATOMIC_RELAXED);
	tapir_arrays_changed();
	tapir_port_tend();
	tapir_port_grow();
}

static void clear_table(struct tapir_table *table)
{
	if (table)
		__builtin_memset(table->buckets, 0, (u64)tapir_table_size(table) * sizeof(table->buckets[0]));
}

void tapir_map_empty(struct tapir_map *m)
{
	clear_table(m->table);
	clear_table(m->older);
	m->head = m->tail = NULL;
	m->count = 0;
}

/* ---- session level ---- */

void tapir_map_provide_now(struct tapir_map *m, u32 string_bytes)
{
	struct tapir_pool *pool = tapir_map_pool(m, string_bytes);

	if (m->count < m->max_entries && !has_unused(pool)) {
		__atomic_store_n(&pool->asked, 1, __ATOMIC_RELAXED);
		tapir_port_grow_now();
	}
	if (m->count >= tapir_table_size(m->table))
		tapir_map_grow_table(m);
}
