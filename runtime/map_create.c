// SPDX-License-Identifier: GPL-2.0-or-later
/* Memory of associative arrays: laid out and allocated at start, freed after the last handler. */
#include <tapir/demand.h>
#include "map_internal.h"
#include "sketch.h"

static bool multiply(u64 a, u64 b, u64 *product)
{
	return !__builtin_mul_overflow(a, b, product) && *product <= (u64)(size_t)-1 / 2;
}

static void lay_out_map(struct tapir_map *m, u32 string_cap)
{
	const struct tapir_map_desc *desc = m->desc;
	u32 at = 8, i;

	for (i = 0; i < m->nkeys; i++) {
		m->key_at[i] = at;
		at += desc->key_types[i] == TAPIR_STRING ? string_cap : 8;
	}
	if (desc->value_type == TAPIR_STRING) {
		m->value_at = at;
		at += string_cap;
	}
	m->node_bytes = ((u32)sizeof(struct tapir_node) - 8 + at + 63) & ~63u;
	m->shape = TAPIR_SHAPE_ANY;
	if (m->nkeys == 1)
		m->shape = desc->key_types[0] == TAPIR_STRING ? TAPIR_SHAPE_STRING : TAPIR_SHAPE_LONG;
}

static bool allocate_slots(struct tapir_map *m)
{
	u64 per_cpu, total;

	m->slot_bytes = tapir_slot_words(m->stat) * 8;
	if (!multiply(m->slot_bytes, m->max_entries, &per_cpu))
		return false;
	m->cpu_stride = (per_cpu + TAPIR_STAT_LINE - 1) & ~(u64)(TAPIR_STAT_LINE - 1);
	if (!multiply(m->cpu_stride, m->ncpus, &total))
		return false;
	m->slots = tapir_port_alloc(total);
	m->guarded = !m->desc->stable || tapir_stat_guarded(m->stat);
	m->plain = !m->guarded && !m->stat->min_max && !m->stat->nhists;
	if (m->guarded)
		m->cpu_locks = tapir_port_alloc((u64)m->ncpus * sizeof(struct tapir_lock));
	if (m->stat->sketch)
		m->sketch = tapir_sketch_create(m->max_entries, m->ncpus);
	return m->slots && (m->cpu_locks || !m->guarded) && (m->sketch || !m->stat->sketch);
}

/* Sets the shift that goes with it. */
static u64 buckets_of(struct tapir_map *m)
{
	u64 buckets = 16;

	for (m->shift = 60; buckets < m->max_entries; m->shift--)
		buckets *= 2;
	return buckets;
}

static void describe(struct tapir_map *m, const struct tapir_global *g, u32 max_entries, u32 ncpus, u32 string_cap)
{
	m->desc = g->map;
	m->stat = g->stat;
	m->global = g;
	m->nkeys = g->map->nkeys;
	m->max_entries = max_entries;
	m->ncpus = ncpus;
	m->string_cap = string_cap;
	lay_out_map(m, string_cap);
}

u64 tapir_map_bytes(const struct tapir_global *g, u32 max_entries, u32 ncpus, u32 string_cap)
{
	struct tapir_map m;
	u64 nodes, bytes;

	describe(&m, g, max_entries, ncpus, string_cap);
	nodes = tapir_demand_times(m.node_bytes, max_entries);
	bytes = tapir_demand_plus(nodes, buckets_of(&m) * sizeof(m.buckets[0]));
	if (g->map->reported)
		bytes = tapir_demand_plus(bytes, nodes);
	if (g->map->known)
		bytes = tapir_demand_plus(bytes, TAPIR_KNOWN_TEXTS * sizeof(m.known[0]));
	if (g->map->value_type != TAPIR_STAT)
		return bytes;
	bytes = tapir_demand_plus(bytes, tapir_demand_times((u64)max_entries * tapir_slot_words(m.stat) * 8, ncpus));
	return m.stat->sketch ? tapir_demand_plus(bytes, tapir_sketch_bytes(max_entries, ncpus)) : bytes;
}

static bool allocate(struct tapir_map *m)
{
	u64 bytes;

	m->buckets = tapir_port_alloc(buckets_of(m) * sizeof(m->buckets[0]));
	if (!m->buckets || !multiply(m->node_bytes, m->max_entries, &bytes))
		return false;
	m->nodes = tapir_port_alloc(bytes);
	if (!m->nodes)
		return false;
	if (m->desc->reported) {
		m->copies = tapir_port_alloc(bytes);
		if (!m->copies)
			return false;
	}
	if (m->desc->known) {
		m->known = tapir_port_alloc(TAPIR_KNOWN_TEXTS * sizeof(m->known[0]));
		if (!m->known)
			return false;
	}
	return m->desc->value_type != TAPIR_STAT || allocate_slots(m);
}

struct tapir_map *tapir_map_create(const struct tapir_global *g, u32 max_entries, u32 ncpus, u32 string_cap)
{
	struct tapir_map *m = tapir_port_alloc(sizeof(*m));

	if (!m)
		return NULL;
	/* Unpredictable, so that nobody can name processes for one bucket. */
	m->seed = (u64)tapir_port_random(0x7fffffffffffffffll);
	describe(m, g, max_entries, ncpus, string_cap);
	if (allocate(m))
		return m;
	tapir_map_destroy(m);
	return NULL;
}

void tapir_map_destroy(struct tapir_map *m)
{
	if (!m)
		return;
	tapir_sketch_destroy(m->sketch);
	tapir_port_free(m->cpu_locks);
	tapir_port_free(m->slots);
	tapir_port_free(m->known);
	tapir_port_free(m->copies);
	tapir_port_free(m->nodes);
	tapir_port_free(m->buckets);
	tapir_port_free(m);
}
