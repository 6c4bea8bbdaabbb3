/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters for @percentile and @median: the number of samples of each size, with relative errors below 1 %.
 *
 * A size is a sample without its sign. From 50 on, sizes are split as in HdrHistogram: 50 * 2^j to 100 * 2^j makes 50 counters of
 * 2^j sizes each. So the middle of a counter is less than 1/100 from all of its sizes. Sizes below 100 have a counter each. The 50
 * counters of one j are a block; blocks are handed out to elements when these need them.
 *
 * Each CPU has its own blocks and changes only these. A writer holds the lock of that CPU's statistics; readers of elements of
 * arrays exclude their removal.
 */
#ifndef TAPIR_SKETCH_H
#define TAPIR_SKETCH_H

#include <tapir/types.h>

#define TAPIR_SKETCH_COUNTERS 50u /* of a block */
#define TAPIR_SKETCH_SIZES    59u /* blocks for sizes up to 2^63 */
#define TAPIR_SKETCH_BLOCKS   (2 * TAPIR_SKETCH_SIZES)

/* For arrays: blocks per element and CPU, and per array and CPU at least. A scalar has all of its own. */
#define TAPIR_SKETCH_PER_ELEMENT 4u
#define TAPIR_SKETCH_LEAST	 1024u
/* Elements of a growing array that share blocks, those of a batch. */
#define TAPIR_SKETCH_TOGETHER 2048u

struct tapir_ctx;
struct tapir_site;

/* One element on one CPU. All-zero is empty. */
struct tapir_sketch_head {
	u64 count;
	s64 min, max;			/* if count is not 0 */
	u64 missed;			/* samples an NMI took while another sample was being added */
	u64 starved;			/* samples no block was left for */
	u32 block[TAPIR_SKETCH_BLOCKS]; /* 1 + its number; negative samples first, from the largest size on; 0: none */
};

struct tapir_sketch {
	u32 entries, ncpus;
	u32 nblocks; /* of each CPU */
	u64 stride;  /* bytes of a CPU: two words for unused blocks, the heads, the blocks */
	char *areas;
};

/* For `entries` statistics; all can have all of their blocks if there is one. NULL: not enough memory. */
struct tapir_sketch *tapir_sketch_create(u32 entries, u32 ncpus);
/* Returns the bytes that tapir_sketch_create() allocates. */
u64 tapir_sketch_bytes(u32 entries, u32 ncpus);
void tapir_sketch_destroy(struct tapir_sketch *k); /* NULL is fine */

/* The caller holds the CPU's lock. */
void tapir_sketch_add(struct tapir_sketch *k, u32 entry, u32 cpu, s64 value);
void tapir_sketch_clear(struct tapir_sketch *k, u32 entry, u32 cpu);
/* A sample for which the lock could not be had; on its own CPU. */
void tapir_sketch_miss(struct tapir_sketch *k, u32 entry, u32 cpu);

/* Samples that are in it, over all CPUs. */
u64 tapir_sketch_count(const struct tapir_sketch *k, u32 entry);
/* Samples that are not: taken in NMI context, or for lack of blocks. */
u64 tapir_sketch_missed(const struct tapir_sketch *k, u32 entry);
u64 tapir_sketch_starved(const struct tapir_sketch *k, u32 entry);
/* The sample number `rank`, from 1 on, in ascending order; the largest sample if there are not so many. 0 if there are none. */
s64 tapir_sketch_at(const struct tapir_sketch *k, u32 entry, u64 rank);
/* Returns the estimated time of tapir_sketch_at(), in ns. */
u64 tapir_sketch_work(const struct tapir_sketch *k, u32 entry);

#endif
