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

/* ---- lookup ---- */

u64 tapir_map_hash(const struct tapir_map *m, const union tapir_val *keys);
/* NULL: no such element. */
struct tapir_node *tapir_map_lookup(const struct tapir_map *m, const union tapir_val *keys, u64 hash);
/*
 * The common cases of lookup: one number, or one string of less than 16 bytes in an aligned buffer (a process name), is what nearly
 * every array has for a key; a hit costs some thirty instructions. NULL: no such element, or not one of these cases. Without a
 * call inside, so that its user, if it ends in calls only, saves no registers.
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

/* A new, zeroed element at the list's tail, or NULL when the map is full. The caller excludes other changes of the set of elements.
 */
struct tapir_node *tapir_map_append(struct tapir_map *m, const union tapir_val *keys, u64 hash);
/* Removes the first element of the list, which is not empty. */
void tapir_map_recycle_head(struct tapir_map *m);
void tapir_map_overflow(struct tapir_ctx *c, const struct tapir_map *m, const struct tapir_site *site);
bool tapir_node_matches(const struct tapir_map *m, const struct tapir_node *node, const union tapir_val *keys, u32 mask);

/* Limits up to this bring elements to the front instead of sorting, in arrays of at least so many elements. */
#define TAPIR_SELECT_MAX  30u
#define TAPIR_SELECT_FROM 64u
/* The first `limit` (1 .. TAPIR_SELECT_MAX) elements in the order of `spec`, of those that match `slice` if not NULL; how many. */
u32 tapir_map_select(const struct tapir_map *m, const struct tapir_foreach *spec, u32 limit, const union tapir_val *slice,
		     struct tapir_node **first);

/* Insertions and removals by others are excluded between these; adders of existing elements too if `unlinking`. Interrupts off. */
u64 tapir_map_freeze(struct tapir_map *m, bool unlinking);
void tapir_map_thaw(struct tapir_map *m, bool unlinking, u64 flags);
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

/* Merges an element over the CPUs. */
void tapir_node_sum(const struct tapir_map *m, const struct tapir_node *node, struct tapir_stat_sum *out);

#endif
