// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Elements that are out of an array while a report needs them. The report has cut them off, goes through them, and then gives their
 * nodes back; or it knows of nodes that it has to copy yet, and those that are deleted meanwhile are kept for it.
 */
#include "map_internal.h"

void tapir_map_cut(struct tapir_ctx *c, struct tapir_map *m)
{
	u64 flags = tapir_map_freeze(c, m, true);

	m->copied = m->head;
	m->ncopied = m->count;
	m->copied_slots = m->ncpus;
	__atomic_store_n(&m->lent, TAPIR_LENT_CUT, __ATOMIC_RELAXED);
	tapir_map_empty(m);
	tapir_map_thaw(c, m, true, flags);
}

/* ---- the way back ---- */

/* So many nodes are made unused before others wait for a moment in which they get to their pools. */
#define NODES_AT_ONCE 1024u

/* Nodes on their way back to a pool, linked by `chain`. */
struct returning {
	struct tapir_node *first, *last;
	u32 count;
};

/* Nodes that are lent. */
struct lent {
	struct tapir_node *list;  /* linked by `next` */
	struct tapir_node *ones;  /* linked by `chain` */
	struct tapir_node *lists; /* the first ones of lists, linked by `chain` */
};

static struct tapir_node *next_lent(struct lent *lent)
{
	struct tapir_node *node;

	if (!lent->list && lent->lists) {
		lent->list = lent->lists;
		lent->lists = lent->list->chain;
	}
	node = lent->list;
	if (node) {
		lent->list = node->next;
		return node;
	}
	node = lent->ones;
	if (node)
		lent->ones = node->chain;
	return node;
}

/* No other handler knows of these nodes. */
static void make_unused(struct tapir_map *m, struct lent *lent, struct returning *back)
{
	struct tapir_node *node;
	u32 i;

	for (i = 0; i < NODES_AT_ONCE && (node = next_lent(lent)); i++) {
		struct returning *to = &back[tapir_map_pool_of(m, node)];

		tapir_map_clear_value(m, node);
		node->chain = to->first;
		to->first = node;
		if (!to->count++)
			to->last = node;
	}
}

static void put_back(struct tapir_map *m, struct returning *back)
{
	u32 i;

	for (i = 0; i < m->npools; i++) {
		struct tapir_pool *pool = &m->pools[i];

		if (!back[i].count)
			continue;
		back[i].last->chain = pool->free;
		pool->free = back[i].first;
		__atomic_store_n(&pool->used, pool->used - back[i].count, __ATOMIC_RELAXED);
		back[i].count = 0;
		back[i].first = NULL;
	}
}

/* The array is empty: so all nodes are unused, and are cleared when they are used again. */
static void put_all_back(struct tapir_map *m)
{
	u32 i;

	__atomic_store_n(&m->lent, TAPIR_LENT_NOTHING, __ATOMIC_RELAXED);
	m->held = m->held_lists = NULL;
	for (i = 0; i < m->npools; i++) {
		u32 used = m->pools[i].used;

		__atomic_store_n(&m->pools[i].used, 0, __ATOMIC_RELAXED);
		tapir_pool_reset(m, &m->pools[i], used);
	}
}

void tapir_map_take_back(struct tapir_map *m)
{
	struct lent lent = {.list = m->lent == TAPIR_LENT_CUT ? m->copied : NULL};
	struct returning back[TAPIR_POOLS] = {{NULL, NULL, 0}};
	u64 state;

	do {
		state = tapir_map_exclude(m);
		put_back(m, back);
		if (!m->count) {
			put_all_back(m);
			lent = (struct lent){NULL, NULL, NULL};
		} else if (!lent.list && !lent.ones && !lent.lists) {
			lent.ones = m->held;
			lent.lists = m->held_lists;
			m->held = m->held_lists = NULL;
			if (!lent.ones && !lent.lists)
				__atomic_store_n(&m->lent, TAPIR_LENT_NOTHING, __ATOMIC_RELAXED);
		}
		tapir_map_include(m, state);
		make_unused(m, &lent, back);
	} while (m->lent);
}
