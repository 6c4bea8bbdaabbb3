// SPDX-License-Identifier: GPL-2.0-or-later
/* foreach: sorting and walking an array's list. */
#include "map_internal.h"

static s64 stat_key(const struct tapir_map *m, const struct tapir_node *node, u32 by)
{
	s64 sum = 0, count = 0;
	u64 min = 0, max = 0;
	u32 cpu;

	for (cpu = 0; cpu < m->ncpus; cpu++) {
		const u64 *slot = tapir_node_slot(m, node, cpu);

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

struct order {
	u32 string_at; /* byte offset of the strings to compare, or ~0u: by sort_key */
	u32 string_cap;
	bool descending;
};

/* Does a come after b? Equal elements stay as they are. */
static inline bool after(const struct order *o, const struct tapir_node *a, const struct tapir_node *b)
{
	s64 difference;

	if (o->string_at == ~0u) {
		if (o->descending)
			return a->u.sort_key < b->u.sort_key;
		return a->u.sort_key > b->u.sort_key;
	}
	difference = tapir_str_compare(tapir_node_at(a, o->string_at), tapir_node_at(b, o->string_at), o->string_cap);
	return o->descending ? difference < 0 : difference > 0;
}

/* Cuts the list behind its first n nodes; *rest is what was cut off. */
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

static struct tapir_node **merge(const struct order *o, struct tapir_node *a, struct tapir_node *b, struct tapir_node **link)
{
	while (a && b) {
		if (after(o, a, b)) {
			*link = b;
			link = &b->next;
			b = b->next;
		} else {
			*link = a;
			link = &a->next;
			a = a->next;
		}
	}
	*link = a ? a : b;
	while (*link)
		link = &(*link)->next;
	return link;
}

/* Bottom-up merge sort of the list: stable, no recursion, no memory. */
static struct tapir_node *sort_list(const struct order *o, struct tapir_node *list, u32 count)
{
	u32 run;

	for (run = 1; run < count; run *= 2) {
		struct tapir_node *rest = list, **link = &list;

		while (rest) {
			struct tapir_node *a = take_run(rest, run, &rest);
			struct tapir_node *b = rest ? take_run(rest, run, &rest) : NULL;

			link = merge(o, a, b, link);
		}
		if (run > 0x7fffffffu)
			break;
	}
	return list;
}

static void prepare(struct tapir_map *m, const struct tapir_foreach *spec, struct order *o)
{
	struct tapir_node *node;
	u32 type = spec->column ? m->desc->key_types[spec->column - 1] : m->desc->value_type;
	u32 at = spec->column ? m->key_at[spec->column - 1] : m->value_at; /* 0 for a number */

	o->descending = spec->sort == TAPIR_SORT_DESCENDING;
	o->string_cap = m->string_cap;
	o->string_at = type == TAPIR_STRING ? at : ~0u;
	if (type == TAPIR_STRING)
		return;
	for (node = m->head; node; node = node->next)
		node->u.sort_key = type == TAPIR_STAT ? stat_key(m, node, spec->stat) : *(s64 *)tapir_node_at(node, at);
}

void tapir_map_sort(struct tapir_map *m, const struct tapir_foreach *spec)
{
	u64 flags = tapir_map_freeze(m, false);
	struct tapir_node *node, *prev = NULL;
	struct order o;

	prepare(m, spec, &o);
	m->head = sort_list(&o, m->head, m->count);
	for (node = m->head; node; node = node->next) {
		node->u.prev = prev;
		prev = node;
	}
	m->tail = prev;
	tapir_map_thaw(m, false, flags);
}

void tapir_foreach_begin(struct tapir_iter *it, struct tapir_map *m, const struct tapir_foreach *spec, s64 limit,
			 const union tapir_val *slice)
{
	u32 i;

	it->map = m;
	it->node = NULL;
	it->left = spec->has_limit ? limit : 0x7fffffffffffffffll;
	it->slice_mask = slice ? spec->slice_mask : 0;
	for (i = 0; slice && i < m->nkeys; i++)
		it->slice[i] = slice[i];
	if (spec->sort != TAPIR_SORT_NONE && it->left > 0)
		tapir_map_sort(m, spec);
	it->next = __atomic_load_n(&m->head, __ATOMIC_ACQUIRE);
}

bool tapir_foreach_next(struct tapir_iter *it)
{
	struct tapir_node *node = it->next;

	if (it->node)
		node = __atomic_load_n(&((struct tapir_node *)it->node)->next, __ATOMIC_ACQUIRE);
	if (it->left <= 0)
		return false;
	while (node && it->slice_mask && !tapir_node_matches(it->map, node, it->slice, it->slice_mask))
		node = __atomic_load_n(&node->next, __ATOMIC_ACQUIRE);
	if (!node)
		return false;
	it->node = node;
	it->left--;
	return true;
}

s64 tapir_foreach_key_long(const struct tapir_iter *it, u32 key)
{
	return *(s64 *)tapir_node_at(it->node, it->map->key_at[key]);
}

const char *tapir_foreach_key_string(const struct tapir_iter *it, u32 key)
{
	return tapir_node_at(it->node, it->map->key_at[key]);
}

s64 tapir_foreach_value_long(const struct tapir_iter *it)
{
	return *(s64 *)tapir_node_at(it->node, it->map->value_at);
}

const char *tapir_foreach_value_string(const struct tapir_iter *it)
{
	return tapir_node_at(it->node, it->map->value_at);
}

void tapir_foreach_value_stat(const struct tapir_iter *it, struct tapir_stat_sum *out)
{
	tapir_node_sum(it->map, it->node, out);
}
