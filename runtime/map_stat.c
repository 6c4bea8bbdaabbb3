// SPDX-License-Identifier: GPL-2.0-or-later
/* Associative arrays of statistics. map_layout.h explains how adders, inserters and removers keep out of each other's way. */
#include "map_internal.h"
#include "sketch.h"

static void add_to(struct tapir_ctx *c, struct tapir_map *m, struct tapir_node *node, s64 value)
{
	u64 *slot = tapir_node_slot(m, node, c->cpu);

	tapir_node_written(m, node);
	tapir_slot_add_weighted(slot, m->stat, value, tapir_weight(c));
	if (m->stat->variance)
		tapir_slot_variance_add(&slot[tapir_slot_variance(m->stat)], value);
	if (m->stat->sketch)
		tapir_sketch_add(tapir_node_sketch(m, node), tapir_node_entry(m, node), c->cpu, value);
}

/* May an element be recycled? Its readers hold the global's lock; so must we, and we may not wait for it here. */
static bool lock_global(struct tapir_ctx *c, const struct tapir_map *m, bool *taken)
{
	u32 i;

	*taken = false;
	if (c->level == TAPIR_LEVEL_SESSION)
		return true;
	for (i = 0; c->held && i < c->held->count; i++) {
		if (&tapir_module.globals[c->held->globals[i]] == m->global)
			return true;
	}
	*taken = tapir_port_trylock(m->global->lock);
	return *taken;
}

static bool recycle(struct tapir_ctx *c, struct tapir_map *m)
{
	bool taken;
	u32 cpu;

	tapir_work_add(c, m->ncpus * (u64)TAPIR_WORK_PROCESSOR);
	/* The insertion lock is held and comes after the global's: only a try cannot deadlock. */
	if (!lock_global(c, m, &taken))
		return false;
	for (cpu = 0; cpu < m->ncpus; cpu++)
		tapir_port_lock(&m->cpu_locks[cpu]);
	tapir_map_remove(m, m->head);
	while (cpu-- > 0)
		tapir_port_unlock(&m->cpu_locks[cpu]);
	if (taken)
		tapir_port_unlock(m->global->lock);
	return true;
}

/* Creates the element unless somebody else did meanwhile, and adds the sample. Interrupts are off. */
static void add_to_new(struct tapir_ctx *c, struct tapir_map *m, const union tapir_val *keys, u64 hash, s64 value,
		       const struct tapir_site *site)
{
	struct tapir_node *node;

	if (!tapir_map_try(c, &m->insertion)) {
		tapir_map_skip(c);
		return;
	}
	if (m->cpu_locks && tapir_must_not_wait(c) && !tapir_map_lock_free(&m->cpu_locks[c->cpu])) {
		tapir_port_unlock(&m->insertion);
		tapir_map_skip(c);
		return;
	}
	node = tapir_map_lookup(m, keys, hash);
	if (!node && m->desc->wrap && m->count == m->max_entries && !recycle(c, m)) {
		tapir_port_unlock(&m->insertion);
		tapir_map_skip(c);
		return;
	}
	if (!node)
		node = tapir_map_append(m, keys, hash);
	if (!node) {
		tapir_map_overflow(c, m, site);
	} else if (!m->cpu_locks) {
		add_to(c, m, node, value);
	} else if (tapir_map_try(c, &m->cpu_locks[c->cpu])) {
		add_to(c, m, node, value);
		tapir_port_unlock(&m->cpu_locks[c->cpu]);
	} else {
		/* The element stays, without a sample. */
		tapir_map_skip(c);
	}
	tapir_port_unlock(&m->insertion);
}

static void add_guarded(struct tapir_ctx *c, struct tapir_map *m, const union tapir_val *keys, s64 value,
			const struct tapir_site *site)
{
	struct tapir_lock *lock = &m->cpu_locks[c->cpu];
	struct tapir_node *node;
	u64 flags, hash;

	tapir_map_provide(c, m, keys);
	flags = tapir_port_irq_save();
	if (!tapir_map_try(c, lock)) {
		tapir_port_irq_restore(flags);
		tapir_map_skip(c);
		return;
	}
	node = tapir_map_find(m, keys, &hash);
	if (node)
		add_to(c, m, node, value);
	tapir_port_unlock(lock);
	if (!node)
		add_to_new(c, m, keys, hash, value, site);
	tapir_port_irq_restore(flags);
}

static __attribute__((__noinline__)) void add_slow(struct tapir_ctx *c, struct tapir_map *m, const union tapir_val *keys, s64 value,
						   const struct tapir_site *site)
{
	struct tapir_node *node;
	u64 hash, flags;

	if (m->guarded) {
		add_guarded(c, m, keys, value, site);
		return;
	}
	node = tapir_map_find(m, keys, &hash);
	if (node) {
		tapir_slot_add_weighted(tapir_node_slot(m, node, c->cpu), m->stat, value, tapir_weight(c));
		return;
	}
	tapir_map_provide(c, m, keys);
	flags = tapir_port_irq_save();
	add_to_new(c, m, keys, hash, value, site);
	tapir_port_irq_restore(flags);
}

static __attribute__((__noinline__)) void add_full(u64 *slot, const struct tapir_stat_desc *desc, s64 value, u64 weight)
{
	tapir_slot_add_weighted(slot, desc, value, weight);
}

void tapir_map_add_stat(struct tapir_ctx *c, struct tapir_map *m, const union tapir_val *keys, s64 value,
			const struct tapir_site *site)
{
	struct tapir_node *node = TAPIR_UNLIKELY(m->guarded) ? NULL : tapir_map_find_fast(m, keys);
	u64 *slot;

	if (TAPIR_UNLIKELY(!node)) {
		add_slow(c, m, keys, value, site);
		return;
	}
	slot = tapir_node_slot(m, node, c->cpu);
	if (TAPIR_UNLIKELY(!m->plain)) {
		add_full(slot, m->stat, value, 1);
		return;
	}
	tapir_percpu_add(&slot[TAPIR_SLOT_COUNT], 1);
	tapir_percpu_add(&slot[TAPIR_SLOT_SUM], (u64)value);
}

void tapir_map_add_stat_weighted(struct tapir_ctx *c, struct tapir_map *m, const union tapir_val *keys, s64 value,
				 const struct tapir_site *site)
{
	struct tapir_node *node = m->guarded ? NULL : tapir_map_find_fast(m, keys);

	if (node)
		add_full(tapir_node_slot(m, node, c->cpu), m->stat, value, tapir_weight(c));
	else
		add_slow(c, m, keys, value, site);
}

static void merge_node(const struct tapir_map *m, const struct tapir_node *node, u32 slots, struct tapir_stat_sum *out)
{
	const u16 *cpus;
	u32 count = tapir_port_processors(&cpus), i;

	if (slots < m->ncpus)
		tapir_sum_add(out, tapir_node_slot(m, node, 0), NULL, true);
	for (i = 0; slots == m->ncpus && i < count; i++)
		tapir_sum_add(out, tapir_node_slot(m, node, cpus[i]), NULL, true);
	for (i = 0; m->stat->variance && i < count; i++)
		tapir_sum_variance(out, tapir_node_slot(m, node, cpus[i]), &m->cpu_locks[cpus[i]]);
	if (m->stat->sketch) {
		out->sketch = tapir_node_sketch(m, node);
		out->entry = tapir_node_entry(m, node);
	}
	tapir_sum_finish(out);
}

void tapir_node_sum(const struct tapir_map *m, const struct tapir_node *node, u32 slots, const struct tapir_hist_desc *hist,
		    u64 *buckets, struct tapir_stat_sum *out)
{
	tapir_sum_init(out, m->stat);
	if (hist)
		tapir_sum_want(out, hist, buckets);
	merge_node(m, node, slots, out);
}

void tapir_node_merge(const struct tapir_map *m, const struct tapir_node *node, u64 *slot)
{
	const u16 *cpus;
	u32 first = m->stat->min_max ? TAPIR_SLOT_MAX + 1 : TAPIR_SLOT_MIN, count = tapir_port_processors(&cpus), n, i;

	for (i = 0; i < m->slot_words; i++)
		slot[i] = 0;
	for (n = 0; n < count; n++) {
		const u64 *of = tapir_node_slot(m, node, cpus[n]);

		slot[TAPIR_SLOT_COUNT] += __atomic_load_n(&of[TAPIR_SLOT_COUNT], __ATOMIC_RELAXED);
		slot[TAPIR_SLOT_SUM] += __atomic_load_n(&of[TAPIR_SLOT_SUM], __ATOMIC_RELAXED);
		/* Distances that only grow. */
		for (i = TAPIR_SLOT_MIN; i < first; i++) {
			u64 distance = __atomic_load_n(&of[i], __ATOMIC_RELAXED);

			if (distance > slot[i])
				slot[i] = distance;
		}
		for (; i < m->slot_words; i++)
			slot[i] += __atomic_load_n(&of[i], __ATOMIC_RELAXED);
	}
}

bool tapir_map_get_stat(struct tapir_map *m, const union tapir_val *keys, struct tapir_stat_sum *out)
{
	struct tapir_node *node = tapir_map_find_sure(m, keys);

	tapir_sum_init(out, m->stat);
	if (node)
		merge_node(m, node, m->ncpus, out);
	return node != NULL;
}

bool tapir_map_get_hist(struct tapir_map *m, const union tapir_val *keys, const struct tapir_hist_desc *hist, u64 *buckets,
			struct tapir_stat_sum *out)
{
	struct tapir_node *node = tapir_map_find_sure(m, keys);

	tapir_sum_init(out, m->stat);
	tapir_sum_want(out, hist, buckets);
	if (node)
		merge_node(m, node, m->ncpus, out);
	return node != NULL;
}
