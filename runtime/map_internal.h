/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the map*.c files. */
#ifndef TAPIR_MAP_INTERNAL_H
#define TAPIR_MAP_INTERNAL_H

#include <tapir/tapir.h>
#include <tapir/map_layout.h>
#include <tapir/string_word.h>
#include "handler.h"

static inline bool tapir_key_is_string(const struct tapir_map *m, u32 key)
{
	return m->desc->key_types[key] == TAPIR_STRING;
}

/* ---- keys ---- */

/* The capacity is a multiple of 8; a longer constant is cut where its copy would be. */
static inline u64 tapir_key_word(const char *s, u32 at, u32 cap, bool *last)
{
	u64 word = tapir_word_any(s + at);
	u64 zeros = tapir_word_zeros(word);

	if (zeros) {
		*last = true;
		return tapir_word_cut(word, zeros);
	}
	if (TAPIR_UNLIKELY(at + 8 >= cap)) {
		*last = true;
		return word & 0x00ffffffffffffffull;
	}
	return word;
}

static inline u64 tapir_hash_string(u64 hash, const char *s, u32 cap)
{
	bool last = false;
	u32 at;

	for (at = 0; !last; at += 8)
		hash = tapir_hash_mix(hash, tapir_key_word(s, at, cap, &last));
	return hash;
}

/* `stored` is 8-aligned and has zeros behind its terminator up to the next word. */
static inline bool tapir_same_string(const u64 *stored, const char *s, u32 cap)
{
	bool last = false;
	u32 at;

	for (at = 0; !last; at += 8) {
		if (*stored++ != tapir_key_word(s, at, cap, &last))
			return false;
	}
	return true;
}

/* Behind a stored string. */
static inline const u64 *tapir_string_end(const u64 *stored)
{
	while (!tapir_word_zeros(*stored))
		stored++;
	return stored + 1;
}

/* A key that is a string. */
static inline const char *tapir_node_string(const struct tapir_map *m, const struct tapir_node *node, u32 key)
{
	const u64 *string;
	u32 i;

	if (!m->packed)
		return (const char *)tapir_node_at(node, m->key_at[key]);
	string = (const u64 *)tapir_node_at(node, m->strings_at);
	for (i = 0; i < key; i++)
		if (tapir_key_is_string(m, i))
			string = tapir_string_end(string);
	return (const char *)string;
}

/* ---- lookup ---- */

u64 tapir_map_hash(const struct tapir_map *m, const union tapir_val *keys);
/* NULL: no such element, or one that moves to a larger table at this moment. */
struct tapir_node *tapir_map_lookup(const struct tapir_map *m, const union tapir_val *keys, u64 hash);
/* The caller must not exclude insertions already; it may wait for the insertion lock. NULL if there is no such element. */
struct tapir_node *tapir_map_find_sure(struct tapir_map *m, const union tapir_val *keys);
/*
 * The common cases of lookup: one number, or one string of less than 16 bytes in an aligned buffer (a process name). Nearly every
 * array has such a key; a hit costs some thirty instructions. NULL if there is no such element, or not one of these cases. Makes no
 * calls, so a user that ends only in calls saves no registers.
 */
static inline __attribute__((__always_inline__)) struct tapir_node *tapir_map_find_fast(const struct tapir_map *m,
											const union tapir_val *keys)
{
	struct tapir_node *node = NULL;
	u64 first, second, zeros;

	if (m->shape == TAPIR_SHAPE_LONG) {
		first = (u64)keys[0].n;
		node = __atomic_load_n(tapir_map_bucket(m, tapir_hash_mix(m->seed, first)), __ATOMIC_ACQUIRE);
		while (node && node->data[1] != first)
			node = node->chain;
		return node;
	}
	if (m->shape != TAPIR_SHAPE_STRING || ((unsigned long)keys[0].s & 7))
		return NULL;
	first = tapir_word_aligned(keys[0].s);
	zeros = tapir_word_zeros(first);
	if (zeros) {
		first = tapir_word_cut(first, zeros);
		node = __atomic_load_n(tapir_map_bucket(m, tapir_hash_mix(m->seed, first)), __ATOMIC_ACQUIRE);
		while (node && node->data[1] != first)
			node = node->chain;
		return node;
	}
	second = tapir_word_aligned(keys[0].s + 8);
	zeros = tapir_word_zeros(second);
	if (!zeros)
		return NULL;
	second = tapir_word_cut(second, zeros);
	node = __atomic_load_n(tapir_map_bucket(m, tapir_hash_mix(tapir_hash_mix(m->seed, first), second)), __ATOMIC_ACQUIRE);
	while (node && (node->data[1] != first || node->data[2] != second))
		node = node->chain;
	return node;
}

/* Any element, and the hash of its keys. */
static inline struct tapir_node *tapir_map_find(const struct tapir_map *m, const union tapir_val *keys, u64 *hash)
{
	*hash = tapir_map_hash(m, keys);
	return tapir_map_lookup(m, keys, *hash);
}

/* A new, zeroed element at the list's tail. NULL: the map is full, or no node is free. The caller excludes other changes of the set
 * of elements. */
struct tapir_node *tapir_map_append(struct tapir_map *m, const union tapir_val *keys, u64 hash);
/* Takes all elements out, whose nodes stay as they are. The caller excludes others, or has the map frozen for unlinking. */
void tapir_map_empty(struct tapir_map *m);
/* Makes the value of a node of no array that of a new element. */
void tapir_map_clear_value(struct tapir_map *m, struct tapir_node *node);
/* The number of the pool that a node is of. */
u32 tapir_map_pool_of(const struct tapir_map *m, const struct tapir_node *node);
/* Takes an element out; the caller excludes others from the array. */
void tapir_map_remove(struct tapir_map *m, struct tapir_node *node);
/* Like tapir_map_overflow(), for a map with fewer elements than its limit. */
void tapir_map_starved(struct tapir_ctx *c, struct tapir_map *m, const struct tapir_site *site);
/* Raises the error that says why tapir_map_append() returned NULL. */
void tapir_map_overflow(struct tapir_ctx *c, struct tapir_map *m, const struct tapir_site *site);
bool tapir_node_matches(const struct tapir_map *m, const struct tapir_node *node, const union tapir_val *keys, u32 mask);

/* Limits up to this bring elements to the front instead of sorting, in arrays of at least so many elements. */
#define TAPIR_SELECT_MAX  30u
#define TAPIR_SELECT_FROM 64u
/* The first `limit` (1 .. TAPIR_SELECT_MAX) elements in the order of `spec`, of those that match `slice` if not NULL; how many. */
u32 tapir_map_select(struct tapir_ctx *c, const struct tapir_map *m, const struct tapir_foreach *spec, u32 limit,
		     const union tapir_val *slice, struct tapir_node **first, const struct tapir_site *site);
/*
 * Sorts `count` nodes by the order of `spec`; statistics have so many slots. The nodes lose their links to predecessors. If an
 * error is raised meanwhile, the returned list still has all of them, in some order.
 */
struct tapir_node *tapir_map_sort(struct tapir_ctx *c, const struct tapir_map *m, const struct tapir_foreach *spec,
				  struct tapir_node *list, u32 count, u32 slots, const struct tapir_site *site);

/* Cost of operations over elements: so many elements are a unit. */
#define TAPIR_WALK_ELEMENTS  128u /* looked at */
#define TAPIR_MATCH_ELEMENTS 64u  /* compared with a slice, or copied */
#define TAPIR_CLEAR_BUCKETS  4096u

/* Counts a step of an operation over elements; now and then checks the handler's limits. Returns false after raising an error. */
static inline bool tapir_step(struct tapir_ctx *c, u32 *steps, u64 margin, const struct tapir_site *site)
{
	return TAPIR_LIKELY(++*steps & (TAPIR_LOOK_ELEMENTS - 1)) || tapir_go_on(c, TAPIR_WORK_ELEMENT, margin, site);
}

/*
 * Insertions and removals by others are excluded between these; adders of existing elements too if `unlinking`. Interrupts off,
 * except for handlers of session level, which are alone.
 */
u64 tapir_map_freeze(const struct tapir_ctx *c, struct tapir_map *m, bool unlinking);
void tapir_map_thaw(const struct tapir_ctx *c, struct tapir_map *m, bool unlinking, u64 flags);
/* For the session thread, which holds no locks: it alone is at the array between these. Interrupts off. */
u64 tapir_map_exclude(struct tapir_map *m);
void tapir_map_include(struct tapir_map *m, u64 state);
/* Could the lock be had at once? Interrupts off. */
bool tapir_map_lock_free(struct tapir_lock *lock);

static inline void tapir_map_skip(struct tapir_ctx *c)
{
	tapir_port_count_skip(c, TAPIR_SKIP_LOCK);
	c->failed = TAPIR_FAIL_SKIP;
}

/* Spins, unless the lock may be held below. */
static inline bool tapir_map_try(struct tapir_ctx *c, struct tapir_lock *lock)
{
	if (TAPIR_UNLIKELY(tapir_must_not_wait(c)))
		return tapir_port_trylock(lock);
	return tapir_port_lock_patiently(lock);
}

/* ---- memory: map_create.c, map_grow.c ---- */

/* The pool that has nodes for strings of so many bytes, as stored; 0 for a map that is not packed. */
static inline struct tapir_pool *tapir_map_pool(struct tapir_map *m, u32 string_bytes)
{
	struct tapir_pool *pool = m->pools;
	u32 bytes = (u32) __builtin_offsetof(struct tapir_node, data) + m->strings_at + string_bytes;

	while (pool->node_bytes < bytes && pool < &m->pools[m->npools - 1])
		pool++;
	return pool;
}

/* Bytes that the strings among the keys take when they are stored, in a packed map; else 0. */
u32 tapir_map_string_bytes(const struct tapir_map *m, const union tapir_val *keys);

/* Allocates memory for `count` nodes of the pool, or returns NULL. Process context. */
struct tapir_batch *tapir_batch_create(const struct tapir_map *m, const struct tapir_pool *pool, u32 count);
/* Returns the bytes that tapir_batch_create() allocates. */
u64 tapir_batch_bytes(const struct tapir_map *m, const struct tapir_pool *pool, u32 count);
/* A list of them. */
void tapir_batches_destroy(struct tapir_batch *batch);

/* Memory for so many bytes of copies of nodes, or addresses of nodes. */
struct tapir_batch *tapir_copies_create(u64 bytes);

/* ---- snapshots: map_snapshot.c, map_lend.c ---- */

/* The array's elements become its snapshot, and it is empty. Under the global's lock; at report level. */
void tapir_map_cut(struct tapir_ctx *c, struct tapir_map *m);
/* Returns lent nodes to the pools, some at a time, when they are not needed any more. At report level without locks; takes some. */
void tapir_map_take_back(struct tapir_map *m);

/* At least `buckets` of them, all empty. */
struct tapir_table *tapir_table_create(u64 buckets);
u64 tapir_table_bytes(u64 buckets);

/* As tapir_globals_grow(): brings nodes to pools that ask, and fits the room for copies. */
bool tapir_map_grow(struct tapir_map *m);
/* As tapir_globals_tend(). */
void tapir_map_tend(struct tapir_map *m);

/* A table with room for all nodes, if this one has not. Session thread without locks; takes some. */
void tapir_map_grow_table(struct tapir_map *m);
/* tapir_globals_tend() has something to do. Any context. */
void tapir_arrays_changed(void);

/*
 * Before a handler of session level adds an element: gives the map the memory for it. No locks are held; takes some.
 */
void tapir_map_provide_now(struct tapir_map *m, u32 string_bytes);
static inline void tapir_map_provide(const struct tapir_ctx *c, struct tapir_map *m, const union tapir_val *keys)
{
	if (TAPIR_UNLIKELY(c->level == TAPIR_LEVEL_SESSION))
		tapir_map_provide_now(m, tapir_map_string_bytes(m, keys));
}

/* Fewer nodes than wanted are free: others are asked for, unless they are already. Any context. */
void tapir_pool_ask(struct tapir_pool *pool);
/* The map has become empty, of `used` elements of this pool: all nodes are unused, and memory that was not needed goes. */
void tapir_pool_reset(struct tapir_map *m, struct tapir_pool *pool, u32 used);

/*
 * Merges an element that has so many slots: one for each CPU, or a single one, which is merged already. With the counts of a
 * histogram if this is not NULL.
 */
void tapir_node_sum(const struct tapir_map *m, const struct tapir_node *node, u32 slots, const struct tapir_hist_desc *hist,
		    u64 *buckets, struct tapir_stat_sum *out);
/* Adds up all words of an element's slots to one. */
void tapir_node_merge(const struct tapir_map *m, const struct tapir_node *node, u64 *slot);

#endif
