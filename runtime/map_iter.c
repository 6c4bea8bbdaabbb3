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

#define BY_NUMBER -2
#define BY_VALUE  -1

struct order {
	const struct tapir_map *m;
	int string; /* the key whose strings are compared, BY_VALUE: the values' strings, BY_NUMBER: numbers */
	u32 value_at;
	bool descending;
	bool stat;
	u8 by; /* enum tapir_sort_stat */
};

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

static void order_by(const struct tapir_map *m, const struct tapir_foreach *spec, struct order *o)
{
	u32 type = spec->column ? m->desc->key_types[spec->column - 1] : m->desc->value_type;

	o->m = m;
	o->value_at = spec->column ? m->key_at[spec->column - 1] : m->value_at; /* 0 for a number */
	o->descending = spec->sort == TAPIR_SORT_DESCENDING;
	o->string = type == TAPIR_STRING ? (int)spec->column - 1 : BY_NUMBER;
	o->stat = type == TAPIR_STAT;
	o->by = spec->stat;
}

/* What a node is sorted by, if that is a number. */
static s64 number_of(const struct tapir_map *m, const struct order *o, const struct tapir_node *node)
{
	return o->stat ? stat_key(m, node, o->by) : *(s64 *)tapir_node_at(node, o->value_at);
}

static struct tapir_node *sort_nodes(const struct tapir_map *m, const struct tapir_foreach *spec, struct tapir_node *list,
				     u32 count)
{
	struct tapir_node *node;
	struct order o;

	order_by(m, spec, &o);
	if (o.string == BY_NUMBER)
		for (node = list; node; node = node->next)
			node->u.sort_key = number_of(m, &o, node);
	return sort_list(&o, list, count);
}

static void sort_map(struct tapir_map *m, const struct tapir_foreach *spec)
{
	u64 flags = tapir_map_freeze(m, false);
	struct tapir_node *node, *prev = NULL;

	m->head = sort_nodes(m, spec, m->head, m->count);
	for (node = m->head; node; node = node->next) {
		node->u.prev = prev;
		prev = node;
	}
	m->tail = prev;
	tapir_map_thaw(m, false, flags);
}

/* ---- the first few in an order ---- */

u32 tapir_map_select(const struct tapir_map *m, const struct tapir_foreach *spec, u32 limit, const union tapir_val *slice,
		     struct tapir_node **first)
{
	s64 keys[TAPIR_SELECT_MAX];
	struct tapir_node *node;
	struct order o;
	u32 count = 0, at;

	order_by(m, spec, &o);
	for (node = m->head; node; node = node->next) {
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

static void bring_to_front(struct tapir_map *m, struct tapir_node *node)
{
	if (!node->u.prev)
		return;
	node->u.prev->next = node->next;
	if (node->next)
		node->next->u.prev = node->u.prev;
	else
		m->tail = node->u.prev;
	node->u.prev = NULL;
	node->next = m->head;
	m->head->u.prev = node;
	m->head = node;
}

static void select_to_front(struct tapir_map *m, const struct tapir_foreach *spec, u32 limit, const union tapir_val *slice)
{
	u64 flags = tapir_map_freeze(m, false);
	struct tapir_node *first[TAPIR_SELECT_MAX];
	u32 count = tapir_map_select(m, spec, limit, slice, first);

	while (count-- > 0)
		bring_to_front(m, first[count]);
	tapir_map_thaw(m, false, flags);
}

/* ---- loops ---- */

static void start(struct tapir_iter *it, struct tapir_map *m, const struct tapir_foreach *spec, s64 limit,
		  const union tapir_val *slice)
{
	u32 i;

	it->map = m;
	it->node = NULL;
	it->left = spec->has_limit ? limit : 0x7fffffffffffffffll;
	it->slice_mask = slice ? spec->slice_mask : 0;
	for (i = 0; slice && i < m->nkeys; i++)
		it->slice[i] = slice[i];
}

void tapir_foreach_begin(struct tapir_iter *it, struct tapir_map *m, const struct tapir_foreach *spec, s64 limit,
			 const union tapir_val *slice)
{
	start(it, m, spec, limit, slice);
	if (spec->sort != TAPIR_SORT_NONE && it->left > 0) {
		if (it->left <= TAPIR_SELECT_MAX && m->count >= TAPIR_SELECT_FROM)
			select_to_front(m, spec, (u32)it->left, slice);
		else
			sort_map(m, spec);
	}
	it->next = __atomic_load_n(&m->head, __ATOMIC_ACQUIRE);
}

void tapir_foreach_begin_snapshot(struct tapir_iter *it, struct tapir_map *m, const struct tapir_foreach *spec, s64 limit,
				  const union tapir_val *slice)
{
	start(it, m, spec, limit, slice);
	if (spec->sort != TAPIR_SORT_NONE && it->left > 0)
		m->copied = sort_nodes(m, spec, m->copied, m->ncopied);
	it->next = m->copied;
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
	return tapir_node_string(it->map, it->node, key);
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
