// SPDX-License-Identifier: GPL-2.0-or-later
/* Associative arrays: lookup, insertion, deletion, and the operations on numbers and strings. */
#include "map_internal.h"
#include "map_shape.h"
#include "sketch.h"

/* ---- keys ---- */

/* Returns the word behind it. */
static u64 *store_string(u64 *stored, const char *s, u32 cap)
{
	bool last = false;
	u32 at;

	for (at = 0; !last; at += 8)
		*stored++ = tapir_key_word(s, at, cap, &last);
	return stored;
}

static bool same_keys(const struct tapir_map *m, const struct tapir_node *node, const union tapir_val *keys, u32 mask)
{
	const u64 *string = m->packed ? tapir_node_at(node, m->strings_at) : NULL;
	u32 i;

	for (i = 0; mask >> i && i < m->nkeys; i++) {
		bool wanted = mask & (1u << i);
		const u64 *stored = tapir_node_at(node, m->key_at[i]);

		if (!tapir_key_is_string(m, i)) {
			if (wanted && *stored != (u64)keys[i].n)
				return false;
			continue;
		}
		if (string)
			stored = string;
		if (wanted && !tapir_same_string(stored, keys[i].s, m->string_cap))
			return false;
		if (string && mask >> i > 1)
			string = tapir_string_end(string);
	}
	return true;
}

bool tapir_node_matches(const struct tapir_map *m, const struct tapir_node *node, const union tapir_val *keys, u32 mask)
{
	return same_keys(m, node, keys, mask);
}

/* ---- lookup: the general case; tapir_map_find has the common ones ---- */

u64 tapir_map_hash(const struct tapir_map *m, const union tapir_val *keys)
{
	u64 hash = m->seed;
	u32 i;

	if (m->shape == TAPIR_SHAPE_LONG)
		return tapir_hash_mix(hash, (u64)keys[0].n);
	if (m->shape == TAPIR_SHAPE_STRING)
		return tapir_hash_string(hash, keys[0].s, m->string_cap);
	for (i = 0; i < m->nkeys; i++) {
		if (tapir_key_is_string(m, i))
			hash = tapir_hash_string(hash, keys[i].s, m->string_cap);
		else
			hash = tapir_hash_mix(hash, (u64)keys[i].n);
	}
	return hash;
}

static struct tapir_node *search(const struct tapir_map *m, struct tapir_node *node, const union tapir_val *keys, u64 hash)
{
	for (; node; node = node->chain) {
		if (node->hash != hash)
			continue;
		if (m->shape == TAPIR_SHAPE_LONG) {
			if (node->data[1] == (u64)keys[0].n)
				return node;
		} else if (m->shape == TAPIR_SHAPE_STRING) {
			if (tapir_same_string(node->data + 1, keys[0].s, m->string_cap))
				return node;
		} else if (same_keys(m, node, keys, (1u << m->nkeys) - 1)) {
			return node;
		}
	}
	return NULL;
}

struct tapir_node *tapir_map_lookup(const struct tapir_map *m, const union tapir_val *keys, u64 hash)
{
	/* A chain is only ever prepended to, and its links are written before the node is published. */
	struct tapir_node *node = search(m, __atomic_load_n(tapir_map_bucket(m, hash), __ATOMIC_ACQUIRE), keys, hash);
	struct tapir_table *older;

	if (node)
		return node;
	older = __atomic_load_n(&m->older, __ATOMIC_ACQUIRE);
	return older ? search(m, __atomic_load_n(tapir_table_bucket(older, hash), __ATOMIC_ACQUIRE), keys, hash) : NULL;
}

struct tapir_node *tapir_map_find_sure(struct tapir_map *m, const union tapir_val *keys)
{
	u32 moves = __atomic_load_n(&m->moves, __ATOMIC_ACQUIRE);
	u64 hash = tapir_map_hash(m, keys), flags;
	struct tapir_node *node = tapir_map_lookup(m, keys, hash);

	if (node || m->desc->value_type != TAPIR_STAT)
		return node;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (!(moves & 1) && __atomic_load_n(&m->moves, __ATOMIC_RELAXED) == moves)
		return NULL;
	flags = tapir_port_irq_save();
	tapir_port_lock(&m->insertion);
	node = tapir_map_lookup(m, keys, hash);
	tapir_port_unlock(&m->insertion);
	tapir_port_irq_restore(flags);
	return node;
}

/* ---- the set of elements ---- */

void tapir_map_clear_value(struct tapir_map *m, struct tapir_node *node)
{
	u64 *value = tapir_node_at(node, m->value_at);
	const u16 *cpus;
	u32 count, i;

	if (m->desc->value_type == TAPIR_STAT) {
		count = tapir_port_processors(&cpus);
		for (i = 0; i < count; i++) {
			__builtin_memset(tapir_node_slot(m, node, cpus[i]), 0, m->slot_words * sizeof(u64));
			if (m->stat->sketch)
				tapir_sketch_clear(tapir_node_sketch(m, node), tapir_node_entry(m, node), cpus[i]);
		}
	} else {
		*value = 0;
	}
}

static bool unlink_from(struct tapir_node **link, const struct tapir_node *node)
{
	while (*link && *link != node)
		link = &(*link)->chain;
	if (!*link)
		return false;
	*link = node->chain;
	return true;
}

static void unlink_chain(struct tapir_map *m, struct tapir_node *node)
{
	if (!unlink_from(tapir_map_bucket(m, node->hash), node) && m->older)
		unlink_from(tapir_table_bucket(m->older, node->hash), node);
}

static void unlink_list(struct tapir_map *m, struct tapir_node *node)
{
	if (node->u.prev)
		node->u.prev->next = node->next;
	else
		m->head = node->next;
	if (node->next)
		node->next->u.prev = node->u.prev;
	else
		m->tail = node->u.prev;
}

u32 tapir_map_string_bytes(const struct tapir_map *m, const union tapir_val *keys)
{
	u32 bytes = 0, i;

	for (i = 0; m->packed && i < m->nkeys; i++) {
		bool last = !tapir_key_is_string(m, i);
		u32 at;

		for (at = 0; !last; bytes += 8, at += 8)
			tapir_key_word(keys[i].s, at, m->string_cap, &last);
	}
	return bytes;
}

u32 tapir_map_pool_of(const struct tapir_map *m, const struct tapir_node *node)
{
	const u64 *strings, *end;
	u32 i;

	if (m->npools == 1)
		return 0;
	strings = end = tapir_node_at(node, m->strings_at);
	for (i = 0; i < m->nkeys; i++)
		if (tapir_key_is_string(m, i))
			end = tapir_string_end(end);
	return (u32)(tapir_map_pool((struct tapir_map *)m, (u32)((const char *)end - (const char *)strings)) - m->pools);
}

void tapir_map_remove(struct tapir_map *m, struct tapir_node *node)
{
	struct tapir_pool *pool;

	unlink_chain(m, node);
	unlink_list(m, node);
	m->count--;
	if (TAPIR_UNLIKELY(m->lent == TAPIR_LENT_PINS)) {
		node->chain = m->held;
		m->held = node;
		return;
	}
	pool = &m->pools[tapir_map_pool_of(m, node)];
	tapir_map_clear_value(m, node);
	node->chain = pool->free;
	pool->free = node;
	__atomic_store_n(&pool->used, pool->used - 1, __ATOMIC_RELAXED);
}

/* Advances to the next batch; false after the last one. */
static bool next_batch(struct tapir_pool *pool)
{
	if (!pool->current->next)
		pool->current->next = __atomic_exchange_n(&pool->incoming, NULL, __ATOMIC_ACQUIRE);
	if (!pool->current->next)
		return false;
	pool->current = pool->current->next;
	pool->fresh = 0;
	return true;
}

static void give_slots(const struct tapir_map *m, const struct tapir_batch *batch, u32 entry, struct tapir_node *node)
{
	u64 piece_bytes = m->cpu_stride * m->ncpus;
	u64 *slot = (u64 *)(batch->slots + entry / m->piece * piece_bytes + (u64)(entry % m->piece) * m->slot_bytes);

	node->data[0] = (u64)(unsigned long)slot;
	if (m->stat->sketch) {
		slot[m->slot_words] = (u64)(unsigned long)batch->sketch;
		slot[m->slot_words + 1] = entry;
	}
}

static struct tapir_node *unused_node(struct tapir_map *m, struct tapir_pool *pool)
{
	struct tapir_node *node = pool->free;
	u32 free;

	if (m->count == m->max_entries)
		return NULL;
	if (node) {
		pool->free = node->chain;
	} else {
		if (pool->fresh == pool->current->count && !next_batch(pool))
			return NULL;
		node = (struct tapir_node *)((char *)pool->current + TAPIR_BATCH_HEAD + (u64)pool->fresh * pool->node_bytes);
		if (m->desc->value_type == TAPIR_STAT)
			give_slots(m, pool->current, pool->fresh, node);
		pool->fresh++;
		if (pool->handed++ < pool->dirty)
			tapir_map_clear_value(m, node);
	}
	__atomic_store_n(&pool->used, pool->used + 1, __ATOMIC_RELAXED);
	free = __atomic_load_n(&pool->capacity, __ATOMIC_RELAXED) - pool->used;
	if (TAPIR_UNLIKELY(free < __atomic_load_n(&pool->low, __ATOMIC_RELAXED)))
		tapir_pool_ask(pool);
	return node;
}

static void store_keys(const struct tapir_map *m, struct tapir_node *node, const union tapir_val *keys)
{
	u64 *string = m->packed ? tapir_node_at(node, m->strings_at) : NULL;
	u32 i;

	for (i = 0; i < m->nkeys; i++) {
		u64 *stored = tapir_node_at(node, m->key_at[i]);

		if (!tapir_key_is_string(m, i))
			*stored = (u64)keys[i].n;
		else if (string)
			string = store_string(string, keys[i].s, m->string_cap);
		else
			store_string(stored, keys[i].s, m->string_cap);
	}
}

struct tapir_node *tapir_map_append(struct tapir_map *m, const union tapir_val *keys, u64 hash)
{
	struct tapir_node **bucket = tapir_map_bucket(m, hash);
	struct tapir_pool *pool = m->npools == 1 ? m->pools : tapir_map_pool(m, tapir_map_string_bytes(m, keys));
	struct tapir_node *node = unused_node(m, pool);

	if (!node)
		return NULL;
	node->hash = hash;
	store_keys(m, node, keys);
	node->chain = *bucket;
	node->next = NULL;
	node->u.prev = m->tail;
	tapir_node_written(m, node);
	/* Readers of statistics follow the chain and the list while elements are added. */
	__atomic_store_n(bucket, node, __ATOMIC_RELEASE);
	__atomic_store_n(m->tail ? &m->tail->next : &m->head, node, __ATOMIC_RELEASE);
	m->tail = node;
	m->count++;
	return node;
}

void tapir_map_overflow(struct tapir_ctx *c, struct tapir_map *m, const struct tapir_site *site)
{
	if (c->failed)
		return;
	if (m->count < m->max_entries) {
		tapir_map_starved(c, m, site);
		return;
	}
	if (m->desc->max_entries) {
		tapir_errorf(c, site, "Array overflow, check size limit (%u)", m->max_entries);
		return;
	}
	tapir_error(c, site, "Array overflow, check MAXMAPENTRIES");
	tapir_error_limit(c, TAPIR_LIMIT_MAXMAPENTRIES, m->max_entries);
}

/* ---- numbers and strings, under the global's lock ---- */

static struct tapir_node *find(const struct tapir_map *m, const union tapir_val *keys)
{
	struct tapir_node *node = tapir_map_find_fast(m, keys);
	u64 hash;

	if (TAPIR_LIKELY(node) || (m->shape == TAPIR_SHAPE_LONG && !m->older))
		return node;
	return tapir_map_find(m, keys, &hash);
}

static struct tapir_node *find_or_create(struct tapir_ctx *c, struct tapir_map *m, const union tapir_val *keys,
					 const struct tapir_site *site)
{
	struct tapir_node *node = tapir_map_find_fast(m, keys);
	u64 hash;

	if (TAPIR_UNLIKELY(!node))
		node = tapir_map_find(m, keys, &hash);
	if (TAPIR_LIKELY(node)) {
		tapir_node_written(m, node);
		return node;
	}
	tapir_map_provide(c, m, keys);
	if (m->desc->wrap && m->count == m->max_entries)
		tapir_map_remove(m, m->head);
	node = tapir_map_append(m, keys, hash);
	if (!node)
		tapir_map_overflow(c, m, site);
	return node;
}

s64 tapir_map_get_long(struct tapir_map *m, const union tapir_val *keys)
{
	struct tapir_node *node = find(m, keys);

	return node ? (s64)node->data[0] : 0;
}

void tapir_map_get_string(struct tapir_map *m, const union tapir_val *keys, char *dst)
{
	struct tapir_node *node = find(m, keys);

	if (node)
		tapir_str_copy(dst, tapir_node_at(node, m->value_at), m->string_cap);
	else
		*dst = 0;
}

const char *tapir_map_peek_string(struct tapir_map *m, const union tapir_val *keys)
{
	struct tapir_node *node = find(m, keys);

	return node ? (const char *)tapir_node_at(node, m->value_at) : "";
}

bool tapir_map_contains(struct tapir_map *m, const union tapir_val *keys)
{
	return tapir_map_find_sure(m, keys) != NULL;
}

s64 *tapir_map_slot_long(struct tapir_ctx *c, struct tapir_map *m, const union tapir_val *keys, const struct tapir_site *site)
{
	struct tapir_node *node = find_or_create(c, m, keys, site);

	return node ? (s64 *)&node->data[0] : NULL;
}

void tapir_map_set_long(struct tapir_ctx *c, struct tapir_map *m, const union tapir_val *keys, s64 value,
			const struct tapir_site *site)
{
	s64 *slot = tapir_map_slot_long(c, m, keys, site);

	if (slot)
		*slot = value;
}

void tapir_map_set_string(struct tapir_ctx *c, struct tapir_map *m, const union tapir_val *keys, const char *value,
			  const struct tapir_site *site)
{
	struct tapir_node *node = find_or_create(c, m, keys, site);

	if (node)
		tapir_str_copy(tapir_node_at(node, m->value_at), value, m->string_cap);
}

s64 tapir_map_add_long(struct tapir_ctx *c, struct tapir_map *m, const union tapir_val *keys, s64 delta,
		       const struct tapir_site *site)
{
	s64 *slot = tapir_map_slot_long(c, m, keys, site);

	if (!slot)
		return 0;
	*slot = (s64)((u64)*slot + (u64)delta);
	return *slot;
}

static __attribute__((__noinline__)) s64 add_atomic_slow(struct tapir_ctx *c, struct tapir_map *m, const union tapir_val *keys,
							 s64 delta, const struct tapir_site *site)
{
	u64 hash, flags;
	struct tapir_node *node = tapir_map_find(m, keys, &hash);

	if (node)
		return __atomic_add_fetch((s64 *)&node->data[0], delta, __ATOMIC_RELAXED);
	tapir_map_provide(c, m, keys);
	flags = tapir_port_irq_save();
	if (tapir_map_try(c, &m->insertion)) {
		node = tapir_map_lookup(m, keys, hash);
		if (!node)
			node = tapir_map_append(m, keys, hash);
		if (!node)
			tapir_map_overflow(c, m, site);
		tapir_port_unlock(&m->insertion);
	} else {
		tapir_map_skip(c);
	}
	tapir_port_irq_restore(flags);
	return node ? __atomic_add_fetch((s64 *)&node->data[0], delta, __ATOMIC_RELAXED) : 0;
}

s64 tapir_map_add_long_atomic(struct tapir_ctx *c, struct tapir_map *m, const union tapir_val *keys, s64 delta,
			      const struct tapir_site *site)
{
	struct tapir_node *node = tapir_map_find_fast(m, keys);

	if (TAPIR_UNLIKELY(!node))
		return add_atomic_slow(c, m, keys, delta, site);
	return __atomic_add_fetch((s64 *)&node->data[0], delta, __ATOMIC_RELAXED);
}

/* ---- deletion and slices ---- */

void tapir_map_delete(struct tapir_ctx *c, struct tapir_map *m, const union tapir_val *keys)
{
	u64 flags = tapir_map_freeze(c, m, true);
	struct tapir_node *node = find(m, keys);

	if (node)
		tapir_map_remove(m, node);
	tapir_map_thaw(c, m, true, flags);
}

bool tapir_map_contains_slice(struct tapir_ctx *c, struct tapir_map *m, const union tapir_val *keys, u32 mask,
			      const struct tapir_site *site)
{
	struct tapir_node *node = __atomic_load_n(&m->head, __ATOMIC_ACQUIRE);
	u32 steps = 0;

	for (; node; node = __atomic_load_n(&node->next, __ATOMIC_ACQUIRE)) {
		if (same_keys(m, node, keys, mask))
			return true;
		if (!(++steps % TAPIR_LOOK_ELEMENTS) && !(tapir_afford(c, TAPIR_LOOK_ELEMENTS / TAPIR_MATCH_ELEMENTS, site) &&
							  tapir_go_on(c, TAPIR_WORK_ELEMENT, 0, site)))
			return false;
	}
	return false;
}

void tapir_map_delete_slice(struct tapir_ctx *c, struct tapir_map *m, const union tapir_val *keys, u32 mask,
			    const struct tapir_site *site)
{
	u64 flags = tapir_map_freeze(c, m, true);
	struct tapir_node *node = m->head, *next;
	u32 used[TAPIR_POOLS], steps = 0, i;

	for (i = 0; i < m->npools; i++)
		used[i] = m->pools[i].used;
	if (!tapir_afford(c, m->count / TAPIR_MATCH_ELEMENTS, site))
		node = NULL;
	for (; node && tapir_step(c, &steps, 0, site); node = next) {
		next = node->next;
		if (same_keys(m, node, keys, mask))
			tapir_map_remove(m, node);
	}
	for (i = 0; !m->count && !m->lent && i < m->npools; i++)
		tapir_pool_reset(m, &m->pools[i], used[i]);
	tapir_map_thaw(c, m, true, flags);
}

/*
 * Makes all nodes unused at once; they lose their values when they are used again. A walk through the elements at this moment still
 * sees them.
 */
void tapir_map_clear(struct tapir_ctx *c, struct tapir_map *m, const struct tapir_site *site)
{
	u64 flags;
	u32 i;

	/* A report that has cut the elements off is alone, and others may have come since. */
	if (TAPIR_UNLIKELY(m->lent == TAPIR_LENT_CUT) && c->level == TAPIR_LEVEL_REPORT)
		return;
	if (!m->count || !tapir_afford(c, tapir_table_size(m->table) / TAPIR_CLEAR_BUCKETS, site))
		return;
	flags = tapir_map_freeze(c, m, true);
	if (TAPIR_UNLIKELY(m->lent) && m->count) {
		m->head->chain = m->held_lists;
		m->held_lists = m->head;
	}
	tapir_map_empty(m);
	for (i = 0; !m->lent && i < m->npools; i++) {
		u32 used = m->pools[i].used;

		m->pools[i].used = 0;
		tapir_pool_reset(m, &m->pools[i], used);
	}
	tapir_map_thaw(c, m, true, flags);
}

/* ---- one operation under its own lock ---- */

/* False: skipped and counted. */
static bool enter(struct tapir_ctx *c, const struct tapir_global *g, u64 *flags)
{
	if (c->level == TAPIR_LEVEL_SESSION)
		return true;
	*flags = tapir_port_irq_save();
	if (tapir_map_try(c, g->lock))
		return true;
	tapir_port_irq_restore(*flags);
	tapir_port_count_skip(c, TAPIR_SKIP_LOCK);
	c->failed = TAPIR_FAIL_SKIP;
	return false;
}

static void leave(struct tapir_ctx *c, const struct tapir_global *g, u64 flags)
{
	if (c->level == TAPIR_LEVEL_SESSION)
		return;
	tapir_port_unlock(g->lock);
	tapir_port_irq_restore(flags);
}

static inline struct tapir_map *map_of(const struct tapir_global *g)
{
	return *(struct tapir_map **)g->storage;
}

s64 tapir_map_get_long_locked(struct tapir_ctx *c, const struct tapir_global *g, const union tapir_val *keys)
{
	s64 value = 0;
	u64 flags = 0;

	if (enter(c, g, &flags)) {
		value = tapir_map_get_long(map_of(g), keys);
		leave(c, g, flags);
	}
	return value;
}

void tapir_map_set_long_locked(struct tapir_ctx *c, const struct tapir_global *g, const union tapir_val *keys, s64 value,
			       const struct tapir_site *site)
{
	u64 flags = 0;

	if (enter(c, g, &flags)) {
		tapir_map_set_long(c, map_of(g), keys, value, site);
		leave(c, g, flags);
	}
}

s64 tapir_map_add_long_locked(struct tapir_ctx *c, const struct tapir_global *g, const union tapir_val *keys, s64 delta,
			      const struct tapir_site *site)
{
	s64 value = 0;
	u64 flags = 0;

	if (enter(c, g, &flags)) {
		value = tapir_map_add_long(c, map_of(g), keys, delta, site);
		leave(c, g, flags);
	}
	return value;
}
