// SPDX-License-Identifier: GPL-2.0-or-later
/* Associative arrays whose elements are found by the addresses of their keys, texts that stay: no lock, no context, no hash. */
#include "map_internal.h"

/* Texts are aligned to words where somebody cared. */
static inline struct tapir_known *known_at(const struct tapir_map *m, const char *text)
{
	return &m->known[((unsigned long)text >> 3) % TAPIR_KNOWN_TEXTS];
}

static inline bool knows(const struct tapir_known *known, const char *text)
{
	return TAPIR_LIKELY(__atomic_load_n(&known->text, __ATOMIC_ACQUIRE) == text);
}

/* Nodes of a stable array stay, so a remembered one is never wrong. */
static struct tapir_node *look_up(const struct tapir_map *m, const char *text)
{
	const union tapir_val key = {.s = text};
	struct tapir_known *known = known_at(m, text);
	struct tapir_node *none = NULL;
	u64 hash;
	struct tapir_node *node = tapir_map_find(m, &key, &hash);

	if (node && __atomic_compare_exchange_n(&known->node, &none, node, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		__atomic_store_n(&known->text, text, __ATOMIC_RELEASE);
	return node;
}

static struct tapir_node *find_known(const struct tapir_map *m, const char *text)
{
	const struct tapir_known *known = known_at(m, text);

	return knows(known, text) ? known->node : look_up(m, text);
}

static __attribute__((__noinline__)) bool attempt_stat_slow(const char *text, u32 cpu, const struct tapir_map *m, s64 value)
{
	struct tapir_node *node = find_known(m, text);

	if (node)
		tapir_slot_add(tapir_node_slot(m, node, cpu), m->stat, value);
	return node != NULL;
}

bool tapir_map_attempt_stat(const char *text, u32 cpu, struct tapir_map *m, s64 value)
{
	const struct tapir_known *known = known_at(m, text);
	u64 *slot;

	if (TAPIR_UNLIKELY(!knows(known, text) || !m->plain))
		return attempt_stat_slow(text, cpu, m, value);
	slot = tapir_node_slot(m, known->node, cpu);
	tapir_percpu_add(&slot[TAPIR_SLOT_COUNT], 1);
	tapir_percpu_add(&slot[TAPIR_SLOT_SUM], (u64)value);
	return true;
}

bool tapir_map_attempt_long(const char *text, struct tapir_map *m, s64 delta)
{
	struct tapir_node *node = find_known(m, text);

	if (node)
		__atomic_fetch_add((s64 *)&node->data[0], delta, __ATOMIC_RELAXED);
	return node != NULL;
}
