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

/* Bytes of a node that are in use. */
static u32 bytes_of(const struct tapir_map *m, const struct tapir_node *node)
{
	const u64 *end;
	u32 i;

	if (!m->packed)
		return m->node_bytes;
	end = tapir_node_at(node, m->strings_at);
	for (i = 0; i < m->nkeys; i++)
		if (tapir_key_is_string(m, i))
			end = tapir_string_end(end);
	return (u32)((const char *)end - (const char *)node);
}

static void copy_node(const struct tapir_map *m, struct tapir_node *dst, const struct tapir_node *src, u32 bytes)
{
	bool string_value = m->desc->value_type == TAPIR_STRING;
	u32 i;

	if (m->packed) {
		for (i = 0; i < (bytes - (u32) __builtin_offsetof(struct tapir_node, data)) / 8; i++)
			dst->data[i] = src->data[i];
		return;
	}

	for (i = 0; i < m->nkeys; i++)
		copy_field(tapir_node_at(dst, m->key_at[i]), tapir_node_at(src, m->key_at[i]), tapir_key_is_string(m, i));
	copy_field(tapir_node_at(dst, m->value_at), tapir_node_at(src, m->value_at), string_value);
}

static struct tapir_node *room_for_copy(struct tapir_map *m, u32 bytes)
{
	u64 at = m->copying_at;

	if (at + bytes > m->copying->node_bytes) {
		struct tapir_batch *next = __atomic_load_n(&m->copying->next, __ATOMIC_ACQUIRE);

		if (!next || bytes > next->node_bytes)
			return NULL;
		m->copying = next;
		at = 0;
	}
	m->copying_at = at + bytes;
	return (struct tapir_node *)((char *)m->copying + TAPIR_BATCH_HEAD + at);
}

/* Behind the last copy; `link` is where it is linked from. NULL: there is no room. */
static struct tapir_node **append_copy(struct tapir_map *m, const struct tapir_node *node, struct tapir_node **link)
{
	u32 bytes = bytes_of(m, node);
	struct tapir_node *copy = room_for_copy(m, bytes);

	if (!copy)
		return NULL;
	copy_node(m, copy, node, bytes);
	*link = copy;
	m->ncopied++;
	return &copy->next;
}

/* False: there is not enough room, which grows after the array; or an error was raised. */
static bool copy_map(struct tapir_ctx *c, struct tapir_map *m, const struct tapir_snapshot *s, const struct tapir_site *site)
{
	struct tapir_foreach spec = {.sort = s->sort, .column = s->column};
	struct tapir_node *first[TAPIR_SELECT_MAX], *node, **link = &m->copied;
	u32 i, count, steps = 0;

	m->ncopied = 0;
	m->copying = m->copies;
	m->copying_at = 0;
	if (s->sort != TAPIR_SORT_NONE && s->limit && s->limit <= TAPIR_SELECT_MAX) {
		count = tapir_map_select(c, m, &spec, s->limit, NULL, first, site);
		for (i = 0; link && i < count; i++)
			link = append_copy(m, first[i], link);
	} else {
		count = s->sort == TAPIR_SORT_NONE && s->limit && s->limit < m->count ? s->limit : m->count;
		if (!tapir_afford(c, count / TAPIR_MATCH_ELEMENTS, site))
			return false;
		for (node = m->head; link && node && m->ncopied < count && tapir_step(c, &steps, 0, site); node = node->next)
			link = append_copy(m, node, link);
	}
	if (link)
		*link = NULL;
	return link && !c->failed;
}

bool tapir_snapshots_take(struct tapir_ctx *c, const struct tapir_snapshots *set, const struct tapir_site *site)
{
	u32 i;

	if (c->level == TAPIR_LEVEL_SESSION || !claim(set))
		return false;
	for (i = 0; i < set->count; i++) {
		if (!copy_map(c, snapshot_map(&set->of[i]), &set->of[i], site)) {
			tapir_snapshots_drop(set);
			return false;
		}
	}
	return true;
}

void tapir_snapshots_drop(const struct tapir_snapshots *set)
{
	u32 i;

	for (i = 0; i < set->count; i++)
		__atomic_store_n(&snapshot_map(&set->of[i])->taken, 0, __ATOMIC_RELEASE);
}
