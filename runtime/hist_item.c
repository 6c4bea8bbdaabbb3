// SPDX-License-Identifier: GPL-2.0-or-later
/* Histograms of which the loader draws pictures: struct tapir_item_histogram. */
#include <tapir/tapir.h>
#include "handler.h"
#include "format_internal.h"
#include "sketch.h"

static u32 number_bytes(u64 n)
{
	u32 bytes = 1;

	for (; n >= 128; n >>= 7)
		bytes++;
	return bytes;
}

static char *put_number(char *at, u64 n)
{
	for (; n >= 128; n >>= 7)
		*at++ = (char)(n | 128);
	*at++ = (char)n;
	return at;
}

static char *put_text(char *at, const char *text, u32 length)
{
	__builtin_memcpy(at, text, length);
	at[length] = 0;
	return at + length + 1;
}

struct title_lengths {
	u32 unit, name, keys[TAPIR_MAX_KEYS]; /* of the texts, without NULs */
};

/* Bytes of what is between the head and the pairs. */
static u32 measure_title(struct title_lengths *l, const struct tapir_hist_title *title, const union tapir_val *keys)
{
	u32 bytes, i;

	l->unit = tapir_strlen(title->unit, TAPIR_HISTOGRAM_UNIT_BYTES);
	l->name = tapir_strlen(title->name, TAPIR_HISTOGRAM_NAME_BYTES);
	bytes = l->unit + l->name + 2;
	for (i = 0; i < title->nkeys; i++) {
		if (title->strings >> i & 1)
			l->keys[i] = tapir_strlen(keys[i].s, TAPIR_HISTOGRAM_KEY_BYTES + 1);
		bytes += 1 + (title->strings >> i & 1 ? l->keys[i] + 1 : 8);
	}
	return bytes;
}

static char *put_title(char *at, const struct title_lengths *l, const struct tapir_hist_title *title, const union tapir_val *keys)
{
	u32 i;

	at = put_text(at, title->unit, l->unit);
	at = put_text(at, title->name, l->name);
	for (i = 0; i < title->nkeys; i++) {
		if (title->strings >> i & 1) {
			*at++ = TAPIR_STRING;
			at = put_text(at, keys[i].s, l->keys[i]);
			continue;
		}
		*at++ = TAPIR_LONG;
		__builtin_memcpy(at, &keys[i].n, 8);
		at += 8;
	}
	return at;
}

/* Returns their bytes, and writes them if `at` is not NULL. */
static u32 pairs_of(const struct tapir_stat_sum *s, char *at, u32 *pairs)
{
	u32 bytes = 0, empty = 0, i;

	*pairs = 0;
	for (i = 0; i < s->hist->buckets; i++) {
		if (!s->buckets[i]) {
			empty++;
			continue;
		}
		bytes += number_bytes(empty) + number_bytes(s->buckets[i]);
		if (at) {
			at = put_number(at, empty);
			at = put_number(at, s->buckets[i]);
		}
		(*pairs)++;
		empty = 0;
	}
	return bytes;
}

/* Only where the script reads percentiles, too: else nothing counts for them. */
static bool find_percentiles(struct tapir_ctx *c, const struct tapir_stat_sum *s, s64 *found, const struct tapir_site *site)
{
	static const s64 parts[] = {50, 90, 99};
	u32 i;

	if (!s->sketch || !tapir_sketch_count(s->sketch, s->entry))
		return false;
	for (i = 0; i < 3; i++)
		found[i] = tapir_stat_percentile(c, s, parts[i], 100, site);
	return !c->failed;
}

void tapir_hist_show(struct tapir_ctx *c, const struct tapir_stat_sum *s, const struct tapir_hist_title *title,
		     const union tapir_val *keys, const struct tapir_site *site)
{
	struct tapir_item_histogram item = {.item = TAPIR_ITEM_HISTOGRAM};
	struct title_lengths lengths;
	u32 bytes;
	char *at;

	bytes = sizeof(item) + measure_title(&lengths, title, keys) + pairs_of(s, NULL, &item.pairs);
	if (s->count == 0 || !item.pairs) {
		if (title->is_row)
			return;
		tapir_error(c, site, "empty aggregate");
		return;
	}
	/* Takes a thousand buckets with more than 2^34 counts in each. */
	if (bytes > TAPIR_OUTPUT_MAX) {
		tapir_error(c, site, "histogram too large to print");
		return;
	}
	if (find_percentiles(c, s, item.percentiles, site))
		item.flags |= TAPIR_HISTOGRAM_PERCENTILES;
	if (c->failed || !tapir_work(c, s->hist->buckets * (u64)TAPIR_WORK_READ / 8 + bytes * (u64)TAPIR_WORK_BYTE_WRITTEN)) {
		tapir_error_site(c, site);
		return;
	}
	item.bytes = (u16)bytes;
	item.table = title->is_row ? c->hist_table : 0;
	item.type = s->hist->type;
	item.nkeys = (u8)title->nkeys;
	item.buckets = s->hist->buckets;
	item.low = s->hist->low;
	item.high = s->hist->high;
	item.width = s->hist->width;
	item.sum = s->sum;
	item.min = s->min;
	item.max = s->max;
	at = tapir_output_item(c, bytes);
	__builtin_memcpy(at, &item, sizeof(item));
	at = put_title(at + sizeof(item), &lengths, title, keys);
	pairs_of(s, at, &item.pairs);
}

void tapir_hist_table_begin(struct tapir_ctx *c)
{
	static u64 tables;

	c->hist_table = __atomic_add_fetch(&tables, 1, __ATOMIC_RELAXED);
}

void tapir_hist_table_end(struct tapir_ctx *c)
{
	struct tapir_item_histogram item = {.item = TAPIR_ITEM_HISTOGRAM, .bytes = sizeof(item), .flags = TAPIR_HISTOGRAM_END};

	item.table = c->hist_table;
	__builtin_memcpy(tapir_output_item(c, sizeof(item)), &item, sizeof(item));
}
