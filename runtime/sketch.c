// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters of samples by size, for quantiles. sketch.h says how they are laid out. */
#include <tapir/tapir.h>
#include "handler.h"
#include "sketch.h"

#define MOST_64 0x7fffffffffffffffll

static inline u64 read_word(const u64 *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/* ---- which counter ---- */

struct place {
	u32 block, counter;
};

static struct place place_of(s64 value)
{
	u64 size = value < 0 ? 0 - (u64)value : (u64)value;
	struct place at = {0, (u32)size};

	if (size >= TAPIR_SKETCH_COUNTERS) {
		/* The shift that brings it to 50 .. 99. */
		u32 shift = 63u - (u32)__builtin_clzll(size);

		shift = shift < 6 ? 0 : shift - 6;
		if (size >> shift >= 2 * TAPIR_SKETCH_COUNTERS)
			shift++;
		at.block = shift + 1;
		at.counter = (u32)(size >> shift) - TAPIR_SKETCH_COUNTERS;
	}
	if (value < 0) {
		at.block = TAPIR_SKETCH_SIZES - 1 - at.block;
		at.counter = TAPIR_SKETCH_COUNTERS - 1 - at.counter;
	} else {
		at.block += TAPIR_SKETCH_SIZES;
	}
	return at;
}

/* The middle of a counter. */
static s64 value_of(struct place at)
{
	bool negative = at.block < TAPIR_SKETCH_SIZES;
	u32 block = negative ? TAPIR_SKETCH_SIZES - 1 - at.block : at.block - TAPIR_SKETCH_SIZES;
	u64 size = negative ? TAPIR_SKETCH_COUNTERS - 1 - at.counter : at.counter;

	if (block > 0) {
		u64 step = 1ull << (block - 1);

		size = (size + TAPIR_SKETCH_COUNTERS) * step + (step - 1) / 2;
		if (size > 1ull << 63)
			size = 1ull << 63;
	}
	return (s64)(negative ? 0 - size : size);
}

/* ---- a CPU's area ---- */

struct area {
	u32 free;  /* 1 + the number of the first freed block; each has the next one's in its first counter */
	u32 fresh; /* blocks from here on were never used */
	u64 unused;
};

static inline struct area *area_of(const struct tapir_sketch *k, u32 cpu)
{
	return (struct area *)(k->areas + cpu * k->stride);
}

static inline struct tapir_sketch_head *head_of(const struct tapir_sketch *k, u32 entry, u32 cpu)
{
	return (struct tapir_sketch_head *)(area_of(k, cpu) + 1) + entry;
}

/* `number` is what heads have: 1 + the block's. */
static inline u64 *block_at(const struct tapir_sketch *k, u32 cpu, u32 number)
{
	return (u64 *)head_of(k, k->entries, cpu) + (u64)(number - 1) * TAPIR_SKETCH_COUNTERS;
}

static u32 take_block(struct tapir_sketch *k, u32 cpu)
{
	struct area *area = area_of(k, cpu);
	u32 number = area->free;

	if (number) {
		u64 *block = block_at(k, cpu, number);

		area->free = (u32)block[0];
		block[0] = 0;
		return number;
	}
	return area->fresh < k->nblocks ? ++area->fresh : 0;
}

static u64 blocks_for(u32 entries)
{
	u64 blocks = (u64)entries * TAPIR_SKETCH_PER_ELEMENT;

	if (entries <= 1)
		return TAPIR_SKETCH_BLOCKS;
	if (blocks < TAPIR_SKETCH_LEAST)
		blocks = TAPIR_SKETCH_LEAST;
	if (blocks > (u64)entries * TAPIR_SKETCH_BLOCKS)
		blocks = (u64)entries * TAPIR_SKETCH_BLOCKS;
	return blocks;
}

static u64 stride_for(u32 entries)
{
	u64 bytes =
	    sizeof(struct area) + (u64)entries * sizeof(struct tapir_sketch_head) + blocks_for(entries) * TAPIR_SKETCH_COUNTERS * 8;

	return (bytes + TAPIR_STAT_LINE - 1) & ~(u64)(TAPIR_STAT_LINE - 1);
}

u64 tapir_sketch_bytes(u32 entries, u32 ncpus)
{
	return tapir_demand_times(stride_for(entries), ncpus);
}

struct tapir_sketch *tapir_sketch_create(u32 entries, u32 ncpus)
{
	struct tapir_sketch *k = tapir_port_alloc(sizeof(*k));
	u64 blocks = blocks_for(entries), bytes = tapir_sketch_bytes(entries, ncpus);

	if (!k)
		return NULL;
	k->entries = entries;
	k->ncpus = ncpus;
	k->nblocks = (u32)blocks;
	k->stride = stride_for(entries);
	if (blocks <= 0xffffffffu && bytes <= (u64)(size_t)-1 / 2)
		k->areas = tapir_port_alloc(bytes);
	if (k->areas)
		return k;
	tapir_port_free(k);
	return NULL;
}

void tapir_sketch_destroy(struct tapir_sketch *k)
{
	if (!k)
		return;
	tapir_port_free(k->areas);
	tapir_port_free(k);
}

/* ---- changes ---- */

void tapir_sketch_add(struct tapir_sketch *k, u32 entry, u32 cpu, s64 value)
{
	struct tapir_sketch_head *head = head_of(k, entry, cpu);
	struct place at = place_of(value);
	u32 *number = &head->block[at.block];
	u64 *counter;

	if (!*number) {
		u32 taken = take_block(k, cpu);

		if (!taken) {
			head->starved++;
			return;
		}
		/* A reader that sees the number sees no old counters. */
		__atomic_store_n(number, taken, __ATOMIC_RELEASE);
	}
	counter = block_at(k, cpu, *number) + at.counter;
	__atomic_store_n(counter, *counter + 1, __ATOMIC_RELAXED);
	if (!head->count || value < head->min)
		__atomic_store_n(&head->min, value, __ATOMIC_RELAXED);
	if (!head->count || value > head->max)
		__atomic_store_n(&head->max, value, __ATOMIC_RELAXED);
	/* A reader finds all samples that it has counted. */
	__atomic_store_n(&head->count, head->count + 1, __ATOMIC_RELEASE);
}

void tapir_sketch_miss(struct tapir_sketch *k, u32 entry, u32 cpu)
{
	tapir_percpu_add(&head_of(k, entry, cpu)->missed, 1);
}

void tapir_sketch_clear(struct tapir_sketch *k, u32 entry, u32 cpu)
{
	struct tapir_sketch_head *head = head_of(k, entry, cpu);
	struct area *area = area_of(k, cpu);
	u32 i;

	for (i = 0; i < TAPIR_SKETCH_BLOCKS; i++) {
		u64 *block;

		if (!head->block[i])
			continue;
		block = block_at(k, cpu, head->block[i]);
		__builtin_memset(block, 0, TAPIR_SKETCH_COUNTERS * sizeof(*block));
		block[0] = area->free;
		area->free = head->block[i];
	}
	__builtin_memset(head, 0, sizeof(*head));
}

/* ---- reading ---- */

u64 tapir_sketch_count(const struct tapir_sketch *k, u32 entry)
{
	u64 sum = 0;
	const u16 *cpus;
	u32 processors = tapir_port_processors(&cpus), n;

	for (n = 0; n < processors; n++)
		sum += __atomic_load_n(&head_of(k, entry, cpus[n])->count, __ATOMIC_ACQUIRE);
	return sum;
}

/* Adds up a counter of a head, at this offset, over the CPUs. */
static u64 sum_of(const struct tapir_sketch *k, u32 entry, u64 offset)
{
	u64 sum = 0;
	const u16 *cpus;
	u32 processors = tapir_port_processors(&cpus), n;

	for (n = 0; n < processors; n++)
		sum += read_word((const u64 *)((const char *)head_of(k, entry, cpus[n]) + offset));
	return sum;
}

u64 tapir_sketch_missed(const struct tapir_sketch *k, u32 entry)
{
	return sum_of(k, entry, __builtin_offsetof(struct tapir_sketch_head, missed));
}

u64 tapir_sketch_starved(const struct tapir_sketch *k, u32 entry)
{
	return sum_of(k, entry, __builtin_offsetof(struct tapir_sketch_head, starved));
}

u64 tapir_sketch_work(const struct tapir_sketch *k, u32 entry)
{
	const u16 *cpus;
	u32 processors = tapir_port_processors(&cpus), n, i;
	u64 blocks = 0;

	for (n = 0; n < processors; n++)
		for (i = 0; i < TAPIR_SKETCH_BLOCKS; i++)
			blocks += __atomic_load_n(&head_of(k, entry, cpus[n])->block[i], __ATOMIC_RELAXED) != 0;
	return (blocks + TAPIR_SKETCH_BLOCKS) * TAPIR_SKETCH_COUNTERS * TAPIR_WORK_WORD +
	       processors * (u64)TAPIR_SKETCH_BLOCKS * TAPIR_WORK_WORD * 3;
}

/* Adds up a block over the CPUs; the sum of its counters. */
static u64 merge_block(const struct tapir_sketch *k, u32 entry, u32 block, u64 *counters)
{
	u64 sum = 0;
	const u16 *cpus;
	u32 processors = tapir_port_processors(&cpus), n, i;

	for (i = 0; i < TAPIR_SKETCH_COUNTERS; i++)
		counters[i] = 0;
	for (n = 0; n < processors; n++) {
		u32 number = __atomic_load_n(&head_of(k, entry, cpus[n])->block[block], __ATOMIC_ACQUIRE);

		for (i = 0; number && i < TAPIR_SKETCH_COUNTERS; i++)
			counters[i] += read_word(&block_at(k, cpus[n], number)[i]);
	}
	for (i = 0; i < TAPIR_SKETCH_COUNTERS; i++)
		sum += counters[i];
	return sum;
}

/* Keeps an estimate within the range of the samples. */
static s64 within_limits(const struct tapir_sketch *k, u32 entry, s64 value)
{
	s64 min = MOST_64, max = -MOST_64 - 1, least, most;
	const u16 *cpus;
	u32 processors = tapir_port_processors(&cpus), n;

	for (n = 0; n < processors; n++) {
		const struct tapir_sketch_head *head = head_of(k, entry, cpus[n]);

		if (!read_word(&head->count))
			continue;
		least = __atomic_load_n(&head->min, __ATOMIC_RELAXED);
		most = __atomic_load_n(&head->max, __ATOMIC_RELAXED);
		if (least < min)
			min = least;
		if (most > max)
			max = most;
	}
	return value < min ? min : value > max ? max : value;
}

s64 tapir_sketch_at(const struct tapir_sketch *k, u32 entry, u64 rank)
{
	u64 counters[TAPIR_SKETCH_COUNTERS], seen = 0, count = tapir_sketch_count(k, entry);
	struct place at = {0, 0};

	if (!count)
		return 0;
	if (rank <= 1)
		return within_limits(k, entry, -MOST_64 - 1);
	if (rank >= count)
		return within_limits(k, entry, MOST_64);
	for (at.block = 0; at.block < TAPIR_SKETCH_BLOCKS; at.block++) {
		u64 here = merge_block(k, entry, at.block, counters);

		if (seen + here < rank) {
			seen += here;
			continue;
		}
		for (at.counter = 0; seen + counters[at.counter] < rank; at.counter++)
			seen += counters[at.counter];
		return within_limits(k, entry, value_of(at));
	}
	return within_limits(k, entry, MOST_64);
}
