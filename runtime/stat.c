// SPDX-License-Identifier: GPL-2.0-or-later
/* Statistics: the parts of adding that are not inlined, and merging, clearing and the extractors. */
#include <tapir/tapir.h>
#include "handler.h"
#include "sketch.h"

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

static inline struct tapir_sketch **scalar_sketch(const struct tapir_stat_slot *slots)
{
	return (struct tapir_sketch **)((char *)slots + sizeof(u64));
}

struct tapir_lock *tapir_stat_lock(struct tapir_stat_slot *slots, const struct tapir_stat_desc *desc, u32 cpu)
{
	if (!tapir_stat_guarded(desc))
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

/* ---- the variance: numbers of several words, the least significant one first ---- */

typedef unsigned __int128 tapir_stat_wide;

#define VARIANCE_N	 0
#define VARIANCE_SUM	 1 /* 128 bits, two's complement */
#define VARIANCE_SQUARES 3 /* 192 bits: 2^64 squares of 126 bits */
#define VARIANCE_LOST	 TAPIR_MOMENT_WORDS

static void add_words(u64 *to, const u64 *words, u32 count)
{
	tapir_stat_wide carry = 0;
	u32 i;

	for (i = 0; i < count; i++) {
		carry += (tapir_stat_wide)to[i] + words[i];
		to[i] = (u64)carry;
		carry >>= 64;
	}
}

static void add_moments(u64 *to, const u64 *moments)
{
	to[VARIANCE_N] += moments[VARIANCE_N];
	add_words(&to[VARIANCE_SUM], &moments[VARIANCE_SUM], 2);
	add_words(&to[VARIANCE_SQUARES], &moments[VARIANCE_SQUARES], 3);
}

void tapir_slot_variance_add(u64 *state, s64 value)
{
	u64 distance = value < 0 ? 0 - (u64)value : (u64)value;
	tapir_stat_wide square = (tapir_stat_wide)distance * distance;
	u64 moments[TAPIR_MOMENT_WORDS] = {1, (u64)value, value < 0 ? ~(u64)0 : 0, (u64)square, (u64)(square >> 64), 0};

	add_moments(state, moments);
}

/* to[0..3] = a[0..na-1] * b[0..nb-1]; na + nb is at most 4. */
static void multiply_words(u64 *to, const u64 *a, u32 na, const u64 *b, u32 nb)
{
	u32 i, j;

	for (i = 0; i < 4; i++)
		to[i] = 0;
	for (i = 0; i < na; i++) {
		tapir_stat_wide carry = 0;

		for (j = 0; j < nb; j++) {
			carry += (tapir_stat_wide)a[i] * b[j] + to[i + j];
			to[i + j] = (u64)carry;
			carry >>= 64;
		}
		to[i + nb] = (u64)carry;
	}
}

/* from -= by << shift, if that is not negative; `by` has 128 bits, `shift` is below 64. */
static bool take_words(u64 *from, const u64 *by, u32 shift)
{
	u64 words[4] = {by[0] << shift, by[1] << shift, 0, 0}, rest[4];
	tapir_stat_wide borrow = 0;
	u32 i;

	if (shift) {
		words[1] |= by[0] >> (64 - shift);
		words[2] = by[1] >> (64 - shift);
	}
	for (i = 0; i < 4; i++) {
		borrow = (tapir_stat_wide)from[i] - words[i] - borrow;
		rest[i] = (u64)borrow;
		borrow = borrow >> 64 & 1;
	}
	if (borrow)
		return false;
	for (i = 0; i < 4; i++)
		from[i] = rest[i];
	return true;
}

/* (n * sum of squares - sum^2) / (n * (n - 1)), the greatest number at most. Exact: all of it fits 256 bits. */
static s64 variance_of(const u64 *moments)
{
	u64 n = moments[VARIANCE_N], divisor[4], product[4], square[4], sum[2] = {moments[VARIANCE_SUM], moments[VARIANCE_SUM + 1]};
	u64 minus_one = n - 1, result = 0;
	tapir_stat_wide borrow = 0;
	u32 i;

	if (n < 2)
		return 0;
	if (sum[1] >> 63) {
		sum[0] = 0 - sum[0];
		sum[1] = ~sum[1] + !sum[0];
	}
	multiply_words(product, &moments[VARIANCE_SQUARES], 3, &n, 1);
	multiply_words(square, sum, 2, sum, 2);
	multiply_words(divisor, &n, 1, &minus_one, 1);
	for (i = 0; i < 4; i++) {
		borrow = (tapir_stat_wide)product[i] - square[i] - borrow;
		product[i] = (u64)borrow;
		borrow = borrow >> 64 & 1;
	}
	if (borrow) /* the parts were read while one of them changed */
		return 0;
	if (take_words(product, divisor, 63))
		return 0x7fffffffffffffffll;
	for (i = 63; i-- > 0;)
		if (take_words(product, divisor, i))
			result |= (u64)1 << i;
	return (s64)result;
}

void tapir_stat_add_guarded(struct tapir_stat_slot *slots, const struct tapir_stat_desc *desc, u32 cpu, s64 value)
{
	u64 *slot = scalar_slot(slots, desc, cpu), *state = &slot[tapir_slot_variance(desc)];
	struct tapir_lock *lock = (struct tapir_lock *)&slot[tapir_slot_lock(desc)];
	u64 flags = tapir_port_irq_save();

	/* Readers hold it for a moment; only an NMI over another sample of this CPU cannot have it. */
	if (tapir_port_trylock(lock)) {
		if (desc->variance)
			tapir_slot_variance_add(state, value);
		if (desc->sketch)
			tapir_sketch_add(*scalar_sketch(slots), 0, cpu, value);
		tapir_port_unlock(lock);
	} else {
		if (desc->variance)
			tapir_percpu_add(&state[VARIANCE_LOST], 1);
		if (desc->sketch)
			tapir_sketch_miss(*scalar_sketch(slots), 0, cpu);
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
	for (i = 0; i < TAPIR_MOMENT_WORDS; i++)
		out->moments[i] = 0;
	out->desc = desc;
	out->sketch = NULL;
	out->entry = 0;
	out->lost = 0;
	out->hist = NULL;
	out->buckets = NULL;
}

void tapir_sum_want(struct tapir_stat_sum *out, const struct tapir_hist_desc *hist, u64 *buckets)
{
	u32 i;

	out->hist = hist;
	out->buckets = buckets;
	for (i = 0; i < hist->buckets; i++)
		buckets[i] = 0;
}

static inline u64 since(const u64 *slot, const u64 *base, u32 i)
{
	return base ? load(&slot[i]) - base[i] : load(&slot[i]);
}

void tapir_sum_add(struct tapir_stat_sum *out, const u64 *slot, const u64 *base, bool min_max_valid)
{
	u32 first, i;

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
	if (!out->hist)
		return;
	first = tapir_slot_buckets(out->desc) + out->hist->first;
	for (i = 0; i < out->hist->buckets; i++)
		out->buckets[i] += since(slot, base, first + i);
}

void tapir_sum_variance(struct tapir_stat_sum *out, const u64 *slot, struct tapir_lock *lock)
{
	const u64 *state = &slot[tapir_slot_variance(out->desc)];
	u64 flags = tapir_port_irq_save();
	bool locked = tapir_port_trylock(lock);

	add_moments(out->moments, state);
	out->lost += load(&state[VARIANCE_LOST]);
	if (locked)
		tapir_port_unlock(lock);
	tapir_port_irq_restore(flags);
}

void tapir_sum_finish(struct tapir_stat_sum *out)
{
	if (out->count != 0 && out->min > out->max)
		/* Read between the count and the minimum of a first sample. */
		out->min = out->max = out->sum / out->count;
	if (out->desc->variance)
		out->variance = variance_of(out->moments);
}

static void merge(const struct tapir_stat_slot *slots, const struct tapir_stat_desc *desc, struct tapir_stat_sum *out)
{
	u64 generation = load(&slots->word[0]);
	const u16 *cpus;
	u32 count = tapir_port_processors(&cpus), i;

	for (i = 0; i < count; i++) {
		const u64 *slot = scalar_slot(slots, desc, cpus[i]);
		bool valid = desc->min_max && load(&slot[tapir_slot_generation(desc)]) == generation;

		tapir_sum_add(out, slot, scalar_base(slots, desc, cpus[i]), valid);
	}
	for (i = 0; desc->variance && i < count; i++)
		tapir_sum_variance(out, scalar_slot(slots, desc, cpus[i]),
				   tapir_stat_lock((struct tapir_stat_slot *)slots, desc, cpus[i]));
	out->sketch = *scalar_sketch(slots);
	tapir_sum_finish(out);
}

u64 tapir_merge_work(const struct tapir_stat_desc *desc, u32 buckets)
{
	const u16 *cpus;
	u64 each = TAPIR_WORK_PROCESSOR + buckets * (u64)TAPIR_WORK_WORD + (desc->variance ? 2 * TAPIR_WORK_PROCESSOR : 0);

	return tapir_port_processors(&cpus) * each + (desc->variance ? TAPIR_WORK_VARIANCE : 0);
}

u64 tapir_clear_work(const struct tapir_stat_desc *desc)
{
	return tapir_merge_work(desc, tapir_slot_words(desc) + (desc->sketch ? TAPIR_SKETCH_BLOCKS : 0));
}

void tapir_stat_read(const struct tapir_stat_slot *slots, const struct tapir_stat_desc *desc, struct tapir_stat_sum *out)
{
	tapir_sum_init(out, desc);
	merge(slots, desc, out);
}

void tapir_stat_read_hist(const struct tapir_stat_slot *slots, const struct tapir_stat_desc *desc,
			  const struct tapir_hist_desc *hist, u64 *buckets, struct tapir_stat_sum *out)
{
	tapir_sum_init(out, desc);
	tapir_sum_want(out, hist, buckets);
	merge(slots, desc, out);
}

static void clear_guarded(struct tapir_stat_slot *slots, const struct tapir_stat_desc *desc, u32 cpu)
{
	struct tapir_lock *lock = tapir_stat_lock(slots, desc, cpu);
	u64 flags = tapir_port_irq_save();

	tapir_port_lock(lock);
	if (desc->variance)
		__builtin_memset(&scalar_slot(slots, desc, cpu)[tapir_slot_variance(desc)], 0, TAPIR_VARIANCE_WORDS * sizeof(u64));
	if (desc->sketch)
		tapir_sketch_clear(*scalar_sketch(slots), 0, cpu);
	tapir_port_unlock(lock);
	tapir_port_irq_restore(flags);
}

void tapir_stat_clear(struct tapir_stat_slot *slots, const struct tapir_stat_desc *desc)
{
	const u16 *cpus;
	u32 count = tapir_port_processors(&cpus), words = tapir_slot_words(desc), n, i;

	__atomic_store_n(&slots->word[0], slots->word[0] + 1, __ATOMIC_RELEASE);
	for (n = 0; n < count; n++) {
		const u32 cpu = cpus[n];
		const u64 *slot = scalar_slot(slots, desc, cpu);
		u64 *base = scalar_base(slots, desc, cpu);

		for (i = 0; i < words; i++)
			base[i] = load(&slot[i]);
		if (tapir_stat_guarded(desc))
			clear_guarded(slots, desc, cpu);
	}
}

static u64 slots_bytes(const struct tapir_stat_desc *desc, u32 ncpus)
{
	return TAPIR_STAT_HEADER + 2 * (u64)ncpus * tapir_stat_stride(desc);
}

u64 tapir_stat_bytes(const struct tapir_stat_desc *desc, u32 ncpus)
{
	return tapir_demand_plus(slots_bytes(desc, ncpus), desc->sketch ? tapir_sketch_bytes(1, ncpus) : 0);
}

struct tapir_stat_slot *tapir_stat_create(const struct tapir_stat_desc *desc, u32 ncpus)
{
	struct tapir_stat_slot *slots = tapir_port_alloc(slots_bytes(desc, ncpus));

	if (!slots || !desc->sketch)
		return slots;
	*scalar_sketch(slots) = tapir_sketch_create(1, ncpus);
	if (*scalar_sketch(slots))
		return slots;
	tapir_port_free(slots);
	return NULL;
}

void tapir_stat_destroy(struct tapir_stat_slot *slots)
{
	if (!slots)
		return;
	tapir_sketch_destroy(*scalar_sketch(slots));
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

/* Warns of samples that the counters of @percentile do not contain. */
static void warn_of_gaps(struct tapir_ctx *c, const struct tapir_stat_sum *s)
{
	u64 missed = tapir_sketch_missed(s->sketch, s->entry), starved = tapir_sketch_starved(s->sketch, s->entry);

	if (missed)
		tapir_warnf(c, "@percentile does not contain %llu samples taken in NMI context", (unsigned long long)missed);
	if (starved)
		tapir_warnf(
		    c,
		    "@percentile does not contain %llu samples: the array's elements use all of its counters; declare the array "
		    "larger (ARRAY[N], -D MAXMAPENTRIES=N)",
		    (unsigned long long)starved);
}

s64 tapir_stat_percentile(struct tapir_ctx *c, const struct tapir_stat_sum *s, s64 part, s64 whole, const struct tapir_site *site)
{
	u64 count, rest;

	if (whole < 1 || whole > TAPIR_PERCENTILE_WHOLE) {
		tapir_errorf(c, site, "percentile: the whole must be 1 to %d, not %lld", TAPIR_PERCENTILE_WHOLE, (long long)whole);
		return 0;
	}
	if (part < 0 || part > whole) {
		tapir_errorf(c, site, "percentile must be 0 to %lld, not %lld", (long long)whole, (long long)part);
		return 0;
	}
	if (is_empty(c, s, site))
		return 0;
	tapir_work_add(c, tapir_sketch_work(s->sketch, s->entry));
	warn_of_gaps(c, s);
	count = tapir_sketch_count(s->sketch, s->entry);
	if (!count) {
		tapir_error(c, site, "empty aggregate");
		return 0;
	}
	/* count * part / whole, rounded up */
	rest = count % (u64)whole * (u64)part;
	rest = rest / (u64)whole + (rest % (u64)whole != 0);
	return tapir_sketch_at(s->sketch, s->entry, count / (u64)whole * (u64)part + rest);
}
