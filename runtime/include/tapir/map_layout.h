/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside an associative array. Private to map*.c and to the inlined operations of map.h.
 *
 * Elements are nodes. A node is on the chain of its hash bucket and on the list that keeps the order of insertion (or of the last
 * sort). Nodes come from pools by size: an array with strings as keys has several, others have one. A pool's memory consists of
 * batches. The first is there from the start. Further ones are allocated ahead of need, outside of handlers, and handed over
 * without a lock. The values of statistics are not in the node but in one block per CPU, at the same distance for all CPUs. So a
 * CPU writes only lines of its own.
 *
 * Lookup in statistics takes no lock: a node is complete before it is linked, and linked by a store with release semantics. Nodes
 * of a `stable` map never leave their chain, except for one of a larger table. Otherwise adders hold their CPU's lock during lookup
 * and update. Unlinking a node needs the insertion lock and the locks of all CPUs.
 *
 * A larger table of buckets takes over at once, and the nodes move to it one bucket at a time. A search without lock may miss a
 * node that moves meanwhile, and finds it under the insertion lock.
 *
 * Order of locks: globals by index, then a map's insertion lock, then its per-CPU locks by index.
 */
#ifndef TAPIR_MAP_LAYOUT_H
#define TAPIR_MAP_LAYOUT_H

#include <tapir/abi.h>

struct tapir_node {
	struct tapir_node *chain; /* next of the bucket, or next free node of the pool */
	struct tapir_node *next;  /* the list */
	union {
		struct tapir_node *prev;
		s64 sort_key; /* only while the list is being sorted */
	} u;
	u64 hash;
	/*
	 * The value if it is a number, or the address of a statistic's block of CPU 0; then the keys in order; then the value if it
	 * is a string. A string occupies string_cap bytes. In a `packed` map strings follow the numbers, each of its own length.
	 */
	u64 data[1];
};

/* Memory of some nodes; they follow this header, from TAPIR_BATCH_HEAD on. */
struct tapir_batch {
	struct tapir_batch *next;
	u64 bytes;	/* that its allocations take */
	u64 node_bytes; /* that all nodes take together */
	u32 count;	/* of nodes */
	char *slots;	/* of statistics, or NULL */
	struct tapir_sketch *sketch;
};
#define TAPIR_BATCH_HEAD 64u

/* Nodes of one size. Changes with the set of elements, unless said otherwise. */
struct tapir_pool {
	u32 node_bytes;
	u32 reserve;		   /* atomic: how many nodes are to be free; at the start, as many are there */
	u32 low;		   /* atomic: with fewer free nodes than this, more are asked for */
	u32 asked;		   /* atomic: more are to come */
	u32 used;		   /* nodes in the array; others may read it at any time */
	u32 fresh;		   /* nodes of `current` from here on are unused */
	u32 handed;		   /* nodes that were taken out of batches since they were last unused, all together */
	u32 dirty;		   /* as many of the first of them have old values */
	u32 capacity;		   /* atomic: all nodes, also those under way */
	u32 stopped;		   /* atomic, enum tapir_map_stop: why no more come */
	struct tapir_node *free;   /* deleted nodes */
	struct tapir_batch *first; /* all batches but those under way */
	struct tapir_batch *current;
	struct tapir_batch *incoming; /* atomic: batches under way */
};
#define TAPIR_POOLS 8

/* Hash buckets: as many as the hash has values from bit `shift` on. */
struct tapir_table {
	u32 shift;
	struct tapir_table *next; /* a smaller one that was in use before: readers may still be in it */
	struct tapir_node *buckets[];
};

/* The reason why a pool does not grow: arrays have their share of the memory, or the machine has none left. */
enum tapir_map_stop { TAPIR_STOP_NONE, TAPIR_STOP_SHARE, TAPIR_STOP_MEMORY };

/*
 * Where a text that stays has its element: a place by the text's address. First come, first served: `node` is claimed once, then
 * `text` is stored with release semantics, and neither changes after that.
 */
struct tapir_known {
	const char *text;
	struct tapir_node *node;
};
#define TAPIR_KNOWN_TEXTS 1024u

/*
 * Nodes that are out of the array while a report needs them. LENT_CUT: the snapshot consists of them, the array was emptied.
 * LENT_PINS: the report still has to copy nodes in the array; those deleted meanwhile are not used again.
 */
enum tapir_lent { TAPIR_LENT_NOTHING, TAPIR_LENT_CUT, TAPIR_LENT_PINS };

enum tapir_map_shape { TAPIR_SHAPE_LONG, TAPIR_SHAPE_STRING, TAPIR_SHAPE_ANY }; /* one long key, one string key, the rest */

struct tapir_map {
	/* Read by every lookup. */
	struct tapir_table *table;
	u64 seed;
	u8 shape;   /* enum tapir_map_shape */
	u8 guarded; /* statistics: adders take their CPU's lock */
	u8 plain;   /* statistics: nothing but count and sum, not guarded */
	u8 nkeys;
	u8 packed;
	u8 npools;
	u32 value_at;
	u32 strings_at; /* if packed: byte offset of the first string into data */
	u32 stamp_at;	/* if elements age: byte offset of the tick of the last write into data; else 0 */
	u64 cpu_stride;
	struct tapir_known *known; /* TAPIR_KNOWN_TEXTS of them, or NULL */
	u32 string_cap;
	u32 key_at[TAPIR_MAX_KEYS]; /* byte offsets into data */
	const struct tapir_map_desc *desc;
	const struct tapir_stat_desc *stat;
	const struct tapir_global *global;
	struct tapir_lock *cpu_locks; /* one per CPU, if guarded */
	u32 node_bytes;		      /* of the largest nodes */
	u32 slot_words; /* of an element on one CPU; with a sketch, its address and the element's number in it follow */
	u32 slot_bytes;
	u32 piece; /* elements whose slots are together on each CPU; a power of 2 */
	u32 max_entries, ncpus;
	u32 max_nodes; /* more than max_entries if reports keep elements that are out of the array */

	/* Changes with the set of elements; under the insertion lock for statistics, else under the global's lock. */
	struct tapir_lock insertion __attribute__((__aligned__(64)));
	struct tapir_node *head, *tail;
	u32 count;
	u32 moves;			      /* atomic: odd while nodes move between tables */
	struct tapir_table *older;	      /* atomic: nodes that have not moved yet are here */
	struct tapir_pool pools[TAPIR_POOLS]; /* ascending by size */
	u32 shrunk;			      /* atomic: fewer copies will do */
	struct tapir_batch *outgoing;	      /* atomic: to be freed when no handler can know of them any more */
	u32 lent;			      /* enum tapir_lent; under the global's lock, read while the array grows */
	struct tapir_node *held;	      /* elements deleted while nodes are lent, linked by `chain` */
	struct tapir_node *held_lists;	      /* the first ones of whole lists of them, likewise */

	/* Ages: written by the session thread. */
	u64 ticks;   /* atomic: how many have begun */
	u64 next_at; /* monotonic ns: when the next one begins; 0: the first is still to come */

	/* The snapshot a report goes through without locks; written by the handler that took it. */
	struct tapir_batch *copies; /* threads without the snapshot only append to these; NULL: no copies are made */
	struct tapir_batch *picks;  /* elements that are noted and to be copied; as `copies`; NULL: none are */
	u32 pick_bytes;		    /* of one of them; 0: none are */
	struct tapir_batch *copying;
	u64 copying_at; /* bytes in use of `copying` */
	struct tapir_node *copied;
	u32 ncopied;
	u32 copied_slots; /* of statistics: slots of each element of the snapshot */
	u32 taken;	  /* atomic: 1 while a handler has it */
};

static inline struct tapir_node **tapir_table_bucket(struct tapir_table *table, u64 hash)
{
	return &table->buckets[hash >> table->shift];
}

static inline struct tapir_node **tapir_map_bucket(const struct tapir_map *m, u64 hash)
{
	return tapir_table_bucket(__atomic_load_n(&m->table, __ATOMIC_ACQUIRE), hash);
}

static inline void *tapir_node_at(const struct tapir_node *node, u32 at)
{
	return (char *)node->data + at;
}

static inline u64 *tapir_node_slot(const struct tapir_map *m, const struct tapir_node *node, u32 cpu)
{
	return (u64 *)(unsigned long)(node->data[0] + cpu * m->cpu_stride);
}

/* The element is written. The caller has its CPU's lock for statistics, else the global's. */
static inline void tapir_node_written(const struct tapir_map *m, struct tapir_node *node)
{
	u64 *stamp = (u64 *)tapir_node_at(node, m->stamp_at), now;

	if (TAPIR_LIKELY(!m->stamp_at))
		return;
	now = __atomic_load_n(&m->ticks, __ATOMIC_RELAXED);
	/* Other processors may write the same element. */
	if (__atomic_load_n(stamp, __ATOMIC_RELAXED) != now)
		__atomic_store_n(stamp, now, __ATOMIC_RELAXED);
}

/* The counters of a statistic with percentiles, and its number in them. */
static inline struct tapir_sketch *tapir_node_sketch(const struct tapir_map *m, const struct tapir_node *node)
{
	return (struct tapir_sketch *)(unsigned long)tapir_node_slot(m, node, 0)[m->slot_words];
}

static inline u32 tapir_node_entry(const struct tapir_map *m, const struct tapir_node *node)
{
	return (u32)tapir_node_slot(m, node, 0)[m->slot_words + 1];
}

#endif
