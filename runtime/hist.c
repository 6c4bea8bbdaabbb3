// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Histograms. Logarithmic: bucket 64 counts 0, bucket 64 + k the values in [2^(k-1), 2^k), bucket 64 - k their negatives. Linear:
 * bucket 0 counts what is below `low`, the last what is beyond `high`, those between have `width` values each.
 */
#include <tapir/tapir.h>
#include "handler.h"
#include "format_internal.h"

#define LOG_ZERO  64u
#define WIDTH_MAX 1000u /* of the bars: output is bounded whatever HIST_WIDTH says */

bool tapir_stat_check(const struct tapir_stat_desc *desc, char *reason, u32 cap)
{
	u64 steps;

	if (desc->hist != TAPIR_HIST_LINEAR)
		return true;
	if (desc->width <= 0) {
		tapir_format(reason, cap, "histogram: Width of buckets must be positive, not %lld", (long long)desc->width);
		return false;
	}
	if (desc->high < desc->low) {
		tapir_format(reason, cap, "histogram: High limit %lld is below low limit %lld", (long long)desc->high,
			     (long long)desc->low);
		return false;
	}
	steps = ((u64)desc->high - (u64)desc->low) / (u64)desc->width;
	if (steps > TAPIR_HIST_MAX_BUCKETS - 3) {
		tapir_format(reason, cap,
			     "histogram: Number of buckets must be between %u and %u, (high - low) / width + 3 is larger",
			     TAPIR_HIST_MIN_BUCKETS, TAPIR_HIST_MAX_BUCKETS);
		return false;
	}
	return true;
}

u32 tapir_hist_buckets(const struct tapir_stat_desc *desc)
{
	return tapir_stat_buckets(desc);
}

u32 tapir_hist_index(const struct tapir_stat_desc *desc, s64 value)
{
	u64 step;
	u32 last;

	if (desc->hist == TAPIR_HIST_LOG) {
		if (value > 0)
			return LOG_ZERO + 64u - (u32)__builtin_clzll((u64)value);
		if (value < 0)
			return LOG_ZERO - 64u + (u32)__builtin_clzll(0 - (u64)value);
		return LOG_ZERO;
	}
	if (value < desc->low)
		return 0;
	last = tapir_stat_buckets(desc) - 1;
	step = ((u64)value - (u64)desc->low) / (u64)desc->width;
	return step >= last - 1 ? last : (u32)step + 1;
}

s64 tapir_hist_low(const struct tapir_stat_desc *desc, u32 bucket)
{
	if (desc->hist == TAPIR_HIST_LOG) {
		if (bucket > LOG_ZERO)
			return (s64)(1ull << (bucket - LOG_ZERO - 1));
		if (bucket < LOG_ZERO)
			return (s64)(0 - (1ull << (LOG_ZERO - 1 - bucket)));
		return 0;
	}
	return (s64)((u64)desc->low + ((u64)bucket - 1) * (u64)desc->width);
}

s64 tapir_hist_get(struct tapir_ctx *c, const struct tapir_stat_sum *s, s64 index, const struct tapir_site *site)
{
	if (s->count == 0) {
		tapir_error(c, site, "empty aggregate");
		return 0;
	}
	if (index < 0 || index >= s->nbuckets) {
		tapir_error(c, site, "histogram index out of range");
		return 0;
	}
	return (s64)s->buckets[index];
}

/* ---- printing ---- */

struct layout {
	u32 first, last;   /* rows shown, elision aside */
	u32 label, digits; /* widths of the value column and of the largest count */
	u32 width;	   /* of the bars */
	u64 scale;	   /* counts per mark */
};

static bool is_underflow(const struct tapir_stat_sum *s, u32 bucket)
{
	return s->desc->hist == TAPIR_HIST_LINEAR && bucket == 0;
}

static bool is_overflow(const struct tapir_stat_sum *s, u32 bucket)
{
	return s->desc->hist == TAPIR_HIST_LINEAR && bucket == s->nbuckets - 1;
}

/* Returns the length. */
static u32 format_label(char *buffer, u32 cap, const struct tapir_stat_sum *s, u32 bucket)
{
	const struct tapir_stat_desc *desc = s->desc;

	if (is_underflow(s, bucket))
		return tapir_format(buffer, cap, "<%lld", (long long)desc->low);
	if (is_overflow(s, bucket)) /* the lower edge of the bucket before */
		return tapir_format(buffer, cap, ">%lld", (long long)tapir_hist_low(desc, bucket - 1));
	return tapir_format(buffer, cap, "%lld", (long long)tapir_hist_low(desc, bucket));
}

/*
 * Up to two empty rows beside the data. A logarithmic histogram does not go below zero unless there are negative values; a
 * linear one shows what is below and beyond it only if there is something.
 */
static void find_rows(struct layout *l, const struct tapir_stat_sum *s)
{
	u32 i;

	for (l->first = 0; !s->buckets[l->first];)
		l->first++;
	for (l->last = s->nbuckets - 1; !s->buckets[l->last];)
		l->last--;
	for (i = 0; i < 2; i++) {
		if (l->first > 0 && !(s->desc->hist == TAPIR_HIST_LOG && l->first == LOG_ZERO))
			l->first--;
		if (l->last < s->nbuckets - 1)
			l->last++;
	}
	if (is_underflow(s, l->first) && !s->buckets[l->first])
		l->first++;
	if (is_overflow(s, l->last) && !s->buckets[l->last])
		l->last--;
}

static void widen(u32 *width, u32 length)
{
	if (*width < length)
		*width = length;
}

/* Of the value column. A linear histogram's has room for its low limit and for the edge after its last row. */
static u32 label_width(const struct layout *l, const struct tapir_stat_sum *s)
{
	char buffer[TAPIR_DIGITS_MAX + 4];
	u32 width = 5, i; /* "value" */

	for (i = l->first; i <= l->last; i++)
		widen(&width, format_label(buffer, sizeof(buffer), s, i));
	if (s->desc->hist == TAPIR_HIST_LINEAR) {
		widen(&width, tapir_format(buffer, sizeof(buffer), "%lld", (long long)s->desc->low));
		i = tapir_format(buffer, sizeof(buffer), "%lld", (long long)tapir_hist_low(s->desc, l->last + 1));
		widen(&width, i + is_overflow(s, l->last));
	}
	return width;
}

static void lay_out(struct layout *l, const struct tapir_stat_sum *s)
{
	char buffer[TAPIR_DIGITS_MAX];
	u64 max = 0;
	u32 i;

	find_rows(l, s);
	l->label = label_width(l, s);
	for (i = l->first; i <= l->last; i++) {
		if (s->buckets[i] > max)
			max = s->buckets[i];
	}
	l->width = tapir_module.hist_width ? tapir_module.hist_width : 50;
	if (l->width > WIDTH_MAX)
		l->width = WIDTH_MAX;
	l->scale = max > l->width ? (max + l->width - 1) / l->width : 1;
	l->digits = tapir_format(buffer, sizeof(buffer), "%llu", (unsigned long long)max);
}

static void put_right(struct tapir_sink *k, const char *text, u32 length, u32 width)
{
	tapir_sink_pad(k, ' ', (s32)width - (s32)length);
	tapir_sink_put(k, text, length);
}

static void put_row(struct tapir_sink *k, const struct layout *l, const struct tapir_stat_sum *s, u32 bucket)
{
	char buffer[TAPIR_DIGITS_MAX + 4];
	u32 marks = (u32)(s->buckets[bucket] / l->scale);
	u32 length = format_label(buffer, sizeof(buffer), s, bucket);

	put_right(k, buffer, length, l->label);
	tapir_sink_put(k, " |", 2);
	tapir_sink_pad(k, '@', (s32)marks);
	length = tapir_format(buffer, sizeof(buffer), "%llu", (unsigned long long)s->buckets[bucket]);
	put_right(k, buffer, length, l->width - marks + 1 + l->digits);
	tapir_sink_put(k, "\n", 1);
}

/* A row is left out when it and its neighbours up to HIST_ELISION away, as far as shown, are empty. */
static bool is_elided(const struct layout *l, const struct tapir_stat_sum *s, u32 bucket)
{
	u32 near = tapir_module.hist_elision > 0 ? (u32)tapir_module.hist_elision : 0;
	u32 from = bucket - l->first > near ? bucket - near : l->first;
	u32 to = l->last - bucket > near ? bucket + near : l->last;

	if (tapir_module.hist_elision < 0)
		return false;
	for (; from <= to; from++) {
		if (s->buckets[from])
			return false;
	}
	return true;
}

/* "empty aggregate" at `site` if there is nothing to show. */
static bool put_histogram(struct tapir_sink *k, const struct tapir_stat_sum *s, const struct tapir_site *site)
{
	struct layout l;
	bool gap = false;
	u64 any = 0;
	u32 i;

	for (i = 0; i < s->nbuckets; i++)
		any |= s->buckets[i];
	if (s->count == 0 || !any) {
		tapir_error(k->c, site, "empty aggregate");
		return false;
	}
	lay_out(&l, s);
	put_right(k, "value", 5, l.label);
	tapir_sink_put(k, " |", 2);
	tapir_sink_pad(k, '-', (s32)l.width);
	tapir_sink_put(k, " count\n", 7);
	for (i = l.first; i <= l.last; i++) {
		if (is_elided(&l, s, i)) {
			gap = true;
			continue;
		}
		if (gap) {
			put_right(k, "~", 1, l.label + 2);
			tapir_sink_put(k, "\n", 1);
			gap = false;
		}
		put_row(k, &l, s, i);
	}
	tapir_sink_put(k, "\n", 1);
	return true;
}

void tapir_hist_print(struct tapir_ctx *c, const struct tapir_stat_sum *s, const struct tapir_site *site)
{
	struct tapir_sink k = {c, NULL, 0, 0};

	put_histogram(&k, s, site);
}

void tapir_hist_sprint(struct tapir_ctx *c, char *dst, const struct tapir_stat_sum *s, bool newline, const struct tapir_site *site)
{
	struct tapir_sink k = {c, dst, 0, tapir_module.string_cap};

	if (put_histogram(&k, s, site) && newline)
		tapir_sink_put(&k, "\n", 1);
	dst[k.length] = 0;
}
