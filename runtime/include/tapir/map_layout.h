/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside an associative array. Private to map*.c and to the inlined operations of map.h.
 *
 * Elements are nodes of one size in one preallocated block. A node is on the chain of its hash bucket and on the list that
 * keeps the order of insertion (or of the last sort). The values of statistics are not in the node but in one block per CPU, at the
 * same offset for all CPUs, so that a CPU only ever writes lines of its own.
 *
 * Lookup takes no lock as far as statistics are concerned: a node is complete before it is linked, and linked by a store with
 * release semantics. Nodes of a `stable` map never leave their chain. Otherwise adders hold their CPU's lock during lookup
 * and update, and whoever unlinks a node holds the insertion lock and the locks of all CPUs.
 *
 * Order of locks: globals by index, then a map's insertion lock, then its per-CPU locks by index.
 */
#ifndef TAPIR_MAP_LAYOUT_H
#define TAPIR_MAP_LAYOUT_H

#include <tapir/abi.h>

struct tapir_node {
	struct tapir_node *chain; /* next of the bucket, or next free node */
	struct tapir_node *next;  /* the list */
	union {
		struct tapir_node *prev;
		s64 sort_key; /* only while the list is being sorted */
	} u;
	u64 hash;
	u64 data[1]; /* keys in order, then the value; a string occupies string_cap bytes, a statistic its offset in a CPU's block
		      */
};

/*
 * Where a text that stays has its element: a place by the text's address. First come, first served: `node` is claimed once, then
 * `text` is stored with release semantics, and neither changes after that.
 */
struct tapir_known {
	const char *text;
	struct tapir_node *node;
};
#define TAPIR_KNOWN_TEXTS 1024u

enum tapir_map_shape { TAPIR_SHAPE_LONG, TAPIR_SHAPE_STRING, TAPIR_SHAPE_ANY }; /* one long key, one string key, the rest */

struct tapir_map {
	/* Read by every lookup. */
	struct tapir_node **buckets;
	u64 seed;
	u8 shift;   /* the bucket of a hash is its bits from here on */
	u8 shape;   /* enum tapir_map_shape */
	u8 guarded; /* statistics: adders take their CPU's lock */
	u8 plain;   /* statistics: nothing but count and sum, not guarded */
	u8 nkeys;
	u32 value_at;
	char *slots;
	u64 cpu_stride;
	struct tapir_known *known; /* TAPIR_KNOWN_TEXTS of them, or NULL */
	u32 string_cap;
	u32 key_at[TAPIR_MAX_KEYS]; /* byte offsets into data */
	const struct tapir_map_desc *desc;
	const struct tapir_stat_desc *stat;
	const struct tapir_global *global;
	struct tapir_lock *cpu_locks; /* one per CPU, if guarded */
	struct tapir_sketch *sketch;  /* of @percentile, or NULL */
	u32 node_bytes;
	u32 slot_bytes;
	u32 max_entries, ncpus;

	/* Changes with the set of elements; under the insertion lock for statistics, else under the global's lock. */
	struct tapir_lock insertion __attribute__((__aligned__(64)));
	struct tapir_node *head, *tail;
	struct tapir_node *free; /* deleted nodes */
	u32 fresh;		 /* nodes from here on were never used */
	u32 count;
	char *nodes;

	/* The snapshot a report goes through without locks; written by the handler that took it. NULL: none is ever taken. */
	char *copies;
	struct tapir_node *copied;
	u32 ncopied;
	u32 taken; /* atomic: 1 while a handler has it */
};

static inline struct tapir_node **tapir_map_bucket(const struct tapir_map *m, u64 hash)
{
	return &m->buckets[hash >> m->shift];
}

static inline void *tapir_node_at(const struct tapir_node *node, u32 at)
{
	return (char *)node->data + at;
}

static inline u64 *tapir_node_slot(const struct tapir_map *m, const struct tapir_node *node, u32 cpu)
{
	return (u64 *)(m->slots + cpu * m->cpu_stride + node->data[0]);
}

/* Its number in the sketch. */
static inline u32 tapir_node_entry(const struct tapir_map *m, const struct tapir_node *node)
{
	return (u32)(node->data[0] / m->slot_bytes);
}

#endif
