// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sorting the nodes of an array, or finding the first few in an order. Nodes are many and handlers have little time: so long lists
 * are sorted in as many walks as their keys have bytes that differ. Units are charged before each of them.
 */
#include "map_internal.h"

static s64 stat_key(const struct tapir_map *m, const struct tapir_node *node, u32 slots, u32 by)
{
	static const u16 merged[] = {0};
	const u16 *cpus = merged;
	u32 n = slots < m->ncpus ? 1 : tapir_port_processors(&cpus), i;
	s64 sum = 0, count = 0;
	u64 min = 0, max = 0;

	for (i = 0; i < n; i++) {
		const u64 *slot = tapir_node_slot(m, node, cpus[i]);

		count = (s64)((u64)count + __atomic_load_n(&slot[TAPIR_SLOT_COUNT], __ATOMIC_RELAXED));
		sum = (s64)((u64)sum + __atomic_load_n(&slot[TAPIR_SLOT_SUM], __ATOMIC_RELAXED));
		if (m->stat->min_max && slot[TAPIR_SLOT_MIN] > min)
			min = slot[TAPIR_SLOT_MIN];
		if (m->stat->min_max && slot[TAPIR_SLOT_MAX] > max)
			max = slot[TAPIR_SLOT_MAX];
	}
	switch (by) {
	case TAPIR_SORT_SUM:
		return sum;
	case TAPIR_SORT_AVG:
		return count ? sum / count : 0;
	case TAPIR_SORT_MIN:
		return (s64)(0x7fffffffffffffffull - min);
	case TAPIR_SORT_MAX:
		return (s64)(max - 0x8000000000000000ull);
	default:
		return count;
	}
}

#define BY_NUMBER -2
#define BY_VALUE  -1

struct order {
	const struct tapir_map *m;
	int string; /* the key whose strings are compared, BY_VALUE: the values' strings, BY_NUMBER: numbers */
	u32 value_at;
	bool descending;
	bool stat;
	u8 by;	   /* enum tapir_sort_stat */
	u32 slots; /* of a statistic, and as many as are merged */
	u32 merged;

	/* The cost of looking at a node's key: `elements` elements of `work` each. */
	u32 elements;
	u64 work;

	/* The handler that sorts, and how far it is. */
	struct tapir_ctx *c;
	const struct tapir_site *site;
	u64 margin; /* ns for an orderly end */
	u32 steps;
};

/* Counts elements that are looked at; each takes `work`. Returns false after raising an error; the rest is to stay as it
 * is. */
static inline bool step(struct order *o, u32 elements, u64 work)
{
	o->steps += elements;
	if (TAPIR_LIKELY(o->steps < TAPIR_LOOK_ELEMENTS))
		return true;
	o->steps = 0;
	return tapir_go_on(o->c, work, o->margin, o->site);
}

static inline bool afford(const struct order *o, u64 elements)
{
	return tapir_afford(o->c, elements / TAPIR_WALK_ELEMENTS, o->site);
}

static const char *string_of(const struct order *o, const struct tapir_node *node)
{
	return o->string == BY_VALUE ? tapir_node_at(node, o->value_at) : tapir_node_string(o->m, node, (u32)o->string);
}

/* Does a come after b? Equal elements stay as they are. The keys are theirs, if these are numbers. */
static inline bool comes_after(const struct order *o, const struct tapir_node *a, s64 a_key, const struct tapir_node *b, s64 b_key)
{
	s64 difference;

	if (o->string == BY_NUMBER)
		return o->descending ? a_key < b_key : a_key > b_key;
	difference = tapir_str_compare(string_of(o, a), string_of(o, b), o->m->string_cap);
	return o->descending ? difference < 0 : difference > 0;
}

/* ---- short lists, and strings that begin alike: merge sort, without recursion or memory ---- */

/* Cuts the list behind its first n nodes; *rest is the part behind them. */
static struct tapir_node *take_run(struct tapir_node *list, u32 n, struct tapir_node **rest)
{
	struct tapir_node *node = list;

	while (node && --n)
		node = node->next;
	if (node) {
		*rest = node->next;
		node->next = NULL;
	} else {
		*rest = NULL;
	}
	return list;
}

static struct tapir_node **end_of(struct tapir_node **link)
{
	while (*link)
		link = &(*link)->next;
	return link;
}

static struct tapir_node **merge(struct order *o, struct tapir_node *a, struct tapir_node *b, struct tapir_node **link)
{
	while (a && b && step(o, 1, TAPIR_WORK_ELEMENT)) {
		if (comes_after(o, a, a->u.sort_key, b, b->u.sort_key)) {
			*link = b;
			link = &b->next;
			b = b->next;
		} else {
			*link = a;
			link = &a->next;
			a = a->next;
		}
	}
	*link = a;
	link = end_of(link);
	*link = b;
	return end_of(link);
}

static struct tapir_node *merge_sort(struct order *o, struct tapir_node *list, u32 count)
{
	u32 run;

	for (run = 1; run < count; run *= 2) {
		struct tapir_node *rest = list, **link = &list;

		while (rest && !o->c->failed) {
			struct tapir_node *a = take_run(rest, run, &rest);
			struct tapir_node *b = rest ? take_run(rest, run, &rest) : NULL;

			link = merge(o, a, b, link);
		}
		*link = rest;
		if (o->c->failed || run > 0x7fffffffu)
			break;
	}
	return list;
}

/* ---- long lists, by a number: one byte of it at a time, from the lowest on ---- */

/* Shorter lists are merged. */
#define RADIX_FROM 256u
#define DIGITS	   256u

struct digit {
	struct tapir_node *first, **link;
};
_Static_assert(DIGITS * sizeof(struct digit) <= TAPIR_SCRATCH_BYTES, "digits are kept in the scratch memory");

/* Puts the nodes in the order of the byte at `shift`; `flip` makes it one of a number with a sign. */
static struct tapir_node *radix_pass(struct order *o, struct tapir_node *list, u32 shift, u32 flip)
{
	struct digit *digits = o->c->scratch;
	struct tapir_node *node, **link = &list;
	u32 i;

	for (i = 0; i < DIGITS; i++)
		digits[i].link = &digits[i].first;
	for (node = list; node && step(o, 1, TAPIR_WORK_LINKED); node = node->next) {
		struct digit *d = &digits[((u32)((u64)node->u.sort_key >> shift) & (DIGITS - 1)) ^ flip];

		*d->link = node;
		d->link = &node->next;
	}
	for (i = 0; i < DIGITS; i++) {
		struct digit *d = &digits[o->descending ? DIGITS - 1 - i : i];

		if (d->link == &d->first)
			continue;
		*link = d->first;
		link = d->link;
	}
	*link = node;
	return list;
}

/* `differing` has the bits in which the keys differ. */
static struct tapir_node *radix_sort(struct order *o, struct tapir_node *list, u32 count, u64 differing, u32 sign)
{
	u32 shift;

	for (shift = 0; shift < 64 && differing >> shift; shift += 8) {
		if (!(differing >> shift & (DIGITS - 1)))
			continue;
		if (!afford(o, count))
			break;
		list = radix_pass(o, list, shift, shift == 56 ? sign : 0);
		if (o->c->failed)
			break;
	}
	return list;
}

static void order_by(const struct tapir_map *m, const struct tapir_foreach *spec, u32 slots, struct order *o)
{
	u32 type = spec->column ? m->desc->key_types[spec->column - 1] : m->desc->value_type;
	const u16 *cpus;

	o->m = m;
	o->value_at = spec->column ? m->key_at[spec->column - 1] : m->value_at; /* 0 for a number */
	o->descending = spec->sort == TAPIR_SORT_DESCENDING;
	o->string = type == TAPIR_STRING ? (int)spec->column - 1 : BY_NUMBER;
	o->stat = type == TAPIR_STAT;
	o->by = spec->stat;
	o->slots = slots;
	o->merged = slots < m->ncpus ? 1 : tapir_port_processors(&cpus);
	o->elements = o->stat ? o->merged : 1;
	o->work = o->string == BY_NUMBER && !o->stat ? TAPIR_WORK_LINKED : TAPIR_WORK_ELEMENT;
}

/* Returns a node's sort key, if that is a number. */
static s64 number_of(const struct tapir_map *m, const struct order *o, const struct tapir_node *node)
{
	return o->stat ? stat_key(m, node, o->slots, o->by) : *(s64 *)tapir_node_at(node, o->value_at);
}

static struct tapir_node *sort_numbers(struct order *o, struct tapir_node *list, u32 count)
{
	struct tapir_node *node;
	u64 differing = 0, first;

	if (!afford(o, o->stat ? (u64)count * (o->merged + 1) : count))
		return list;
	first = (u64)number_of(o->m, o, list);
	for (node = list; node && step(o, o->elements, o->work); node = node->next) {
		node->u.sort_key = number_of(o->m, o, node);
		differing |= (u64)node->u.sort_key ^ first;
	}
	if (o->c->failed || !differing)
		return list;
	return count < RADIX_FROM ? merge_sort(o, list, count) : radix_sort(o, list, count, differing, 0x80);
}

/* ---- strings: by eight bytes as a number, then those that are alike in these are merged ---- */

/* So many bytes may all strings begin with alike, before their order is found by merging. */
#define ALIKE_BYTES 128u

/* Eight bytes of a string that has no end before them, in the order of strings. */
static u64 word_of(const struct order *o, const struct tapir_node *node, u32 at, bool *last)
{
	*last = false;
	return __builtin_bswap64(tapir_key_word(string_of(o, node), at, o->m->string_cap, last));
}

/* Words of all nodes from byte `at` on become their keys; returns where they differ. `last`: the first string ends there. */
static u64 take_words(struct order *o, struct tapir_node *list, u32 count, u32 at, bool *last)
{
	struct tapir_node *node;
	u64 differing = 0, first;
	bool ends;

	if (!afford(o, 4 * (u64)count))
		return 0;
	first = word_of(o, list, at, last);
	for (node = list; node && step(o, 1, TAPIR_WORK_ELEMENT); node = node->next) {
		u64 word = word_of(o, node, at, &ends);

		node->u.sort_key = (s64)word;
		differing |= word ^ first;
	}
	return differing;
}

static u32 log2_of(u32 n)
{
	return 32 - (u32)__builtin_clz(n);
}

/* Sorts the stretches of nodes that have the same key, and no end in it. */
static struct tapir_node *sort_alike(struct order *o, struct tapir_node *list)
{
	struct tapir_node **link = &list, *first, *rest;

	while ((first = *link) && !o->c->failed) {
		struct tapir_node *node = first;
		u32 count = 1;

		for (; node->next && node->next->u.sort_key == first->u.sort_key && step(o, 1, TAPIR_WORK_LINKED); count++)
			node = node->next;
		/* The byte that ends a string is the lowest one of its last word. */
		if (count == 1 || !(first->u.sort_key & 0xff) || o->c->failed) {
			link = &node->next;
			continue;
		}
		if (!afford(o, 4 * (u64)count * log2_of(count)))
			break;
		rest = node->next;
		node->next = NULL;
		*link = merge_sort(o, first, count);
		link = end_of(link);
		*link = rest;
	}
	return list;
}

static struct tapir_node *sort_strings(struct order *o, struct tapir_node *list, u32 count)
{
	u64 differing = 0;
	bool last = false;
	u32 at;

	if (count < RADIX_FROM)
		return merge_sort(o, list, count);
	for (at = 0; !last && !differing && at < ALIKE_BYTES && !o->c->failed; at += 8)
		differing = take_words(o, list, count, at, &last);
	if (differing && !o->c->failed)
		list = radix_sort(o, list, count, differing, 0);
	/* A string that ends where others continue makes these differ. */
	return o->c->failed || (last && !differing) ? list : sort_alike(o, list);
}

/* Cost of an orderly end for each element: it learns its predecessor. */
#define RESTORE_NS 8u

struct tapir_node *tapir_map_sort(struct tapir_ctx *c, const struct tapir_map *m, const struct tapir_foreach *spec,
				  struct tapir_node *list, u32 count, u32 slots, const struct tapir_site *site)
{
	struct order o;

	if (count < 2)
		return list;
	order_by(m, spec, slots, &o);
	o.c = c;
	o.site = site;
	o.margin = (u64)count * RESTORE_NS;
	o.steps = 0;
	return o.string == BY_NUMBER ? sort_numbers(&o, list, count) : sort_strings(&o, list, count);
}

/* ---- the first few in an order ---- */

u32 tapir_map_select(struct tapir_ctx *c, const struct tapir_map *m, const struct tapir_foreach *spec, u32 limit,
		     const union tapir_val *slice, struct tapir_node **first, const struct tapir_site *site)
{
	s64 keys[TAPIR_SELECT_MAX];
	struct tapir_node *node;
	struct order o;
	u32 count = 0, at;

	order_by(m, spec, m->ncpus, &o);
	if (!tapir_afford(c, (u64)m->count * (o.stat ? o.merged : 1) / (slice ? TAPIR_MATCH_ELEMENTS : TAPIR_WALK_ELEMENTS), site))
		return 0;
	o.c = c;
	o.site = site;
	o.margin = 0;
	o.steps = 0;
	for (node = m->head; node && step(&o, o.elements, o.work); node = node->next) {
		s64 key = o.string == BY_NUMBER ? number_of(m, &o, node) : 0;

		if (count == limit && !comes_after(&o, first[count - 1], keys[count - 1], node, key))
			continue;
		if (slice && spec->slice_mask && !tapir_node_matches(m, node, slice, spec->slice_mask))
			continue;
		if (count < limit)
			count++;
		for (at = count - 1; at && comes_after(&o, first[at - 1], keys[at - 1], node, key); at--) {
			first[at] = first[at - 1];
			keys[at] = keys[at - 1];
		}
		first[at] = node;
		keys[at] = key;
	}
	return count;
}
