// SPDX-License-Identifier: GPL-2.0-or-later
/* Histograms as the language defines their text. */
#include <tapir/tapir.h>
#include "handler.h"
#include "format_internal.h"

#define LABEL_MAX 64u	/* a range of two numbers */
#define WIDTH_MAX 1000u /* of the bars: output is bounded even if HIST_WIDTH is larger */

static bool check_linear(const struct tapir_hist_desc *hist, char *reason, u32 cap)
{
	if (hist->width <= 0) {
		tapir_format(reason, cap, "histogram: Width of buckets must be positive, not %lld", (long long)hist->width);
		return false;
	}
	if (hist->high < hist->low) {
		tapir_format(reason, cap, "histogram: High limit %lld is below low limit %lld", (long long)hist->high,
			     (long long)hist->low);
		return false;
	}
	if (((u64)hist->high - (u64)hist->low) / (u64)hist->width > TAPIR_HIST_MAX_BUCKETS - TAPIR_HIST_MIN_BUCKETS) {
		tapir_format(reason, cap,
			     "histogram: Number of buckets must be between %u and %u, (high - low) / width + 3 is larger",
			     TAPIR_HIST_MIN_BUCKETS, TAPIR_HIST_MAX_BUCKETS);
		return false;
	}
	return true;
}

bool tapir_stat_check(const struct tapir_stat_desc *desc, char *reason, u32 cap)
{
	u32 i;

	for (i = 0; i < desc->nhists; i++) {
		if (desc->hists[i].type == TAPIR_HIST_LINEAR && !check_linear(&desc->hists[i], reason, cap))
			return false;
	}
	return true;
}

s64 tapir_hist_get(struct tapir_ctx *c, const struct tapir_stat_sum *s, s64 index, const struct tapir_site *site)
{
	if (s->count == 0) {
		tapir_error(c, site, "empty aggregate");
		return 0;
	}
	if (index < 0 || index >= s->hist->buckets) {
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
	return s->hist->type != TAPIR_HIST_LOG && bucket == 0;
}

static bool is_overflow(const struct tapir_stat_sum *s, u32 bucket)
{
	return s->hist->type != TAPIR_HIST_LOG && bucket == s->hist->buckets - 1;
}

/* The buffers of these have LABEL_MAX bytes; they return the length. */

static const char units[] = "KMGTPE";

/* The end of a range: with a unit only if it is a multiple of it. One that is not negative may have 64 bits. */
static u32 format_edge(char *buffer, u32 cap, s64 edge, bool negative, u32 base)
{
	u64 size = negative ? 0 - (u64)edge : (u64)edge;
	u32 unit = 0;

	for (; size && size % base == 0; size /= base)
		unit++;
	return tapir_format(buffer, cap, "%s%llu%.*s", negative ? "-" : "", (unsigned long long)size, unit != 0,
			    units + unit - (unit != 0));
}

/* Three digits and a unit. */
static u32 format_count(char *buffer, u64 count)
{
	u32 unit = 0, rest = 0;

	if (!tapir_module.hist_units || count < 10000)
		return tapir_format(buffer, LABEL_MAX, "%llu", (unsigned long long)count);
	for (; count >= 1000; count /= 1000) {
		rest = (u32)(count % 1000);
		unit++;
	}
	if (count >= 100)
		return tapir_format(buffer, LABEL_MAX, "%u%c", (u32)count, units[unit - 1]);
	if (count >= 10)
		return tapir_format(buffer, LABEL_MAX, "%u.%u%c", (u32)count, rest / 100, units[unit - 1]);
	return tapir_format(buffer, LABEL_MAX, "%u.%02u%c", (u32)count, rest / 10, units[unit - 1]);
}

/* "1K .. 2K": from the end nearer to zero on in a logarithmic histogram, from the low end on in others. */
static u32 format_range(char *buffer, const struct tapir_stat_sum *s, u32 bucket)
{
	const struct tapir_hist_desc *hist = s->hist;
	bool is_log = hist->type == TAPIR_HIST_LOG, negative;
	u32 base = is_log ? 1024 : 1000, length;
	s64 low = tapir_hist_low(hist, bucket), next;

	if (is_underflow(s, bucket))
		low = tapir_hist_low(hist, 1);
	negative = low < 0 && !is_overflow(s, bucket);
	if (is_underflow(s, bucket) || is_overflow(s, bucket)) {
		length = tapir_format(buffer, LABEL_MAX, "%s ", is_underflow(s, bucket) ? "<" : ">=");
		return length + format_edge(buffer + length, LABEL_MAX - length, low, negative, base);
	}
	if (is_log && (bucket == 0 || (bucket >= TAPIR_HIST_LOG_ZERO - 1 && bucket <= TAPIR_HIST_LOG_ZERO + 1)))
		return format_edge(buffer, LABEL_MAX, low, negative, base);
	if (is_log && negative) {
		next = low;
		low = tapir_hist_low(hist, bucket - 1);
	} else {
		next = tapir_hist_low(hist, bucket + 1);
	}
	length = format_edge(buffer, LABEL_MAX, low, negative, base);
	if ((u64)next - (u64)low == 1)
		return length;
	length += tapir_format(buffer + length, LABEL_MAX - length, " .. ");
	/* The edge after a positive number may not fit 63 bits. */
	negative = negative && next < 0;
	return length + format_edge(buffer + length, LABEL_MAX - length, next, negative, base);
}

static u32 format_label(char *buffer, const struct tapir_stat_sum *s, u32 bucket)
{
	const struct tapir_hist_desc *hist = s->hist;

	if (tapir_module.hist_units)
		return format_range(buffer, s, bucket);
	if (is_underflow(s, bucket))
		return tapir_format(buffer, LABEL_MAX, "<%lld", (long long)tapir_hist_low(hist, 1));
	if (is_overflow(s, bucket) && hist->type == TAPIR_HIST_LINEAR) /* the lower edge of the bucket before */
		return tapir_format(buffer, LABEL_MAX, ">%lld", (long long)tapir_hist_low(hist, bucket - 1));
	if (is_overflow(s, bucket))
		return tapir_format(buffer, LABEL_MAX, ">=%lld", (long long)tapir_hist_low(hist, bucket));
	return tapir_format(buffer, LABEL_MAX, "%lld", (long long)tapir_hist_low(hist, bucket));
}

static const char *label_title(const struct tapir_stat_sum *s)
{
	if (!tapir_module.hist_units)
		return "value";
	return s->hist->type == TAPIR_HIST_LOG ? "value (K=1024)" : "value (K=1000)";
}

/*
 * Up to two empty rows beside the data. A logarithmic histogram does not go below zero unless there are negative values; the
 * others show what is below and beyond it only if there is something.
 */
static void find_rows(struct layout *l, const struct tapir_stat_sum *s)
{
	u32 i;

	for (l->first = 0; !s->buckets[l->first];)
		l->first++;
	for (l->last = s->hist->buckets - 1; !s->buckets[l->last];)
		l->last--;
	for (i = 0; i < 2; i++) {
		if (l->first > 0 && !(s->hist->type == TAPIR_HIST_LOG && l->first == TAPIR_HIST_LOG_ZERO))
			l->first--;
		if (l->last < s->hist->buckets - 1)
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

/* The width of the value column. A linear histogram's has room for its low limit and for the edge after its last row. */
static u32 label_width(const struct layout *l, const struct tapir_stat_sum *s)
{
	char buffer[LABEL_MAX];
	u32 width = tapir_strlen(label_title(s), LABEL_MAX), i;

	for (i = l->first; i <= l->last; i++)
		widen(&width, format_label(buffer, s, i));
	if (s->hist->type == TAPIR_HIST_LINEAR && !tapir_module.hist_units) {
		widen(&width, tapir_format(buffer, LABEL_MAX, "%lld", (long long)s->hist->low));
		i = tapir_format(buffer, LABEL_MAX, "%lld", (long long)tapir_hist_low(s->hist, l->last + 1));
		widen(&width, i + is_overflow(s, l->last));
	}
	return width;
}

static void lay_out(struct layout *l, const struct tapir_stat_sum *s)
{
	char buffer[LABEL_MAX];
	u64 max = 0;
	u32 i;

	find_rows(l, s);
	l->label = label_width(l, s);
	l->digits = 0;
	for (i = l->first; i <= l->last; i++) {
		if (s->buckets[i] > max)
			max = s->buckets[i];
		widen(&l->digits, format_count(buffer, s->buckets[i]));
	}
	l->width = tapir_module.hist_width ? tapir_module.hist_width : 50;
	if (l->width > WIDTH_MAX)
		l->width = WIDTH_MAX;
	l->scale = max > l->width ? (max + l->width - 1) / l->width : 1;
}

static void put_right(struct tapir_sink *k, const char *text, u32 length, u32 width)
{
	tapir_sink_pad(k, ' ', (s32)width - (s32)length);
	tapir_sink_put(k, text, length);
}

static void put_row(struct tapir_sink *k, const struct layout *l, const struct tapir_stat_sum *s, u32 bucket)
{
	char buffer[LABEL_MAX];
	u32 marks = (u32)(s->buckets[bucket] / l->scale);
	u32 length = format_label(buffer, s, bucket);

	put_right(k, buffer, length, l->label);
	tapir_sink_put(k, " |", 2);
	tapir_sink_pad(k, '@', (s32)marks);
	length = format_count(buffer, s->buckets[bucket]);
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

	for (i = 0; i < s->hist->buckets; i++)
		any |= s->buckets[i];
	if (s->count == 0 || !any) {
		tapir_error(k->c, site, "empty aggregate");
		return false;
	}
	tapir_work(k->c, s->hist->buckets * (u64)TAPIR_WORK_READ);
	lay_out(&l, s);
	put_right(k, label_title(s), tapir_strlen(label_title(s), LABEL_MAX), l.label);
	tapir_sink_put(k, " |", 2);
	tapir_sink_pad(k, '-', (s32)l.width);
	if (tapir_module.hist_units)
		tapir_sink_put(k, " count (K=1000)\n", 16);
	else
		tapir_sink_put(k, " count\n", 7);
	for (i = l.first; i <= l.last && tapir_work(k->c, TAPIR_WORK_ROW); i++) {
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
	if (k->c->failed)
		tapir_error_site(k->c, site);
	return !k->c->failed;
}

void tapir_hist_print(struct tapir_ctx *c, const struct tapir_stat_sum *s, const struct tapir_site *site)
{
	struct tapir_sink k;

	tapir_output_open(c, &k);
	put_histogram(&k, s, site);
	tapir_output_close(&k);
}

void tapir_hist_sprint(struct tapir_ctx *c, char *dst, const struct tapir_stat_sum *s, bool newline, const struct tapir_site *site)
{
	struct tapir_sink k = {.c = c, .dst = dst, .limit = tapir_module.string_cap - 1};

	if (put_histogram(&k, s, site) && newline)
		tapir_sink_put(&k, "\n", 1);
	dst[k.length] = 0;
}
