// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How arrays grow and shrink while handlers run. Handlers never allocate: those that find few nodes free ask (map_ask.c), and
 * process context brings batches (tapir_globals_grow) which they take over without a lock. Tables of buckets grow, and memory is
 * freed, where no handler of session level can run (tapir_globals_tend).
 */
#include <tapir/tapir.h>
#include "map_internal.h"
#include "map_shape.h"

/* Largest batch: so the first nodes are there soon, and no large pieces of memory are needed. */
#define BATCH_BYTES (2ull << 20)
/* A batch of fewer nodes is not tried. */
#define BATCH_LEAST 64u
/* No pool has more nodes ahead than this or twice BATCH_BYTES of them, unless it is large. */
#define RESERVE_MOST 32768u
/* All arrays take at most this part of the memory that there is for them and others. */
#define SHARE 4
/* Buckets that move to a larger table while others wait. */
#define BUCKETS_AT_ONCE 128u

struct tapir_arrays tapir_arrays;

static bool pending; /* atomic: tapir_globals_tend() has something to do */

void tapir_arrays_changed(void)
{
	__atomic_store_n(&pending, true, __ATOMIC_RELEASE);
}

/* ---- growing ---- */

/*
 * TAPIR_STOP_NONE: so many more bytes are taken. All arrays may take a quarter of the memory that there would be without them, as
 * it is at this moment: other sessions and other programs take some, too, and give some back.
 */
static u32 take_share(u64 bytes)
{
	u64 room = tapir_port_room();
	u64 now = __atomic_add_fetch(&tapir_arrays.bytes, bytes, __ATOMIC_RELAXED);
	u64 most = (room + (now - bytes)) / SHARE;

	if (now >= bytes && now <= most && bytes <= room)
		return TAPIR_STOP_NONE;
	__atomic_sub_fetch(&tapir_arrays.bytes, bytes, __ATOMIC_RELAXED);
	return bytes > room ? TAPIR_STOP_MEMORY : TAPIR_STOP_SHARE;
}

static void give_share(u64 bytes)
{
	__atomic_sub_fetch(&tapir_arrays.bytes, bytes, __ATOMIC_RELAXED);
}

/* Allocates a batch of `count` nodes, or fewer if memory is short. On NULL the pool has the reason. */
static struct tapir_batch *make_batch(const struct tapir_map *m, struct tapir_pool *pool, u32 count)
{
	for (;;) {
		u64 bytes = tapir_batch_bytes(m, pool, count);
		struct tapir_batch *batch;
		u32 why = take_share(bytes);

		if (why == TAPIR_STOP_NONE) {
			batch = tapir_batch_create(m, pool, count);
			if (batch)
				return batch;
			give_share(bytes);
			why = TAPIR_STOP_MEMORY;
		}
		__atomic_store_n(&pool->stopped, why, __ATOMIC_RELAXED);
		if (count <= BATCH_LEAST)
			return NULL;
		count = count / 2 < BATCH_LEAST ? BATCH_LEAST : count / 2;
	}
}

static void hand_over(struct tapir_pool *pool, struct tapir_batch *batch)
{
	u32 count = batch->count;

	batch->next = __atomic_load_n(&pool->incoming, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&pool->incoming, &batch->next, batch, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	__atomic_add_fetch(&pool->capacity, count, __ATOMIC_RELAXED);
}

/* Handlers were nearly faster than this: they find more the next time. */
static void raise_reserve(struct tapir_pool *pool, u32 free, u64 most)
{
	if (free < pool->reserve / 2 && pool->reserve < RESERVE_MOST && pool->reserve < 2 * most &&
	    __atomic_load_n(&pool->stopped, __ATOMIC_RELAXED) == TAPIR_STOP_NONE)
		__atomic_store_n(&pool->reserve, 2 * pool->reserve, __ATOMIC_RELAXED);
}

/* Returns false if the memory for more nodes is missing. */
static bool grow_pool(const struct tapir_map *m, struct tapir_pool *pool)
{
	u32 used = __atomic_load_n(&pool->used, __ATOMIC_RELAXED), ahead;
	u64 most = BATCH_BYTES / (tapir_batch_bytes(m, pool, BATCH_LEAST) / BATCH_LEAST), want;
	u32 capacity = __atomic_load_n(&pool->capacity, __ATOMIC_RELAXED), low;

	raise_reserve(pool, capacity - used, most);
	ahead = used / 4 > pool->reserve ? used / 4 : pool->reserve;
	want = (u64)used + ahead + (tapir_map_is_doubled(m) ? used : 0);
	if (want > m->max_nodes)
		want = m->max_nodes;
	low = tapir_pool_low(m, pool->reserve, capacity > want ? capacity : (u32)want);
	while (capacity < want) {
		u32 count = want - capacity < most ? (u32)(want - capacity) : (u32)most;
		struct tapir_batch *batch;

		if (m->stat && m->stat->sketch)
			count = pool->reserve;
		else if (count < BATCH_LEAST)
			count = BATCH_LEAST;
		batch = make_batch(m, pool, count);
		if (!batch) {
			/* Next time at half as many, so that vain requests do not repeat all the time. */
			low = __atomic_load_n(&pool->low, __ATOMIC_RELAXED) / 2;
			break;
		}
		capacity += batch->count;
		hand_over(pool, batch);
		__atomic_store_n(&pool->stopped, TAPIR_STOP_NONE, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&pool->low, capacity >= m->max_nodes ? 0 : low, __ATOMIC_RELAXED);
	return capacity >= want;
}

static void give_back(struct tapir_batch *going)
{
	struct tapir_batch *batch;

	for (batch = going; batch; batch = batch->next)
		give_share(batch->bytes);
	tapir_batches_destroy(going);
}

/* Frees the batches behind `last`, unless a handler has a snapshot. */
static void cut_copies(struct tapir_map *m, struct tapir_batch *last)
{
	struct tapir_batch *going = last->next;

	if (__atomic_exchange_n(&m->taken, 1, __ATOMIC_ACQUIRE))
		return;
	last->next = NULL;
	__atomic_store_n(&m->taken, 0, __ATOMIC_RELEASE);
	give_back(going);
}

/* The list of pieces gets as many bytes as wanted, but for `waste` of each piece. */
static void fit(struct tapir_map *m, struct tapir_batch *batch, u64 want, u32 waste)
{
	u64 have = batch->node_bytes - waste, bytes;
	struct tapir_batch *more;

	for (; batch->next && have < want; batch = batch->next)
		have += batch->next->node_bytes - waste;
	if (batch->next)
		cut_copies(m, batch);
	while (have < want) {
		bytes = (want - have < BATCH_BYTES ? want - have : BATCH_BYTES) + waste;
		if (take_share(TAPIR_BATCH_HEAD + bytes) != TAPIR_STOP_NONE)
			return;
		more = tapir_copies_create(bytes);
		if (!more) {
			give_share(TAPIR_BATCH_HEAD + bytes);
			return;
		}
		have += bytes - waste;
		__atomic_store_n(&batch->next, more, __ATOMIC_RELEASE);
		batch = more;
	}
}

/* Room for copies of as many elements. Without it, reports go through the array itself. */
static void fit_copies(struct tapir_map *m)
{
	u64 copies = 0, picks = 0;
	u32 i;

	for (i = 0; i < m->npools; i++) {
		u64 capacity = __atomic_load_n(&m->pools[i].capacity, __ATOMIC_RELAXED);

		copies += tapir_copy_bytes(m, m->pools[i].node_bytes) * capacity;
		picks += m->pick_bytes * capacity;
	}
	fit(m, m->copies, copies, tapir_copies_waste(m));
	if (m->picks)
		fit(m, m->picks, picks, 0);
}

static u64 capacity_of(const struct tapir_map *m)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < m->npools; i++)
		sum += __atomic_load_n(&m->pools[i].capacity, __ATOMIC_RELAXED);
	return sum < m->max_entries ? sum : m->max_entries;
}

bool tapir_map_grow(struct tapir_map *m)
{
	bool changed = __atomic_exchange_n(&m->shrunk, 0, __ATOMIC_RELAXED), grown = true;
	u32 i;

	for (i = 0; i < m->npools; i++) {
		if (!__atomic_exchange_n(&m->pools[i].asked, 0, __ATOMIC_RELAXED))
			continue;
		grown = grow_pool(m, &m->pools[i]) && grown;
		changed = true;
	}
	if (!changed)
		return grown;
	if (m->copies)
		fit_copies(m);
	if (capacity_of(m) > tapir_table_size(__atomic_load_n(&m->table, __ATOMIC_ACQUIRE)))
		tapir_arrays_changed();
	return grown;
}

/* ---- a larger table ---- */

/* Searches look at both chains meanwhile; one in the old chain ends up in the new one. */
static void move_bucket(struct tapir_table *to, struct tapir_node **from)
{
	struct tapir_node *node, **bucket;

	while ((node = *from)) {
		__atomic_store_n(from, node->chain, __ATOMIC_RELAXED);
		bucket = tapir_table_bucket(to, node->hash);
		__atomic_store_n(&node->chain, *bucket, __ATOMIC_RELAXED);
		__atomic_store_n(bucket, node, __ATOMIC_RELEASE);
	}
}

static void move_some(struct tapir_map *m, u32 first)
{
	u32 last = tapir_table_size(m->older), i;

	if (last - first > BUCKETS_AT_ONCE)
		last = first + BUCKETS_AT_ONCE;
	__atomic_store_n(&m->moves, m->moves + 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (i = first; i < last; i++)
		move_bucket(m->table, &m->older->buckets[i]);
	__atomic_store_n(&m->moves, m->moves + 1, __ATOMIC_RELEASE);
}

void tapir_map_grow_table(struct tapir_map *m)
{
	u64 want = capacity_of(m), bytes, state;
	struct tapir_table *older = m->table, *table;
	u32 size = tapir_table_size(older), i;

	if (want <= size)
		return;
	want = 2 * want < m->max_entries ? 2 * want : m->max_entries;
	bytes = tapir_table_bytes(want);
	if (take_share(bytes) != TAPIR_STOP_NONE)
		return;
	table = tapir_table_create(want);
	if (!table) {
		give_share(bytes);
		return;
	}
	/* Old tables stay: a search without a lock may still be in one. All of them together are smaller than the last. */
	table->next = older;
	state = tapir_map_exclude(m);
	__atomic_store_n(&m->older, older, __ATOMIC_RELEASE);
	__atomic_store_n(&m->table, table, __ATOMIC_RELEASE);
	tapir_map_include(m, state);
	for (i = 0; i < size; i += BUCKETS_AT_ONCE) {
		state = tapir_map_exclude(m);
		move_some(m, i);
		tapir_map_include(m, state);
	}
	state = tapir_map_exclude(m);
	__atomic_store_n(&m->older, NULL, __ATOMIC_RELEASE);
	tapir_map_include(m, state);
}

/* ---- shrinking ---- */

static void release(struct tapir_map *m)
{
	struct tapir_batch *going = __atomic_exchange_n(&m->outgoing, NULL, __ATOMIC_ACQUIRE);

	if (!going)
		return;
	/* The handler that gave it away holds the global's lock until its end, and may go through these elements. */
	tapir_map_include(m, tapir_map_exclude(m));
	give_back(going);
}

void tapir_map_tend(struct tapir_map *m)
{
	release(m);
	tapir_map_grow_table(m);
}

/* ---- all arrays ---- */

static struct tapir_map *map_at(u32 i)
{
	const struct tapir_global *g = &tapir_module.globals[i];

	return g->kind == TAPIR_GLOBAL_MAP ? *(struct tapir_map **)g->storage : NULL;
}

void tapir_array_room(u32 global, u32 *elements, u32 *most)
{
	const struct tapir_map *m = map_at(global);

	*elements = m ? __atomic_load_n(&m->count, __ATOMIC_RELAXED) : 0;
	*most = m ? m->max_entries : 0;
}

u64 tapir_arrays_bytes(void)
{
	return __atomic_load_n(&tapir_arrays.bytes, __ATOMIC_RELAXED);
}

bool tapir_globals_grow(void)
{
	bool grown = true;
	u32 i;

	for (i = 0; i < tapir_module.nglobals; i++)
		if (map_at(i))
			grown = tapir_map_grow(map_at(i)) && grown;
	return grown;
}

bool tapir_globals_pending(void)
{
	return __atomic_load_n(&pending, __ATOMIC_ACQUIRE);
}

void tapir_globals_tend(void)
{
	u32 i;

	if (!__atomic_exchange_n(&pending, false, __ATOMIC_ACQ_REL))
		return;
	for (i = 0; i < tapir_module.nglobals; i++)
		if (map_at(i))
			tapir_map_tend(map_at(i));
}
