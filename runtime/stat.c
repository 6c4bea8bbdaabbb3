// SPDX-License-Identifier: GPL-2.0-or-later
/* Statistics: what is not inlined of adding, and merging, clearing and the extractors. */
#include <tapir/tapir.h>
#include "handler.h"

static inline u64 load(const u64 *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/* ---- layout of a scalar ---- */

static inline u64 *scalar_slot(const struct tapir_stat_slot *slots, const struct tapir_stat_desc *desc, u32 cpu)
{
	return (u64 *)((char *)slots + TAPIR_STAT_HEADER + cpu * tapir_stat_stride(desc));
}

static inline u64 *scalar_base(const struct tapir_stat_slot *slots, const struct tapir_stat_desc *desc, u32 cpu)
{
	return scalar_slot(slots, desc, tapir_port_ncpus() + cpu);
}

struct tapir_lock *tapir_stat_lock(struct tapir_stat_slot *slots, const struct tapir_stat_desc *desc, u32 cpu)
{
	if (!desc->variance)
		return NULL;
	return (struct tapir_lock *)&scalar_slot(slots, desc, cpu)[tapir_slot_lock(desc)];
}

/* ---- adding ---- */

/*
 * The first sample of this CPU after `delete`: forgets the old minimum and maximum. An NMI may do the same in between; then the
 * words have changed and its values stay.
 */
void tapir_stat_new_generation(u64 *slot, u64 *slot_generation, u64 generation)
{
	u64 flags = tapir_port_irq_save();
	u64 min = load(&slot[TAPIR_SLOT_MIN]), max = load(&slot[TAPIR_SLOT_MAX]);

	if (load(slot_generation) != generation) {
		tapir_percpu_cmpxchg(&slot[TAPIR_SLOT_MIN], &min, 0);
		tapir_percpu_cmpxchg(&slot[TAPIR_SLOT_MAX], &max, 0);
		__atomic_store_n(slot_generation, generation, __ATOMIC_RELEASE);
	}
	tapir_port_irq_restore(flags);
}

enum { VARIANCE_N, VARIANCE_MEAN, VARIANCE_M2, VARIANCE_LOST };

/* Welford's method in integers: mean and sum of squared distances of the samples, scaled by 2^shift. */
void tapir_slot_variance_add(u64 *state, const struct tapir_stat_desc *desc, s64 value)
{
	u64 scaled = (u64)value << desc->variance_shift;
	u64 delta = scaled - state[VARIANCE_MEAN];

	state[VARIANCE_N]++;
	state[VARIANCE_MEAN] += (u64)((s64)delta / (s64)state[VARIANCE_N]);
	state[VARIANCE_M2] += delta * (scaled - state[VARIANCE_MEAN]);
}

void tapir_stat_add_variance(u64 *slot, const struct tapir_stat_desc *desc, s64 value)
{
	struct tapir_lock *lock = (struct tapir_lock *)&slot[tapir_slot_lock(desc)];
	u64 *state = &slot[tapir_slot_variance(desc)];
	u64 flags = tapir_port_irq_save();

	/* Readers hold it for a moment; only an NMI over another sample of this CPU cannot have it. */
	if (tapir_port_trylock(lock)) {
		tapir_slot_variance_add(state, desc, value);
		tapir_port_unlock(lock);
	} else {
		tapir_percpu_add(&state[VARIANCE_LOST], 1);
	}
	tapir_port_irq_restore(flags);
}

/* ---- merging ---- */

void tapir_sum_init(struct tapir_stat_sum *out, const struct tapir_stat_desc *desc)
{
	u32 i;

	out->count = 0;
	out->sum = 0;
	out->min = 0x7fffffffffffffffll;
	out->max = -0x7fffffffffffffffll - 1;
	out->variance = 0;
	out->desc = desc;
	out->lost = 0;
	out->nbuckets = tapir_stat_buckets(desc);
	for (i = 0; i < out->nbuckets; i++)
		out->buckets[i] = 0;
}

static inline u64 since(const u64 *slot, const u64 *base, u32 i)
{
	return base ? load(&slot[i]) - base[i] : load(&slot[i]);
}

void tapir_sum_add(struct tapir_stat_sum *out, const u64 *slot, const u64 *base, bool min_max_valid)
{
	u32 first = tapir_slot_buckets(out->desc), i;

	out->count = (s64)((u64)out->count + since(slot, base, TAPIR_SLOT_COUNT));
	out->sum = (s64)((u64)out->sum + since(slot, base, TAPIR_SLOT_SUM));
	if (out->desc->min_max && min_max_valid) {
		s64 min = (s64)(0x7fffffffffffffffull - load(&slot[TAPIR_SLOT_MIN]));
		s64 max = (s64)(load(&slot[TAPIR_SLOT_MAX]) - 0x8000000000000000ull);

		if (min < out->min)
			out->min = min;
		if (max > out->max)
			out->max = max;
	}
	for (i = 0; i < out->nbuckets; i++)
		out->buckets[i] += since(slot, base, first + i);
}

/*
 * The variance of everything from those of its parts: the parts' own squared distances, and those of their means from the mean of
 * everything.
 */
void tapir_sum_variance(struct tapir_stat_sum *out, const u64 *slot, struct tapir_lock *lock)
{
	const u64 *state = &slot[tapir_slot_variance(out->desc)];
	u64 flags = tapir_port_irq_save();
	bool locked = tapir_port_trylock(lock);
	s64 n = (s64)state[VARIANCE_N];
	s64 mean = (s64)state[VARIANCE_MEAN];
	s64 m2 = (s64)state[VARIANCE_M2];
	u64 distance;

	out->lost += load(&state[VARIANCE_LOST]);
	if (locked)
		tapir_port_unlock(lock);
	tapir_port_irq_restore(flags);
	if (n < 1 || out->count == 0)
		return;
	distance = (u64)mean - (u64)((s64)((u64)out->sum << out->desc->variance_shift) / out->count);
	out->variance = (s64)((u64)out->variance + (u64)n * distance * distance);
	if (n > 1)
		out->variance = (s64)((u64)out->variance + (u64)(n - 1) * (u64)(m2 / (n - 1)));
}

void tapir_sum_finish(struct tapir_stat_sum *out)
{
	if (out->count != 0 && out->min > out->max)
		/* Read between the count and the minimum of a first sample. */
		out->min = out->max = out->sum / out->count;
	if (!out->desc->variance)
		return;
	if (out->count < 2)
		out->variance = 0;
	else
		out->variance = out->variance / (out->count - 1) >> (2 * out->desc->variance_shift & 63);
	if (2 * out->desc->variance_shift > 63)
		out->variance = 0;
}

void tapir_stat_read(const struct tapir_stat_slot *slots, const struct tapir_stat_desc *desc, struct tapir_stat_sum *out)
{
	u64 generation = load(&slots->word[0]);
	u32 ncpus = tapir_port_ncpus(), cpu;

	tapir_sum_init(out, desc);
	for (cpu = 0; cpu < ncpus; cpu++) {
		const u64 *slot = scalar_slot(slots, desc, cpu);
		bool valid = desc->min_max && load(&slot[tapir_slot_generation(desc)]) == generation;

		tapir_sum_add(out, slot, scalar_base(slots, desc, cpu), valid);
	}
	for (cpu = 0; desc->variance && cpu < ncpus; cpu++)
		tapir_sum_variance(out, scalar_slot(slots, desc, cpu), tapir_stat_lock((struct tapir_stat_slot *)slots, desc, cpu));
	tapir_sum_finish(out);
}

static void clear_variance(struct tapir_stat_slot *slots, const struct tapir_stat_desc *desc, u32 cpu)
{
	struct tapir_lock *lock = tapir_stat_lock(slots, desc, cpu);
	u64 flags = tapir_port_irq_save();

	tapir_port_lock(lock);
	__builtin_memset(&scalar_slot(slots, desc, cpu)[tapir_slot_variance(desc)], 0, TAPIR_VARIANCE_WORDS * sizeof(u64));
	tapir_port_unlock(lock);
	tapir_port_irq_restore(flags);
}

void tapir_stat_clear(struct tapir_stat_slot *slots, const struct tapir_stat_desc *desc)
{
	u32 ncpus = tapir_port_ncpus(), words = tapir_slot_words(desc), cpu, i;

	__atomic_store_n(&slots->word[0], slots->word[0] + 1, __ATOMIC_RELEASE);
	for (cpu = 0; cpu < ncpus; cpu++) {
		const u64 *slot = scalar_slot(slots, desc, cpu);
		u64 *base = scalar_base(slots, desc, cpu);

		for (i = 0; i < words; i++)
			base[i] = load(&slot[i]);
		if (desc->variance)
			clear_variance(slots, desc, cpu);
	}
}

struct tapir_stat_slot *tapir_stat_create(const struct tapir_stat_desc *desc, u32 ncpus)
{
	return tapir_port_alloc(TAPIR_STAT_HEADER + 2 * (u64)ncpus * tapir_stat_stride(desc));
}

void tapir_stat_destroy(struct tapir_stat_slot *slots)
{
	tapir_port_free(slots);
}

/* ---- extractors ---- */

static bool is_empty(struct tapir_ctx *c, const struct tapir_stat_sum *s, const struct tapir_site *site)
{
	if (s->count != 0)
		return false;
	tapir_error(c, site, "empty aggregate");
	return true;
}

s64 tapir_stat_min(struct tapir_ctx *c, const struct tapir_stat_sum *s, const struct tapir_site *site)
{
	return is_empty(c, s, site) ? 0 : s->min;
}

s64 tapir_stat_max(struct tapir_ctx *c, const struct tapir_stat_sum *s, const struct tapir_site *site)
{
	return is_empty(c, s, site) ? 0 : s->max;
}

s64 tapir_stat_avg(struct tapir_ctx *c, const struct tapir_stat_sum *s, const struct tapir_site *site)
{
	return is_empty(c, s, site) ? 0 : s->sum / s->count;
}

s64 tapir_stat_variance(struct tapir_ctx *c, const struct tapir_stat_sum *s, const struct tapir_site *site)
{
	if (is_empty(c, s, site))
		return 0;
	if (s->lost)
		tapir_warnf(c, "@variance does not contain %llu samples taken in NMI context", (unsigned long long)s->lost);
	return s->variance;
}
