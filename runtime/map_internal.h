/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the map*.c files. */
#ifndef TAPIR_MAP_INTERNAL_H
#define TAPIR_MAP_INTERNAL_H

#include <tapir/tapir.h>
#include <tapir/map_layout.h>
#include <tapir/string_word.h>
#include "session.h"

static inline bool tapir_key_is_string(const struct tapir_map *m, u32 key)
{
	return m->desc->key_types[key] == TAPIR_STRING;
}

u64 tapir_map_hash(const struct tapir_map *m, const union tapir_val *keys);
/* NULL: no such element. */
struct tapir_node *tapir_map_lookup(const struct tapir_map *m, const union tapir_val *keys, u64 hash);
/* A new, zeroed element at the list's tail, or NULL when the map is full. The caller excludes other changes of the set of elements.
 */
struct tapir_node *tapir_map_append(struct tapir_map *m, const union tapir_val *keys, u64 hash);
/* Removes the first element of the list, which is not empty. */
void tapir_map_recycle_head(struct tapir_map *m);
void tapir_map_overflow(struct tapir_ctx *c, const struct tapir_map *m, const struct tapir_site *site);
bool tapir_node_matches(const struct tapir_map *m, const struct tapir_node *node, const union tapir_val *keys, u32 mask);
void tapir_map_sort(struct tapir_map *m, const struct tapir_foreach *spec);

/* Insertions and removals by others are excluded between these; adders of existing elements too if `unlinking`. Interrupts off. */
u64 tapir_map_freeze(struct tapir_map *m, bool unlinking);
void tapir_map_thaw(struct tapir_map *m, bool unlinking, u64 flags);

/* Merges an element over the CPUs. */
void tapir_node_sum(const struct tapir_map *m, const struct tapir_node *node, struct tapir_stat_sum *out);

#endif
