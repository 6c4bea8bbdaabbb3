// SPDX-License-Identifier: GPL-2.0-or-later
/* foreach: walking an array's list; map_sort.c sorts it. */
#include "map_internal.h"

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

static void select_to_front(struct tapir_ctx *c, struct tapir_map *m, const struct tapir_foreach *spec, u32 limit,
			    const union tapir_val *slice, const struct tapir_site *site)
{
	u64 flags = tapir_map_freeze(c, m, false);
	struct tapir_node *first[TAPIR_SELECT_MAX];
	u32 count = tapir_map_select(c, m, spec, limit, slice, first, site);

	while (count-- > 0)
		bring_to_front(m, first[count]);
	tapir_map_thaw(c, m, false, flags);
}

static void sort_map(struct tapir_ctx *c, struct tapir_map *m, const struct tapir_foreach *spec, const struct tapir_site *site)
{
	u64 flags = tapir_map_freeze(c, m, false);
	struct tapir_node *node, *prev = NULL;

	m->head = tapir_map_sort(c, m, spec, m->head, m->count, m->ncpus, site);
	for (node = m->head; node; node = node->next) {
		node->u.prev = prev;
		prev = node;
	}
	m->tail = prev;
	tapir_map_thaw(c, m, false, flags);
}

/* ---- loops ---- */

static void start(struct tapir_ctx *c, struct tapir_iter *it, struct tapir_map *m, const struct tapir_foreach *spec, s64 limit,
		  const union tapir_val *slice, const struct tapir_site *site)
{
	u32 i;

	it->c = c;
	it->site = site;
	it->map = m;
	it->node = NULL;
	it->left = spec->has_limit ? limit : 0x7fffffffffffffffll;
	it->passed = 0;
	it->slots = m->ncpus;
	it->slice_mask = slice ? spec->slice_mask : 0;
	for (i = 0; slice && i < m->nkeys; i++)
		it->slice[i] = slice[i];
}

void tapir_foreach_begin(struct tapir_ctx *c, struct tapir_iter *it, struct tapir_map *m, const struct tapir_foreach *spec,
			 s64 limit, const union tapir_val *slice, const struct tapir_site *site)
{
	start(c, it, m, spec, limit, slice, site);
	if (spec->sort != TAPIR_SORT_NONE && it->left > 0) {
		if (it->left <= TAPIR_SELECT_MAX && m->count >= TAPIR_SELECT_FROM)
			select_to_front(c, m, spec, (u32)it->left, slice, site);
		else
			sort_map(c, m, spec, site);
	}
	it->next = __atomic_load_n(&m->head, __ATOMIC_ACQUIRE);
}

void tapir_foreach_begin_snapshot(struct tapir_ctx *c, struct tapir_iter *it, struct tapir_map *m, const struct tapir_foreach *spec,
				  s64 limit, const union tapir_val *slice, const struct tapir_site *site)
{
	start(c, it, m, spec, limit, slice, site);
	if (spec->sort != TAPIR_SORT_NONE && it->left > 0)
		m->copied = tapir_map_sort(c, m, spec, m->copied, m->ncopied, m->copied_slots, site);
	it->next = m->copied;
	it->slots = m->copied_slots;
}

/* Another element is not of the slice. */
static bool pass(struct tapir_iter *it)
{
	if (TAPIR_LIKELY(++it->passed % TAPIR_MATCH_ELEMENTS))
		return true;
	return tapir_afford(it->c, 1, it->site) &&
	       (it->passed % TAPIR_LOOK_ELEMENTS || tapir_go_on(it->c, TAPIR_WORK_ELEMENT, 0, it->site));
}

bool tapir_foreach_next(struct tapir_iter *it)
{
	struct tapir_node *node = it->next;

	if (it->node)
		node = __atomic_load_n(&((struct tapir_node *)it->node)->next, __ATOMIC_ACQUIRE);
	if (it->left <= 0)
		return false;
	while (node && it->slice_mask && !tapir_node_matches(it->map, node, it->slice, it->slice_mask)) {
		if (!pass(it))
			return false;
		node = __atomic_load_n(&node->next, __ATOMIC_ACQUIRE);
	}
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
	tapir_node_sum(it->map, it->node, it->slots, NULL, NULL, out);
}

void tapir_foreach_value_hist(const struct tapir_iter *it, const struct tapir_hist_desc *hist, u64 *buckets,
			      struct tapir_stat_sum *out)
{
	tapir_node_sum(it->map, it->node, it->slots, hist, buckets, out);
}
