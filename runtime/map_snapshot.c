// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Snapshots of arrays, for handlers that go through one and print: others wait only while the elements are copied, or the first few
 * in the order of the loop are found, not while they are sorted, formatted and written.
 */
#include "map_internal.h"

static struct tapir_map *snapshot_map(const struct tapir_snapshot *s)
{
	return *(struct tapir_map **)tapir_module.globals[s->global].storage;
}

static bool claim(const struct tapir_snapshots *set)
{
	u32 i;

	for (i = 0; i < set->count; i++) {
		struct tapir_map *m = snapshot_map(&set->of[i]);

		if (!m->copies || __atomic_exchange_n(&m->taken, 1, __ATOMIC_ACQUIRE))
			break;
	}
	if (i == set->count)
		return true;
	while (i-- > 0)
		__atomic_store_n(&snapshot_map(&set->of[i])->taken, 0, __ATOMIC_RELEASE);
	return false;
}

static void copy_field(char *dst, const char *src, bool string)
{
	const u64 *from = (const u64 *)src;
	u64 *to = (u64 *)dst;

	/* A stored string ends in a word with a zero byte, within its capacity. */
	while (string && !tapir_word_zeros(*from))
		*to++ = *from++;
	*to = *from;
}

static void copy_node(const struct tapir_map *m, struct tapir_node *dst, const struct tapir_node *src)
{
	bool string_value = m->desc->value_type == TAPIR_STRING;
	u32 i;

	for (i = 0; i < m->nkeys; i++)
		copy_field(tapir_node_at(dst, m->key_at[i]), tapir_node_at(src, m->key_at[i]), tapir_key_is_string(m, i));
	copy_field(tapir_node_at(dst, m->value_at), tapir_node_at(src, m->value_at), string_value);
}

/* Behind the last copy; `link` is where it is linked from. */
static struct tapir_node **append_copy(struct tapir_map *m, const struct tapir_node *node, struct tapir_node **link)
{
	struct tapir_node *copy = (struct tapir_node *)(m->copies + (u64)m->ncopied++ * m->node_bytes);

	copy_node(m, copy, node);
	*link = copy;
	return &copy->next;
}

static void copy_map(struct tapir_map *m, const struct tapir_snapshot *s)
{
	struct tapir_foreach spec = {.sort = s->sort, .column = s->column};
	struct tapir_node *first[TAPIR_SELECT_MAX], *node, **link = &m->copied;
	u32 i, count;

	m->ncopied = 0;
	if (s->sort != TAPIR_SORT_NONE && s->limit && s->limit <= TAPIR_SELECT_MAX) {
		count = tapir_map_select(m, &spec, s->limit, NULL, first);
		for (i = 0; i < count; i++)
			link = append_copy(m, first[i], link);
	} else {
		count = s->sort == TAPIR_SORT_NONE && s->limit ? s->limit : ~0u;
		for (node = m->head; node && m->ncopied < count; node = node->next)
			link = append_copy(m, node, link);
	}
	*link = NULL;
}

bool tapir_snapshots_take(struct tapir_ctx *c, const struct tapir_snapshots *set)
{
	u32 i;

	if (c->level == TAPIR_LEVEL_SESSION || !claim(set))
		return false;
	for (i = 0; i < set->count; i++)
		copy_map(snapshot_map(&set->of[i]), &set->of[i]);
	return true;
}

void tapir_snapshots_drop(const struct tapir_snapshots *set)
{
	u32 i;

	for (i = 0; i < set->count; i++)
		__atomic_store_n(&snapshot_map(&set->of[i])->taken, 0, __ATOMIC_RELEASE);
}
