/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Layout of statistics slots and the inlined `<<<`.
 *
 * A slot is an array of u64 words, as long as its descriptor needs: count, sum, [min, max], [n, sum, squares, lost
 * of the variance], [buckets]. Only its own CPU writes it, each word by one read-modify-write instruction, so that an interrupt or
 * NMI between two of them does no harm (arch/c/portable.h). All-zero words are an empty slot: min and max are stored as unsigned
 * distances that only grow.
 *
 * A scalar's storage is one line with the generation and the address of its sketch (runtime/sketch.h), then one slot per CPU, then
 * one base per CPU. `delete s` cannot write other CPUs' slots: it records their sums as bases to be subtracted, and starts a new
 * generation of minima and maxima. Variances and sketches have a lock per CPU.
 */
#ifndef TAPIR_STAT_SLOT_H
#define TAPIR_STAT_SLOT_H

#include <tapir/abi.h>
#include <tapir/hist_shape.h>
#include <tapir/registers.h>

struct tapir_stat_slot {
	u64 word[1];
};

#define TAPIR_SLOT_COUNT      0
#define TAPIR_SLOT_SUM	      1
#define TAPIR_SLOT_MIN	      2	   /* S64_MAX - minimum */
#define TAPIR_SLOT_MAX	      3	   /* maximum - S64_MIN */
#define TAPIR_SLOT_VARIANCE   (2u) /* words before: + 2 with min_max */
#define TAPIR_MOMENT_WORDS    6u   /* number of samples, their sum (2 words), the sum of their squares (3 words) */
#define TAPIR_VARIANCE_WORDS  (TAPIR_MOMENT_WORDS + 1u)
#define TAPIR_STAT_HEADER     128u /* bytes before the first slot of a scalar; word 0 is the generation, 1 the sketch */
#define TAPIR_STAT_LINE	      128u /* slots of different CPUs are this far apart: two lines, for the adjacent-line prefetcher */
#define TAPIR_STAT_LOCK_WORDS (sizeof(struct tapir_lock) / sizeof(u64))

static inline u64 tapir_stat_min_encode(s64 value)
{
	return 0x7fffffffffffffffull - (u64)value;
}

static inline u64 tapir_stat_max_encode(s64 value)
{
	return (u64)value + 0x8000000000000000ull;
}

/* Index of the first word of the variance, of the buckets. */
static inline u32 tapir_slot_variance(const struct tapir_stat_desc *desc)
{
	return desc->min_max ? 4u : 2u;
}

static inline u32 tapir_slot_buckets(const struct tapir_stat_desc *desc)
{
	return tapir_slot_variance(desc) + (desc->variance ? TAPIR_VARIANCE_WORDS : 0u);
}

static inline u32 tapir_slot_words(const struct tapir_stat_desc *desc)
{
	return tapir_slot_buckets(desc) + desc->buckets;
}

/* Does adding a sample take the CPU's lock? */
static inline bool tapir_stat_guarded(const struct tapir_stat_desc *desc)
{
	return desc->variance || desc->sketch;
}

/* A scalar's slot has two more parts at its end: the generation its min and max belong to, and the lock. */
static inline u32 tapir_slot_generation(const struct tapir_stat_desc *desc)
{
	return tapir_slot_words(desc);
}

static inline u32 tapir_slot_lock(const struct tapir_stat_desc *desc)
{
	return tapir_slot_words(desc) + 1u;
}

static inline u64 tapir_stat_stride(const struct tapir_stat_desc *desc)
{
	u64 bytes = ((u64)tapir_slot_words(desc) + 1u + (tapir_stat_guarded(desc) ? TAPIR_STAT_LOCK_WORDS : 0u)) * sizeof(u64);

	return (bytes + TAPIR_STAT_LINE - 1u) & ~(u64)(TAPIR_STAT_LINE - 1u);
}

/* ---- updates of a word that only this CPU writes ---- */

static inline void tapir_percpu_max(u64 *word, u64 n)
{
	u64 old = __atomic_load_n(word, __ATOMIC_RELAXED);

	while (n > old && !tapir_percpu_cmpxchg(word, &old, n))
		;
}

/* ---- adding a sample ---- */

u32 tapir_hist_index(const struct tapir_hist_desc *hist, s64 value);
void tapir_stat_new_generation(u64 *slot, u64 *slot_generation, u64 generation);
/* Updates the guarded words of a scalar, under its per-CPU lock with interrupts off. */
void tapir_stat_add_guarded(struct tapir_stat_slot *slots, const struct tapir_stat_desc *desc, u32 cpu, s64 value);

/*
 * Everything of a sample except the guarded words and the scalar's generation. It counts as `weight` samples of the same value;
 * the guarded words have it once, as variances and quantiles do not depend on the number of samples.
 */
static inline void tapir_slot_add_weighted(u64 *slot, const struct tapir_stat_desc *desc, s64 value, u64 weight)
{
	u32 i;

	tapir_percpu_add(&slot[TAPIR_SLOT_COUNT], weight);
	tapir_percpu_add(&slot[TAPIR_SLOT_SUM], (u64)value * weight);
	if (desc->min_max) {
		tapir_percpu_max(&slot[TAPIR_SLOT_MIN], tapir_stat_min_encode(value));
		tapir_percpu_max(&slot[TAPIR_SLOT_MAX], tapir_stat_max_encode(value));
	}
	for (i = 0; i < desc->nhists; i++) {
		const struct tapir_hist_desc *hist = &desc->hists[i];

		tapir_percpu_add(&slot[tapir_slot_buckets(desc) + hist->first + tapir_hist_index(hist, value)], weight);
	}
}

static inline void tapir_slot_add(u64 *slot, const struct tapir_stat_desc *desc, s64 value)
{
	tapir_slot_add_weighted(slot, desc, value, 1);
}

/*
 * `<<<` on a scalar. `slots` is the global's storage, `cpu` comes from the context or the leaf call. Any context with preemption
 * disabled. When `desc` is known at compile time this is little more than two additions.
 */
static inline void tapir_stat_add_weighted(struct tapir_stat_slot *slots, const struct tapir_stat_desc *desc, u32 cpu, s64 value,
					   u64 weight)
{
	u64 *slot = (u64 *)((char *)slots + TAPIR_STAT_HEADER + cpu * tapir_stat_stride(desc));

	if (desc->min_max) {
		u64 generation = __atomic_load_n(&slots->word[0], __ATOMIC_RELAXED);
		u64 *own = &slot[tapir_slot_generation(desc)];

		if (TAPIR_UNLIKELY(__atomic_load_n(own, __ATOMIC_RELAXED) != generation))
			tapir_stat_new_generation(slot, own, generation);
	}
	tapir_slot_add_weighted(slot, desc, value, weight);
	if (tapir_stat_guarded(desc))
		tapir_stat_add_guarded(slots, desc, cpu, value);
}

static inline void tapir_stat_add(struct tapir_stat_slot *slots, const struct tapir_stat_desc *desc, u32 cpu, s64 value)
{
	tapir_stat_add_weighted(slots, desc, cpu, value, 1);
}

#endif
