// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tapir/hist_shape.h>
#include <tapir/stat.h>

#include "items/histogram_item.h"

static bool is_shape(const struct tapir_hist_desc *s)
{
	u64 end;
	s64 m;

	if (s->type == TAPIR_HIST_LOG)
		return s->buckets == TAPIR_HIST_LOG_BUCKETS;
	if (s->type == TAPIR_HIST_LINEAR)
		return s->width > 0 && s->high >= s->low && s->buckets == tapir_linear_buckets(s->low, s->high, s->width);
	if (s->type != TAPIR_HIST_LOGLINEAR || s->low < 0 || s->high < s->low || s->high > TAPIR_HIST_MAGNITUDE_MAX ||
	    s->width < 10)
		return false;
	for (m = s->low; m <= s->high; m++) {
		end = tapir_power_of_ten(m + 1);
		if (tapir_loglinear_steps(s->width, end) > TAPIR_HIST_LOGLINEAR_MAX * 10)
			return false;
	}
	return s->buckets <= TAPIR_HIST_LOGLINEAR_MAX && s->buckets == tapir_loglinear_all_buckets(s->low, s->high, s->width);
}

static const char *take_text(const char **at, const char *end, u32 room)
{
	const char *text = *at;
	size_t length = strnlen(text, (size_t)(end - text));

	if (text + length == end || length >= room)
		return NULL;
	*at = text + length + 1;
	return text;
}

static bool take_number(const char **at, const char *end, u64 *n)
{
	u32 shift = 0;
	u8 byte;

	for (*n = 0; *at < end && shift < 64; shift += 7) {
		byte = (u8) * (*at)++;
		*n |= (u64)(byte & 127) << shift;
		if (!(byte & 128))
			return true;
	}
	return false;
}

static bool take_title(struct tapir_histogram *h, const struct tapir_item_histogram *head, const char **at, const char *end)
{
	const char *key;
	s64 number;
	u32 i;

	h->name = take_text(at, end, TAPIR_HISTOGRAM_NAME_BYTES);
	if (!h->name || head->nkeys > TAPIR_MAX_KEYS)
		return false;
	h->nkeys = head->nkeys;
	for (i = 0; i < h->nkeys; i++) {
		if (*at == end)
			return false;
		if (*(*at)++ == TAPIR_STRING) {
			key = take_text(at, end, TAPIR_HISTOGRAM_KEY_BYTES + 1);
			if (!key)
				return false;
			strcpy(h->keys[i], key);
			h->strings |= 1u << i;
			continue;
		}
		if (end - *at < 8)
			return false;
		memcpy(&number, *at, 8);
		*at += 8;
		snprintf(h->keys[i], sizeof(h->keys[i]), "%lld", (long long)number);
	}
	return true;
}

/* "UNIT" or "UNIT of SUBJECT"; UNIT may be "". */
static bool take_unit(struct tapir_histogram *h, const char *text)
{
	static const char of[] = " of ";
	char *behind;

	h->unit_name = strdup(text);
	if (!h->unit_name)
		return false;
	h->subject = "";
	behind = strstr(h->unit_name, of);
	if (behind) {
		*behind = 0;
		h->subject = behind + strlen(of);
	}
	h->unit = tapir_unit_of(h->unit_name);
	return true;
}

void tapir_histogram_title(const struct tapir_histogram *h, char title[TAPIR_HISTOGRAM_TITLE_MAX])
{
	u32 n, i;

	if (*h->subject) {
		for (i = n = 0; i < h->nkeys; i++)
			n += (u32)sprintf(title + n, "%s%s", i ? ", " : "", h->keys[i]);
		sprintf(title + n, "%s%s", n ? ": " : "", h->subject);
		return;
	}
	n = (u32)sprintf(title, "%s%s", h->name, h->nkeys ? "[" : "");
	for (i = 0; i < h->nkeys; i++) {
		const char *quote = h->strings >> i & 1 ? "\"" : "";

		n += (u32)sprintf(title + n, "%s%s%s%s", i ? "," : "", quote, h->keys[i], quote);
	}
	strcpy(title + n, h->nkeys ? "]" : "");
}

static bool take_counts(struct tapir_histogram *h, u32 pairs, const char **at, const char *end)
{
	u64 bucket = 0, empty, i;

	for (i = 0; i < pairs; i++, bucket++) {
		if (!take_number(at, end, &empty) || empty >= h->shape.buckets || (bucket += empty) >= h->shape.buckets ||
		    !take_number(at, end, &h->counts[bucket]) || !h->counts[bucket])
			return false;
		if (i == 0)
			h->first = (u32)bucket;
		h->last = (u32)bucket;
		h->total += h->counts[bucket];
		if (h->counts[bucket] > h->most)
			h->most = h->counts[bucket];
	}
	return h->total > 0;
}

int tapir_histogram_read(struct tapir_histogram *h, const char *item, u32 bytes)
{
	const char *at = item + sizeof(struct tapir_item_histogram), *end = item + bytes, *unit;
	struct tapir_item_histogram head;

	memset(h, 0, sizeof(*h));
	if (bytes < sizeof(head))
		return -EINVAL;
	memcpy(&head, item, sizeof(head));
	h->shape.type = head.type;
	h->shape.low = head.low;
	h->shape.high = head.high;
	h->shape.width = head.width;
	h->shape.buckets = head.buckets;
	h->sum = head.sum;
	h->min = head.min;
	h->max = head.max;
	h->has_ends = head.flags & TAPIR_HISTOGRAM_ENDS;
	h->is_text = head.flags & TAPIR_HISTOGRAM_TEXT;
	h->style.bar = head.bar && head.bar < TAPIR_HIST_BAR_MAX ? head.bar : TAPIR_HIST_BAR_MAX;
	h->style.elision = head.elision;
	h->style.units = head.flags & TAPIR_HISTOGRAM_RANGES;
	h->has_percentiles = head.flags & TAPIR_HISTOGRAM_PERCENTILES;
	memcpy(h->percentiles, head.percentiles, sizeof(head.percentiles));
	unit = take_text(&at, end, TAPIR_HISTOGRAM_UNIT_BYTES);
	if (!is_shape(&h->shape) || !unit || !take_title(h, &head, &at, end))
		return -EINVAL;
	h->counts = calloc(h->shape.buckets, sizeof(*h->counts));
	if (!h->counts || !take_unit(h, unit)) {
		tapir_histogram_free(h);
		return -ENOMEM;
	}
	if (take_counts(h, head.pairs, &at, end))
		return 0;
	tapir_histogram_free(h);
	return -EINVAL;
}

void tapir_histogram_free(struct tapir_histogram *h)
{
	free(h->counts);
	free(h->unit_name);
	h->counts = NULL;
	h->unit_name = NULL;
}

/* ---- buckets ---- */

static bool is_below(const struct tapir_histogram *h, u32 bucket)
{
	return h->shape.type != TAPIR_HIST_LOG && bucket == 0;
}

static bool is_beyond(const struct tapir_histogram *h, u32 bucket)
{
	return h->shape.type != TAPIR_HIST_LOG && bucket == h->shape.buckets - 1;
}

tapir_wide tapir_histogram_edge(const struct tapir_histogram *h, u32 bucket, const char **sign)
{
	s64 edge = tapir_hist_low(&h->shape, is_below(h, bucket) ? 1 : bucket);

	*sign = is_below(h, bucket) ? "<" : is_beyond(h, bucket) ? ">=" : "";
	/* Log-linear ones may end with 10^19. */
	return h->shape.type == TAPIR_HIST_LOGLINEAR ? (tapir_wide)(u64)edge : edge;
}

/* The largest number that the bucket counts. */
static tapir_wide last_of(const struct tapir_histogram *h, u32 bucket)
{
	const char *sign;
	tapir_wide edge = tapir_histogram_edge(h, bucket, &sign);

	if (is_below(h, bucket))
		return edge - 1;
	if (is_beyond(h, bucket))
		return INT64_MAX;
	if (h->shape.type == TAPIR_HIST_LINEAR)
		return edge + h->shape.width - 1;
	if (h->shape.type == TAPIR_HIST_LOGLINEAR)
		return tapir_histogram_edge(h, bucket + 1, &sign) - 1;
	return bucket <= TAPIR_HIST_LOG_ZERO ? edge : 2 * edge - 1;
}

static s64 within_64_bits(tapir_wide n)
{
	return n > INT64_MAX ? INT64_MAX : n < INT64_MIN ? INT64_MIN : (s64)n;
}

void tapir_histogram_range(const struct tapir_histogram *h, u32 bucket, s64 *least, s64 *largest)
{
	const char *sign;
	tapir_wide edge = tapir_histogram_edge(h, bucket, &sign);

	if (is_below(h, bucket))
		edge = INT64_MIN;
	else if (h->shape.type == TAPIR_HIST_LOG && edge < 0)
		edge = 2 * edge + 1;
	*least = within_64_bits(edge);
	*largest = within_64_bits(last_of(h, bucket));
}

tapir_wide tapir_histogram_bound(const struct tapir_histogram *h, u32 percent, bool *below)
{
	u32 bucket = h->first;
	tapir_wide seen = h->counts[bucket], last, edge;
	const char *sign;

	while (bucket < h->last && seen * 100 < h->total * percent)
		seen += h->counts[++bucket];
	last = last_of(h, bucket);
	edge = tapir_histogram_edge(h, bucket, &sign);
	*below = last < h->max && edge < last;
	return *below ? last + 1 : last < h->max ? last : h->max;
}
