// SPDX-License-Identifier: GPL-2.0-or-later
/* Memory of associative arrays: its layout, its first part, and its end. map_grow.c adds to it. */
#include <tapir/demand.h>
#include "map_internal.h"
#include "map_shape.h"
#include "sketch.h"

/* An array that takes no more than this in all has all of it from the start. */
#define AT_ONCE_BYTES (4ull << 20)
/*
 * Nodes of a growing array at the start, of the smallest size: FIRST_BYTES of them, at least FIRST_LEAST and at most FIRST_MOST;
 * AT_ONCE_BYTES for an array that gives its own size. For each larger size: LARGER_BYTES. A handler executes 10,000 statements and
 * so creates no more elements. Where many CPUs have large histograms, FIRST_LEAST_BYTES take the place of FIRST_LEAST.
 */
#define FIRST_BYTES	  (1ull << 20)
#define FIRST_MOST	  10240u
#define FIRST_LEAST	  2048u
#define FIRST_LEAST_BYTES (16ull << 20)
#define LARGER_BYTES	  (256ull << 10)
#define LARGER_LEAST	  64u
/* Slots of elements that are together on a CPU: a page of them, but not fewer than this. */
#define PIECE_LEAST 16u
#define PIECE_BYTES 4096u

static u64 up_to_line(u64 bytes)
{
	return (bytes + TAPIR_STAT_LINE - 1) & ~(u64)(TAPIR_STAT_LINE - 1);
}

/* ---- layout ---- */

static void lay_out_node(struct tapir_map *m, u32 string_cap)
{
	const struct tapir_map_desc *desc = m->desc;
	u32 at = 8, strings = 0, i;

	for (i = 0; i < m->nkeys; i++)
		strings += desc->key_types[i] == TAPIR_STRING;
	m->packed = strings && desc->value_type != TAPIR_STRING;
	for (i = 0; i < m->nkeys; i++) {
		m->key_at[i] = at;
		if (desc->key_types[i] != TAPIR_STRING)
			at += 8;
		else if (!m->packed)
			at += string_cap;
	}
	m->value_at = 0;
	m->strings_at = 0;
	m->stamp_at = 0;
	if (desc->age) {
		m->stamp_at = at;
		at += 8;
	}
	if (desc->value_type == TAPIR_STRING) {
		m->value_at = at;
		at += string_cap;
	}
	if (m->packed) {
		m->strings_at = at;
		at += strings * string_cap;
	}
	m->node_bytes = ((u32)sizeof(struct tapir_node) - 8 + at + 63) & ~63u;
	m->shape = TAPIR_SHAPE_ANY;
	/* A string is looked for where it stands if no stamp is before it. */
	if (m->nkeys == 1 && !(m->packed && m->stamp_at))
		m->shape = desc->key_types[0] == TAPIR_STRING ? TAPIR_SHAPE_STRING : TAPIR_SHAPE_LONG;
}

static void lay_out_slots(struct tapir_map *m)
{
	m->slot_words = 0;
	m->slot_bytes = 0;
	m->piece = PIECE_LEAST;
	m->cpu_stride = 0;
	if (m->desc->value_type != TAPIR_STAT)
		return;
	m->slot_words = tapir_slot_words(m->stat);
	m->slot_bytes = (m->slot_words + (m->stat->sketch ? 2 : 0)) * 8;
	while (m->piece < m->max_entries && m->piece * (u64)m->slot_bytes < PIECE_BYTES)
		m->piece *= 2;
	m->cpu_stride = up_to_line((u64)m->piece * m->slot_bytes);
	m->guarded = !m->desc->stable || tapir_stat_guarded(m->stat);
	m->plain = !m->guarded && !m->stat->min_max && !m->stat->nhists;
}

/* Returns the bytes of one element with all that belongs to it, except counters of percentiles. */
static u64 element_bytes(const struct tapir_map *m, u32 node_bytes)
{
	u64 bytes = node_bytes + (u64)m->slot_bytes * m->ncpus;

	if (tapir_map_lends(m))
		bytes *= 2;
	if (m->desc->reported & TAPIR_REPORTED_COPIES)
		bytes += tapir_copy_bytes(m, node_bytes) + m->pick_bytes;
	return bytes + 2 * sizeof(void *);
}

/* Recycling has to leave the last so many elements, and counters of percentiles are shared by the elements of one batch. */
static bool is_whole(const struct tapir_map *m)
{
	if (m->desc->wrap || (m->stat && m->stat->sketch && m->max_entries < TAPIR_DEFAULT_MAXMAPENTRIES))
		return true;
	return tapir_demand_times(element_bytes(m, m->node_bytes), m->max_entries) <= AT_ONCE_BYTES;
}

static u32 clamp_count(u64 count, u32 least, u32 most)
{
	return count < least ? least : count > most ? most : (u32)count;
}

static u32 reserve_of(const struct tapir_map *m, u32 node_bytes, bool first)
{
	u64 bytes = element_bytes(m, node_bytes);
	u32 count;

	if (m->stat && m->stat->sketch)
		count = TAPIR_SKETCH_TOGETHER;
	else if (first && m->desc->max_entries)
		count = clamp_count(AT_ONCE_BYTES / bytes, FIRST_LEAST, m->max_entries);
	else if (first)
		count = clamp_count(FIRST_BYTES / bytes, clamp_count(FIRST_LEAST_BYTES / bytes, 4 * LARGER_LEAST, FIRST_LEAST),
				    FIRST_MOST);
	else
		count = clamp_count(LARGER_BYTES / bytes, LARGER_LEAST, FIRST_MOST);
	return count < m->max_entries ? count : m->max_entries;
}

static void lay_out_pools(struct tapir_map *m)
{
	u32 bytes = 64, i;
	bool whole = is_whole(m);

	m->npools = 0;
	if (m->packed && !whole && !(m->stat && m->stat->sketch)) {
		while (bytes < (u32)sizeof(struct tapir_node) + m->strings_at)
			bytes *= 2;
		for (; bytes < m->node_bytes && m->npools < TAPIR_POOLS - 1; bytes *= 2)
			m->pools[m->npools++].node_bytes = bytes;
	}
	m->pools[m->npools++].node_bytes = m->node_bytes;
	for (i = 0; i < m->npools; i++) {
		struct tapir_pool *pool = &m->pools[i];

		pool->reserve = whole ? m->max_nodes : reserve_of(m, pool->node_bytes, i == 0);
		pool->low = pool->reserve == m->max_nodes ? 0 : pool->reserve - pool->reserve / 4;
	}
}

/* Bytes that a report takes to note an element; 0: it copies elements at once. */
static u32 pick_bytes(const struct tapir_map *m)
{
	if (!(m->desc->reported & TAPIR_REPORTED_COPIES))
		return 0;
	if (m->stat)
		return __builtin_offsetof(struct tapir_pick, value);
	return m->packed && m->desc->stable && m->desc->value_type == TAPIR_LONG ? sizeof(struct tapir_pick) : 0;
}

static void describe(struct tapir_map *m, const struct tapir_global *g, u32 max_entries, u32 ncpus, u32 string_cap)
{
	m->desc = g->map;
	m->stat = g->map->value_type == TAPIR_STAT ? g->stat : NULL;
	m->global = g;
	m->nkeys = g->map->nkeys;
	m->max_entries = m->max_nodes = max_entries;
	if (tapir_map_lends(m) && max_entries <= ~0u / 2)
		m->max_nodes = 2 * max_entries;
	m->ncpus = ncpus;
	m->string_cap = string_cap;
	lay_out_node(m, string_cap);
	m->pick_bytes = pick_bytes(m);
	lay_out_slots(m);
	lay_out_pools(m);
}

/* ---- batches ---- */

static u64 batch_slots_bytes(const struct tapir_map *m, u32 count)
{
	u64 pieces = ((u64)count + m->piece - 1) / m->piece;

	return tapir_demand_times(tapir_demand_times(m->cpu_stride, m->ncpus), pieces);
}

u64 tapir_batch_bytes(const struct tapir_map *m, const struct tapir_pool *pool, u32 count)
{
	u64 bytes = tapir_demand_plus(TAPIR_BATCH_HEAD, tapir_demand_times(pool->node_bytes, count));

	bytes = tapir_demand_plus(bytes, batch_slots_bytes(m, count));
	return m->stat && m->stat->sketch ? tapir_demand_plus(bytes, tapir_sketch_bytes(count, m->ncpus)) : bytes;
}

static bool fits_address(u64 bytes)
{
	return bytes <= (u64)(size_t)-1 / 2;
}

struct tapir_batch *tapir_batch_create(const struct tapir_map *m, const struct tapir_pool *pool, u32 count)
{
	u64 bytes = tapir_batch_bytes(m, pool, count);
	struct tapir_batch *batch;

	if (!fits_address(bytes))
		return NULL;
	batch = tapir_port_alloc(TAPIR_BATCH_HEAD + (u64)pool->node_bytes * count);
	if (!batch)
		return NULL;
	batch->bytes = bytes;
	batch->node_bytes = (u64)pool->node_bytes * count;
	batch->count = count;
	if (m->stat)
		batch->slots = tapir_port_alloc(batch_slots_bytes(m, count));
	if (m->stat && m->stat->sketch)
		batch->sketch = tapir_sketch_create(count, m->ncpus);
	if (!m->stat || (batch->slots && (batch->sketch || !m->stat->sketch)))
		return batch;
	tapir_batches_destroy(batch);
	return NULL;
}

struct tapir_batch *tapir_copies_create(u64 bytes)
{
	struct tapir_batch *batch = fits_address(bytes) ? tapir_port_alloc(TAPIR_BATCH_HEAD + bytes) : NULL;

	if (batch) {
		batch->bytes = TAPIR_BATCH_HEAD + bytes;
		batch->node_bytes = bytes;
	}
	return batch;
}

void tapir_batches_destroy(struct tapir_batch *batch)
{
	while (batch) {
		struct tapir_batch *next = batch->next;

		tapir_sketch_destroy(batch->sketch);
		tapir_port_free(batch->slots);
		tapir_port_free(batch);
		batch = next;
	}
}

/* ---- buckets ---- */

static u32 shift_for(u64 buckets)
{
	u32 shift = 60;

	while (shift > 36 && 1ull << (64 - shift) < buckets)
		shift--;
	return shift;
}

u64 tapir_table_bytes(u64 buckets)
{
	return sizeof(struct tapir_table) + (sizeof(struct tapir_node *) << (64 - shift_for(buckets)));
}

struct tapir_table *tapir_table_create(u64 buckets)
{
	struct tapir_table *table = tapir_port_alloc(tapir_table_bytes(buckets));

	if (table)
		table->shift = shift_for(buckets);
	return table;
}

/* ---- the whole ---- */

/* How many nodes an array has at the start, in all of its pools, the bytes of their copies, and the bytes of their batches. */
static u64 first_nodes(const struct tapir_map *m, u64 *copy_bytes, u64 *bytes)
{
	u64 count = 0;
	u32 i;

	*copy_bytes = *bytes = 0;
	for (i = 0; i < m->npools; i++) {
		const struct tapir_pool *pool = &m->pools[i];

		count += pool->reserve;
		*copy_bytes =
		    tapir_demand_plus(*copy_bytes, tapir_demand_times(tapir_copy_bytes(m, pool->node_bytes), pool->reserve));
		*bytes = tapir_demand_plus(*bytes, tapir_batch_bytes(m, pool, pool->reserve));
	}
	return count < m->max_entries ? count : m->max_entries;
}

u64 tapir_map_bytes(const struct tapir_global *g, u32 max_entries, u32 ncpus, u32 string_cap)
{
	struct tapir_map m;
	u64 copies, bytes, count;

	describe(&m, g, max_entries, ncpus, string_cap);
	count = first_nodes(&m, &copies, &bytes);
	bytes = tapir_demand_plus(bytes, tapir_table_bytes(count));
	if (g->map->reported & TAPIR_REPORTED_COPIES)
		bytes = tapir_demand_plus(bytes, tapir_demand_plus(copies, tapir_demand_times(m.pick_bytes, count)));
	if (g->map->known)
		bytes = tapir_demand_plus(bytes, TAPIR_KNOWN_TEXTS * sizeof(m.known[0]));
	return bytes;
}

static bool allocate(struct tapir_map *m)
{
	u64 copies, bytes, count = first_nodes(m, &copies, &bytes);
	u32 i;

	m->table = tapir_table_create(count);
	if (!m->table)
		return false;
	for (i = 0; i < m->npools; i++) {
		struct tapir_pool *pool = &m->pools[i];

		pool->first = pool->current = tapir_batch_create(m, pool, pool->reserve);
		if (!pool->first)
			return false;
		pool->capacity = pool->reserve;
	}
	if (m->desc->reported & TAPIR_REPORTED_COPIES) {
		m->copies = tapir_copies_create(tapir_demand_plus(copies, tapir_copies_waste(m)));
		if (m->copies && m->pick_bytes)
			m->picks = tapir_copies_create(count * m->pick_bytes);
		if (!m->copies || (m->pick_bytes && !m->picks))
			return false;
	}
	if (m->desc->known) {
		m->known = tapir_port_alloc(TAPIR_KNOWN_TEXTS * sizeof(m->known[0]));
		if (!m->known)
			return false;
	}
	if (m->guarded)
		m->cpu_locks = tapir_port_alloc((u64)m->ncpus * sizeof(struct tapir_lock));
	return m->cpu_locks || !m->guarded;
}

struct tapir_map *tapir_map_create(const struct tapir_global *g, u32 max_entries, u32 ncpus, u32 string_cap)
{
	struct tapir_map *m = tapir_port_alloc(sizeof(*m));

	if (!m)
		return NULL;
	/* Unpredictable, so that a user cannot name processes to fill one bucket. */
	m->seed = (u64)tapir_port_random(0x7fffffffffffffffll);
	describe(m, g, max_entries, ncpus, string_cap);
	if (allocate(m))
		return m;
	tapir_map_destroy(m);
	return NULL;
}

void tapir_map_destroy(struct tapir_map *m)
{
	struct tapir_table *table, *next;
	u32 i;

	if (!m)
		return;
	tapir_port_free(m->cpu_locks);
	tapir_port_free(m->known);
	tapir_batches_destroy(m->copies);
	tapir_batches_destroy(m->picks);
	tapir_batches_destroy(m->outgoing);
	for (i = 0; i < m->npools; i++) {
		tapir_batches_destroy(m->pools[i].incoming);
		tapir_batches_destroy(m->pools[i].first);
	}
	for (table = m->table; table; table = next) {
		next = table->next;
		tapir_port_free(table);
	}
	tapir_port_free(m);
}
