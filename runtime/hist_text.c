// SPDX-License-Identifier: GPL-2.0-or-later
#include <tapir/tapir.h>
#include "format_internal.h"
#include "handler.h"
#include "hist_text.h"

#define LABEL_MAX 64u /* a range of two numbers */

static bool is_underflow(const struct tapir_hist_text *t, u32 bucket)
{
	return t->hist->type != TAPIR_HIST_LOG && bucket == 0;
}

static bool is_overflow(const struct tapir_hist_text *t, u32 bucket)
{
	return t->hist->type != TAPIR_HIST_LOG && bucket == t->hist->buckets - 1;
}

static const char unit_letters[] = "KMGTPE";

static void put_unsigned(struct tapir_sink *k, u64 n)
{
	const struct tapir_spec plain = {.conv = TAPIR_CONV_UNSIGNED, .precision = TAPIR_FMT_UNSET};

	tapir_sink_number(k, &plain, n);
}

/* The end of a range: with a unit only if it is a multiple of it. One that is not negative may have 64 bits. */
static void put_edge(struct tapir_sink *k, s64 edge, bool negative, u32 base)
{
	u64 size = negative ? 0 - (u64)edge : (u64)edge;
	u32 unit = 0;

	for (; size && size % base == 0; size /= base)
		unit++;
	tapir_sink_put(k, "-", negative);
	put_unsigned(k, size);
	if (unit)
		tapir_sink_put(k, &unit_letters[unit - 1], 1);
}

/* Three digits and a unit. */
static void put_count(struct tapir_sink *k, const struct tapir_hist_text *t, u64 count)
{
	const struct tapir_spec two_digits = {.conv = TAPIR_CONV_UNSIGNED, .flags = TAPIR_FMT_ZERO, .width = 2, .precision = -1};
	u32 unit = 0, rest = 0;

	if (!t->units || count < 10000) {
		put_unsigned(k, count);
		return;
	}
	for (; count >= 1000; count /= 1000) {
		rest = (u32)(count % 1000);
		unit++;
	}
	put_unsigned(k, count);
	if (count < 100)
		tapir_sink_put(k, ".", 1);
	if (count < 10)
		tapir_sink_number(k, &two_digits, rest / 10);
	else if (count < 100)
		put_unsigned(k, rest / 100);
	tapir_sink_put(k, &unit_letters[unit - 1], 1);
}

/* "1K .. 2K": from the end nearer to zero on in a logarithmic histogram, from the low end on in others. */
static void put_range(struct tapir_sink *k, const struct tapir_hist_text *t, u32 bucket)
{
	const struct tapir_hist_desc *hist = t->hist;
	bool is_log = hist->type == TAPIR_HIST_LOG, negative;
	u32 base = is_log ? 1024 : 1000;
	s64 low = tapir_hist_low(hist, is_underflow(t, bucket) ? 1 : bucket), next;

	negative = low < 0 && !is_overflow(t, bucket);
	if (is_underflow(t, bucket) || is_overflow(t, bucket)) {
		tapir_sink_put(k, is_underflow(t, bucket) ? "< " : ">= ", is_underflow(t, bucket) ? 2 : 3);
		put_edge(k, low, negative, base);
		return;
	}
	if (is_log && (bucket == 0 || (bucket >= TAPIR_HIST_LOG_ZERO - 1 && bucket <= TAPIR_HIST_LOG_ZERO + 1))) {
		put_edge(k, low, negative, base);
		return;
	}
	if (is_log && negative) {
		next = low;
		low = tapir_hist_low(hist, bucket - 1);
	} else {
		next = tapir_hist_low(hist, bucket + 1);
	}
	put_edge(k, low, negative, base);
	if ((u64)next - (u64)low == 1)
		return;
	tapir_sink_put(k, " .. ", 4);
	/* The edge after a positive number may not fit 63 bits. */
	put_edge(k, next, negative && next < 0, base);
}

static void put_label(struct tapir_sink *k, const struct tapir_hist_text *t, u32 bucket)
{
	const struct tapir_hist_desc *hist = t->hist;

	if (t->units) {
		put_range(k, t, bucket);
	} else if (is_underflow(t, bucket)) {
		tapir_sink_put(k, "<", 1);
		tapir_sink_decimal(k, tapir_hist_low(hist, 1));
	} else if (is_overflow(t, bucket) && hist->type == TAPIR_HIST_LINEAR) { /* the lower edge of the bucket before */
		tapir_sink_put(k, ">", 1);
		tapir_sink_decimal(k, tapir_hist_low(hist, bucket - 1));
	} else {
		tapir_sink_put(k, ">=", is_overflow(t, bucket) ? 2 : 0);
		tapir_sink_decimal(k, tapir_hist_low(hist, bucket));
	}
}

static const char *label_title(const struct tapir_hist_text *t, u32 *length)
{
	*length = t->units ? 14 : 5;
	if (!t->units)
		return "value";
	return t->hist->type == TAPIR_HIST_LOG ? "value (K=1024)" : "value (K=1000)";
}

/*
 * Up to two empty rows beside the data. A logarithmic histogram does not go below zero unless there are negative values; the
 * others show what is below and beyond it only if there is something.
 */
static void find_rows(struct tapir_hist_text *t)
{
	u32 i;

	for (t->first = 0; !t->buckets[t->first];)
		t->first++;
	for (t->last = t->hist->buckets - 1; !t->buckets[t->last];)
		t->last--;
	for (i = 0; i < 2; i++) {
		if (t->first > 0 && !(t->hist->type == TAPIR_HIST_LOG && t->first == TAPIR_HIST_LOG_ZERO))
			t->first--;
		if (t->last < t->hist->buckets - 1)
			t->last++;
	}
	if (is_underflow(t, t->first) && !t->buckets[t->first])
		t->first++;
	if (is_overflow(t, t->last) && !t->buckets[t->last])
		t->last--;
}

static void widen(u32 *width, u32 length)
{
	if (*width < length)
		*width = length;
}

static u32 decimal_length(s64 n)
{
	char buffer[LABEL_MAX];
	struct tapir_sink k = {.dst = buffer, .limit = sizeof(buffer), .cut = 1};

	tapir_sink_decimal(&k, n);
	return k.length;
}

/* The width of the value column. A linear histogram's has room for its low limit and for the edge after its last row. */
static u32 label_width(const struct tapir_hist_text *t)
{
	u32 width, i;

	label_title(t, &width);
	for (i = t->first; i <= t->last; i++) {
		char buffer[LABEL_MAX];
		struct tapir_sink k = {.dst = buffer, .limit = sizeof(buffer), .cut = 1};

		put_label(&k, t, i);
		widen(&width, k.length);
	}
	if (t->hist->type == TAPIR_HIST_LINEAR && !t->units) {
		widen(&width, decimal_length(t->hist->low));
		widen(&width, decimal_length(tapir_hist_low(t->hist, t->last + 1)) + is_overflow(t, t->last));
	}
	return width;
}

void tapir_hist_text_lay_out(struct tapir_hist_text *t)
{
	u64 max = 0;
	u32 i;

	find_rows(t);
	t->label = label_width(t);
	t->digits = 0;
	for (i = t->first; i <= t->last; i++) {
		char buffer[LABEL_MAX];
		struct tapir_sink k = {.dst = buffer, .limit = sizeof(buffer), .cut = 1};

		if (t->buckets[i] > max)
			max = t->buckets[i];
		put_count(&k, t, t->buckets[i]);
		widen(&t->digits, k.length);
	}
	t->scale = max > t->bar ? (max + t->bar - 1) / t->bar : 1;
}

u32 tapir_hist_text_most(const struct tapir_hist_text *t)
{
	const u32 row = t->label + t->bar + t->digits + (u32)sizeof(" | count (K=1000)\n");

	return (t->last - t->first + 3) * row;
}

static void put_right(struct tapir_sink *k, const char *text, u32 length, u32 width)
{
	tapir_sink_pad(k, ' ', (s32)width - (s32)length);
	tapir_sink_put(k, text, length);
}

static void put_bar(const struct tapir_hist_text *t, struct tapir_sink *k, u32 bucket)
{
	char buffer[LABEL_MAX];
	struct tapir_sink text = {.dst = buffer, .limit = sizeof(buffer), .cut = 1};
	u32 marks = (u32)(t->buckets[bucket] / t->scale);

	put_label(&text, t, bucket);
	put_right(k, buffer, text.length, t->label);
	tapir_sink_put(k, " |", 2);
	tapir_sink_pad(k, '@', (s32)marks);
	text.length = 0;
	put_count(&text, t, t->buckets[bucket]);
	put_right(k, buffer, text.length, t->bar - marks + 1 + t->digits);
	tapir_sink_put(k, "\n", 1);
}

/* A row is left out when it and its neighbours up to HIST_ELISION away, as far as shown, are empty. */
static bool is_elided(const struct tapir_hist_text *t, u32 bucket)
{
	u32 near = t->elision > 0 ? (u32)t->elision : 0;
	u32 from = bucket - t->first > near ? bucket - near : t->first;
	u32 to = t->last - bucket > near ? bucket + near : t->last;

	if (t->elision < 0)
		return false;
	for (; from <= to; from++) {
		if (t->buckets[from])
			return false;
	}
	return true;
}

void tapir_hist_text_put(const struct tapir_hist_text *t, struct tapir_sink *k)
{
	u32 length, i;
	const char *title = label_title(t, &length);
	bool gap = false;

	put_right(k, title, length, t->label);
	tapir_sink_put(k, " |", 2);
	tapir_sink_pad(k, '-', (s32)t->bar);
	tapir_sink_put(k, " count", 6);
	tapir_sink_put(k, " (K=1000)", t->units ? 9 : 0);
	tapir_sink_put(k, "\n", 1);
	for (i = t->first; i <= t->last; i++) {
		if (is_elided(t, i)) {
			gap = true;
			continue;
		}
		if (gap) {
			put_right(k, "~", 1, t->label + 2);
			tapir_sink_put(k, "\n", 1);
			gap = false;
		}
		put_bar(t, k, i);
	}
	tapir_sink_put(k, "\n", 1);
}
