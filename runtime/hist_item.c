// SPDX-License-Identifier: GPL-2.0-or-later
/* Histograms of which the loader makes text and pictures: struct tapir_item_histogram. */
#include <tapir/tapir.h>
#include "format_internal.h"
#include "handler.h"
#include "hist_text.h"
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

/* An item that is to be written, measured. */
struct item_plan {
	const struct tapir_stat_sum *s;
	const struct tapir_hist_title *title;
	const union tapir_val *keys;
	struct title_lengths lengths;
	u32 bytes, pairs;
};

static struct item_plan plan_item(const struct tapir_stat_sum *s, const struct tapir_hist_title *title, const union tapir_val *keys)
{
	struct item_plan plan = {.s = s, .title = title, .keys = keys};

	plan.bytes = sizeof(struct tapir_item_histogram) + measure_title(&plan.lengths, title, keys);
	plan.bytes += pairs_of(s, NULL, &plan.pairs);
	return plan;
}

static void write_item(struct tapir_ctx *c, const struct item_plan *plan, struct tapir_item_histogram item,
		       const struct tapir_site *site)
{
	const struct tapir_stat_sum *s = plan->s;
	char *at;

	if (find_percentiles(c, s, item.percentiles, site))
		item.flags |= TAPIR_HISTOGRAM_PERCENTILES;
	if (c->failed || !tapir_work(c, s->hist->buckets * (u64)TAPIR_WORK_READ / 8 + plan->bytes * (u64)TAPIR_WORK_BYTE_WRITTEN)) {
		tapir_error_site(c, site);
		return;
	}
	item.item = TAPIR_ITEM_HISTOGRAM;
	item.bytes = (u16)plan->bytes;
	item.type = s->hist->type;
	item.nkeys = (u8)plan->title->nkeys;
	item.buckets = s->hist->buckets;
	item.pairs = plan->pairs;
	item.low = s->hist->low;
	item.high = s->hist->high;
	item.width = s->hist->width;
	item.sum = s->sum;
	item.min = s->min;
	item.max = s->max;
	at = tapir_output_item(c, plan->bytes);
	__builtin_memcpy(at, &item, sizeof(item));
	at = put_title(at + sizeof(item), &plan->lengths, plan->title, plan->keys);
	pairs_of(s, at, &item.pairs);
}

void tapir_hist_show(struct tapir_ctx *c, const struct tapir_stat_sum *s, const struct tapir_hist_title *title,
		     const union tapir_val *keys, const struct tapir_site *site)
{
	struct tapir_item_histogram item = {.flags = TAPIR_HISTOGRAM_ENDS, .table = title->is_row ? c->hist_table : 0};
	const struct item_plan plan = plan_item(s, title, keys);

	if (s->count == 0 || !plan.pairs) {
		if (title->is_row)
			return;
		tapir_error(c, site, "empty aggregate");
		return;
	}
	/* Takes a thousand buckets with more than 2^34 counts in each. */
	if (plan.bytes > TAPIR_OUTPUT_MAX) {
		tapir_error(c, site, "histogram too large to print");
		return;
	}
	write_item(c, &plan, item, site);
}

void tapir_hist_print(struct tapir_ctx *c, const struct tapir_stat_sum *s, const struct tapir_hist_title *title,
		      const union tapir_val *keys, const struct tapir_site *site)
{
	struct tapir_item_histogram item = {.flags = TAPIR_HISTOGRAM_TEXT};
	const struct item_plan plan = plan_item(s, title, keys);
	struct tapir_hist_text style = {};
	struct tapir_sink k;

	if (s->count == 0 || !plan.pairs) {
		tapir_error(c, site, "empty aggregate");
		return;
	}
	/* A text may go on in the next record. */
	if (plan.bytes > TAPIR_OUTPUT_MAX) {
		tapir_output_open(c, &k);
		tapir_hist_put(&k, s, site);
		tapir_output_close(&k);
		return;
	}
	tapir_hist_style(&style);
	item.bar = style.bar;
	item.elision = style.elision;
	item.flags |= (style.units ? TAPIR_HISTOGRAM_RANGES : 0) | (s->desc->min_max ? TAPIR_HISTOGRAM_ENDS : 0);
	write_item(c, &plan, item, site);
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
