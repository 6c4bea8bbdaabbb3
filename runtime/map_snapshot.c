// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Snapshots of arrays, for handlers that go through one and print. Others wait only while the elements are copied, or the first few
 * in the order of the loop are found. They do not wait while the elements are sorted, formatted and written.
 *
 * Reports need not copy elements that they delete: they cut them off (map_lend.c). Two kinds of arrays are only noted while others
 * wait: statistics, whose adders never wait, and numbers by texts. The report merges and copies these elements later; elements that
 * are deleted meanwhile are kept for it.
 */
#include "map_internal.h"
#include "map_shape.h"

static struct tapir_map *snapshot_map(const struct tapir_snapshot *s)
{
	return *(struct tapir_map **)tapir_module.globals[s->global].storage;
}

static bool is_cut(const struct tapir_ctx *c, const struct tapir_snapshot *s)
{
	return s->cut && c->level == TAPIR_LEVEL_REPORT;
}

/* The first few in the order of the loop are found without sorting. */
static bool is_selected(const struct tapir_snapshot *s)
{
	return s->sort != TAPIR_SORT_NONE && s->limit && s->limit <= TAPIR_SELECT_MAX;
}

/* True if the memory for the snapshot is there. */
static bool is_possible(const struct tapir_ctx *c, const struct tapir_snapshot *s)
{
	const struct tapir_map *m = snapshot_map(s);

	if (is_cut(c, s))
		return true;
	return m->copies && (!m->stat || c->level == TAPIR_LEVEL_REPORT);
}

/* Does a report only note which elements there are? */
static bool is_noted(const struct tapir_ctx *c, const struct tapir_snapshot *s)
{
	const struct tapir_map *m = snapshot_map(s);

	if (!m->pick_bytes || c->level != TAPIR_LEVEL_REPORT || is_cut(c, s))
		return false;
	return m->stat || !is_selected(s);
}

static void unclaim(const struct tapir_snapshots *set, u32 count)
{
	while (count-- > 0)
		__atomic_store_n(&snapshot_map(&set->of[count])->taken, 0, __ATOMIC_RELEASE);
}

static bool claim(const struct tapir_ctx *c, const struct tapir_snapshots *set)
{
	u32 i;

	for (i = 0; i < set->count; i++) {
		struct tapir_map *m = snapshot_map(&set->of[i]);

		if (!is_possible(c, &set->of[i]) || __atomic_exchange_n(&m->taken, 1, __ATOMIC_ACQUIRE))
			break;
	}
	if (i == set->count)
		return true;
	unclaim(set, i);
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
		return m->stat ? m->node_bytes : tapir_copy_bytes(m, m->node_bytes);
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

/* Appends a copy after the last one; `link` is where it is linked from. Returns NULL if there is no room. */
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

/* ---- many elements at once: others wait for each instruction ---- */

/* The layout of an element to copy, except for strings as values. */
struct shape {
	u32 words;   /* number words; the first one is the value */
	u32 strings; /* that follow */
	u32 most;    /* bytes of a copy at most; of numbers only, exactly so many */
};

static struct shape shape_of(const struct tapir_map *m)
{
	struct shape shape = {.words = m->nkeys + 1, .most = tapir_copy_bytes(m, m->node_bytes)};
	u32 i;

	for (i = 0; i < m->nkeys; i++)
		shape.strings += tapir_key_is_string(m, i);
	shape.words -= shape.strings;
	/* The stamp stands before the strings. */
	shape.words += m->packed && m->stamp_at;
	return shape;
}

/* Copies `count` elements from `node` on, one behind the other; the last is linked to the place behind it. Returns the next
 * element.
 */
static const struct tapir_node *copy_numbers(struct tapir_node *copy, const struct tapir_node *node, const struct shape *shape,
					     u32 count)
{
	u32 words = shape->words, bytes = shape->most, i;

	do {
		struct tapir_node *next = (struct tapir_node *)((char *)copy + bytes);

		copy->data[0] = node->data[0];
		for (i = 1; i < words; i++)
			copy->data[i] = node->data[i];
		copy->next = next;
		copy = next;
		node = node->next;
	} while (--count);
	return node;
}

/* Copies the words of an element, and its strings to their ends; returns the place behind the copy. */
static u64 *copy_strings(struct tapir_node *copy, const struct tapir_node *node, const struct shape *shape)
{
	const u64 *from = node->data;
	u64 *to = copy->data;
	u32 left;

	for (left = shape->words; left; left--)
		*to++ = *from++;
	for (left = shape->strings; left; left--) {
		u64 word;

		do {
			word = *from++;
			*to++ = word;
		} while (!tapir_word_zeros(word));
	}
	return to;
}

/* Copies up to `count` (> 0) elements from *node on while they fit in one piece of memory. Returns 0 if not even one fits. */
static u32 copy_run(struct tapir_map *m, const struct tapir_node **node, const struct shape *shape, u32 count,
		    struct tapir_node ***link)
{
	u64 left = m->copying->node_bytes - m->copying_at;
	struct tapir_node *copy;
	u32 done;

	if (left < shape->most) {
		*link = append_copy(m, *node, *link);
		*node = (*node)->next;
		return *link != NULL;
	}
	copy = **link = (struct tapir_node *)((char *)m->copying + TAPIR_BATCH_HEAD + m->copying_at);
	if (!shape->strings) {
		if (count > left / shape->most)
			count = (u32)(left / shape->most);
		*node = copy_numbers(copy, *node, shape, count);
		m->copying_at += (u64)count * shape->most;
		*link = &((struct tapir_node *)((char *)copy + (u64)(count - 1) * shape->most))->next;
		m->ncopied += count;
		return count;
	}
	for (done = 0; done < count && left >= shape->most; done++) {
		struct tapir_node *next = (struct tapir_node *)copy_strings(copy, *node, shape);

		left -= (u64)((char *)next - (char *)copy);
		*link = &copy->next;
		copy->next = next;
		copy = next;
		*node = (*node)->next;
	}
	m->copying_at = m->copying->node_bytes - left;
	m->ncopied += done;
	return done;
}

/* As copy_map(), of the first `count` elements. */
static struct tapir_node **copy_all(struct tapir_ctx *c, struct tapir_map *m, u32 count, struct tapir_node **link,
				    const struct tapir_site *site)
{
	bool string_value = m->desc->value_type == TAPIR_STRING;
	const struct tapir_node *node = m->head;
	struct shape shape = shape_of(m);
	u32 steps = 0, done, each = shape.strings ? TAPIR_WORK_ELEMENT : TAPIR_WORK_LINKED;

	if (!tapir_afford(c, count / TAPIR_MATCH_ELEMENTS, site))
		return NULL;
	for (; string_value && link && node && m->ncopied < count && tapir_step(c, &steps, 0, site); node = node->next)
		link = append_copy(m, node, link);
	while (!string_value && link && m->ncopied < count) {
		u32 left = count - m->ncopied;

		done = copy_run(m, &node, &shape, left < TAPIR_LOOK_ELEMENTS ? left : TAPIR_LOOK_ELEMENTS, &link);
		if (!done)
			return NULL;
		steps += done;
		if (steps >= TAPIR_LOOK_ELEMENTS && !tapir_go_on(c, each, 0, site))
			break;
		steps %= TAPIR_LOOK_ELEMENTS;
	}
	return link;
}

/* False: there is not enough room, which grows after the array; or an error was raised. */
static bool copy_map(struct tapir_ctx *c, struct tapir_map *m, const struct tapir_snapshot *s, const struct tapir_site *site)
{
	struct tapir_foreach spec = {.sort = s->sort, .column = s->column};
	struct tapir_node *first[TAPIR_SELECT_MAX], **link = &m->copied;
	u32 i, count;

	m->ncopied = 0;
	m->copying = m->copies;
	m->copying_at = 0;
	if (is_selected(s)) {
		count = tapir_map_select(c, m, &spec, s->limit, NULL, first, site);
		for (i = 0; link && i < count; i++)
			link = append_copy(m, first[i], link);
	} else {
		count = s->sort == TAPIR_SORT_NONE && s->limit && s->limit < m->count ? s->limit : m->count;
		link = copy_all(c, m, count, link, site);
	}
	if (link)
		*link = NULL;
	return link && !c->failed;
}

/* ---- statistics, and numbers by texts: nodes are noted first, and copied later ---- */

static u64 room_in(const struct tapir_batch *batch, u32 waste)
{
	u64 room = 0;

	for (; batch; batch = __atomic_load_n(&batch->next, __ATOMIC_ACQUIRE))
		room += batch->node_bytes - waste;
	return room;
}

static bool has_room(const struct tapir_map *m)
{
	u64 copies = 0, picks = 0;
	u32 i;

	for (i = 0; i < m->npools; i++) {
		u64 used = __atomic_load_n(&m->pools[i].used, __ATOMIC_RELAXED);

		copies += used * tapir_copy_bytes(m, m->pools[i].node_bytes);
		picks += used * m->pick_bytes;
	}
	return picks <= room_in(m->picks, 0) && copies <= room_in(m->copies, tapir_copies_waste(m));
}

static struct tapir_pick *pick_at(struct tapir_batch *batch, u64 at)
{
	return (struct tapir_pick *)((char *)batch + TAPIR_BATCH_HEAD + at);
}

/* Notes `count` (> 0) elements from `node` on; returns the next one. Others wait for each instruction. */
static struct tapir_node *note_nodes(struct tapir_pick *pick, struct tapir_node *node, u32 count)
{
	struct tapir_node **picks = &pick->node;
	u32 i;

	for (i = 0; i < count; i++) {
		picks[i] = node;
		node = node->next;
	}
	return node;
}

/* As note_nodes(), of numbers. */
static struct tapir_node *note_numbers(struct tapir_pick *pick, struct tapir_node *node, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++) {
		pick[i].node = node;
		pick[i].value = node->data[0];
		node = node->next;
	}
	return node;
}

/* Like copy_map(). No other handler creates elements meanwhile, so all have a sample. */
static bool note_map(struct tapir_ctx *c, struct tapir_map *m, const struct tapir_snapshot *s, const struct tapir_site *site)
{
	struct tapir_node *node = m->head;
	u32 count = m->count, steps = 0;
	struct tapir_batch *batch = m->picks;
	u64 at = 0;

	if (!has_room(m) || !tapir_afford(c, count / TAPIR_WALK_ELEMENTS, site))
		return false;
	if (s->sort == TAPIR_SORT_NONE && s->limit && s->limit < count)
		count = s->limit;
	m->ncopied = 0;
	while (m->ncopied < count) {
		u32 done = count - m->ncopied < TAPIR_LOOK_ELEMENTS ? count - m->ncopied : TAPIR_LOOK_ELEMENTS;

		if (at == batch->node_bytes) {
			batch = __atomic_load_n(&batch->next, __ATOMIC_ACQUIRE);
			at = 0;
			if (!batch)
				return false;
		}
		if ((u64)done * m->pick_bytes > batch->node_bytes - at)
			done = (u32)((batch->node_bytes - at) / m->pick_bytes);
		node = m->stat ? note_nodes(pick_at(batch, at), node, done) : note_numbers(pick_at(batch, at), node, done);
		at += (u64)done * m->pick_bytes;
		m->ncopied += done;
		steps += done;
		if (steps >= TAPIR_LOOK_ELEMENTS && !tapir_go_on(c, TAPIR_WORK_LINKED, 0, site))
			return false;
		steps %= TAPIR_LOOK_ELEMENTS;
	}
	return true;
}

/* The keys of an element with the value that it had; of a statistic with one slot, in which all are merged. There is room for it.
 */
static struct tapir_node *noted_copy(struct tapir_map *m, const struct tapir_pick *pick)
{
	u32 bytes = bytes_of(m, pick->node), i;
	struct tapir_node *copy = room_for_copy(m, bytes + m->slot_words * 8);
	u64 *slot;

	if (!copy)
		return NULL;
	for (i = 1; i < (bytes - (u32) __builtin_offsetof(struct tapir_node, data)) / 8; i++)
		copy->data[i] = pick->node->data[i];
	if (!m->stat) {
		copy->data[0] = pick->value;
		return copy;
	}
	slot = (u64 *)((char *)copy + bytes);
	copy->data[0] = (u64)(unsigned long)slot;
	tapir_node_merge(m, pick->node, slot);
	return copy;
}

/* Copies the noted elements. */
static void copy_noted(struct tapir_ctx *c, struct tapir_map *m, const struct tapir_site *site)
{
	struct tapir_node *copy, **link = &m->copied;
	struct tapir_batch *batch = m->picks;
	u32 count = m->ncopied, steps = 0;
	u64 at = 0;

	m->ncopied = 0;
	m->copied_slots = 1;
	m->copying = m->copies;
	m->copying_at = 0;
	while (m->ncopied < count && tapir_step(c, &steps, 0, site)) {
		if (at == batch->node_bytes) {
			batch = batch->next;
			at = 0;
		}
		copy = noted_copy(m, pick_at(batch, at));
		if (!copy)
			break;
		at += m->pick_bytes;
		*link = copy;
		link = &copy->next;
		m->ncopied++;
	}
	*link = NULL;
	if (m->lent)
		tapir_map_take_back(m);
}

/* ---- for handlers ---- */

static bool take_one(struct tapir_ctx *c, const struct tapir_snapshot *s, const struct tapir_site *site)
{
	struct tapir_map *m = snapshot_map(s);
	bool noted;
	u64 flags;

	if (is_cut(c, s))
		return tapir_afford(c, tapir_table_size(m->table) / TAPIR_CLEAR_BUCKETS, site);
	if (!is_noted(c, s))
		return copy_map(c, m, s, site);
	flags = tapir_map_freeze(c, m, false);
	noted = note_map(c, m, s, site);
	tapir_map_thaw(c, m, false, flags);
	return noted;
}

bool tapir_snapshots_take(struct tapir_ctx *c, const struct tapir_snapshots *set, const struct tapir_site *site)
{
	u32 i;

	if (c->level == TAPIR_LEVEL_SESSION || !claim(c, set))
		return false;
	for (i = 0; i < set->count; i++) {
		if (!take_one(c, &set->of[i], site)) {
			unclaim(set, set->count);
			return false;
		}
	}
	/* Nothing fails from here on. */
	for (i = 0; i < set->count; i++) {
		struct tapir_map *m = snapshot_map(&set->of[i]);

		if (is_cut(c, &set->of[i]))
			tapir_map_cut(c, m);
		else if (m->stat && !m->desc->stable)
			__atomic_store_n(&m->lent, TAPIR_LENT_PINS, __ATOMIC_RELAXED);
	}
	return true;
}

void tapir_snapshots_complete(struct tapir_ctx *c, const struct tapir_snapshots *set, const struct tapir_site *site)
{
	u32 i;

	for (i = 0; i < set->count; i++)
		if (is_noted(c, &set->of[i]))
			copy_noted(c, snapshot_map(&set->of[i]), site);
}

void tapir_snapshots_drop(const struct tapir_snapshots *set)
{
	u32 i;

	for (i = 0; i < set->count; i++)
		if (snapshot_map(&set->of[i])->lent)
			tapir_map_take_back(snapshot_map(&set->of[i]));
	unclaim(set, set->count);
}
