/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The shape of an array: sizes of its tables, pools and copies. All map*.c files agree on them; nothing here takes a lock. */
#ifndef TAPIR_MAP_SHAPE_H
#define TAPIR_MAP_SHAPE_H

#include <tapir/map.h>
#include <tapir/map_layout.h>

/* The memory of all arrays. */
struct tapir_arrays {
	u64 bytes; /* atomic */
};
extern struct tapir_arrays tapir_arrays;

static inline u32 tapir_table_size(const struct tapir_table *table)
{
	return 1u << (64 - table->shift);
}

/* Bytes of a node's copy: without what only the array itself needs, and with the words of a merged statistic. */
static inline u32 tapir_copy_bytes(const struct tapir_map *m, u32 node_bytes)
{
	if (m->stat)
		return node_bytes + m->slot_words * 8;
	if (m->packed || m->desc->value_type == TAPIR_STRING)
		return node_bytes;
	return (u32) __builtin_offsetof(struct tapir_node, data) + 8 * (m->nkeys + 1);
}

/*
 * Returns the bytes to add to each piece of memory for copies, because the end of a piece may be too small for a copy. Arrays of
 * numbers and strings need none: they notice in time that there is no room for a copy.
 */
static inline u32 tapir_copies_waste(const struct tapir_map *m)
{
	return m->stat ? tapir_copy_bytes(m, m->node_bytes) : 0;
}

/* May a report have elements that are out of the array, and whose nodes are not free? */
static inline bool tapir_map_lends(const struct tapir_map *m)
{
	return (m->desc->reported & TAPIR_REPORTED_CUT) ||
	       ((m->desc->reported & TAPIR_REPORTED_COPIES) && m->stat && !m->desc->stable);
}

/* True if there should be room for as many new elements as a report may have. Its present elements count as used. */
static inline bool tapir_map_is_doubled(const struct tapir_map *m)
{
	return tapir_map_lends(m) && __atomic_load_n(&m->lent, __ATOMIC_RELAXED) == TAPIR_LENT_NOTHING;
}

/* A pool of so many nodes is to grow when fewer than these are unused. */
static inline u32 tapir_pool_low(const struct tapir_map *m, u32 reserve, u32 capacity)
{
	u32 low = reserve - reserve / 4;

	return tapir_map_is_doubled(m) && low < capacity / 2 ? capacity / 2 : low;
}

/* An element that a report has noted, and copies later. For statistics only the node is used. */
struct tapir_pick {
	struct tapir_node *node;
	u64 value;
};

#endif
