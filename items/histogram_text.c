// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The picture of a histogram. No line is wider than the screen: the share of a row goes first, then the unit behind its label, then
 * the bar. Numbers are never cut.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format_internal.h"
#include "items/histogram_item.h"

#define BAR_LEAST 8u /* columns; below, the share is left out */
#define SHARE	  7u /* "100.0 %" */

struct layout {
	const struct tapir_histogram *h;
	const struct tapir_screen *screen;
	FILE *out;
	struct tapir_unit unit; /* of labels */
	u32 label, count, bar;	/* columns */
	bool share, brief;
	u32 *shares; /* thousandths, by bucket; they sum up to 1000 */
};

u32 tapir_histogram_label(const struct tapir_histogram *h, const struct tapir_screen *screen, const struct tapir_unit *unit,
			  u32 bucket, char *text)
{
	const char *sign;
	tapir_wide edge = tapir_histogram_edge(h, bucket, &sign);

	if (*sign == '>' && screen->utf8)
		sign = "≥";
	sprintf(text, "%s%s", sign, *sign ? " " : "");
	tapir_measure(text + strlen(text), screen, unit, edge);
	return tapir_columns(text);
}

static u32 label_of(const struct layout *l, u32 bucket, char *text)
{
	return tapir_histogram_label(l->h, l->screen, &l->unit, bucket, text);
}

static u32 count_of(const struct layout *l, u32 bucket, char *text)
{
	return l->brief ? tapir_count_brief(text, l->h->counts[bucket]) : tapir_count_whole(text, l->h->counts[bucket]);
}

/* ---- rows ---- */

/* One empty bucket is shown as such, more are a gap. The bucket behind the gap, or `bucket`. */
static u32 behind_gap(const struct tapir_histogram *h, u32 bucket)
{
	u32 next = bucket;

	while (!h->counts[next])
		next++;
	return next - bucket > 1 ? next : bucket;
}

/* Calls `one` for each row; `gap`: empty buckets are left out there. */
static void each_row(struct layout *l, void (*one)(struct layout *l, u32 bucket, bool gap))
{
	u32 bucket, next;

	for (bucket = l->h->first; bucket <= l->h->last; bucket++) {
		next = behind_gap(l->h, bucket);
		if (next != bucket)
			one(l, bucket, true);
		bucket = next;
		one(l, bucket, false);
	}
}

/* The rest of a thousand goes to those that lost most by rounding down. */
static bool find_shares(struct layout *l)
{
	const struct tapir_histogram *h = l->h;
	u32 left = 1000, i, largest;
	tapir_wide *rests = calloc(h->shape.buckets, sizeof(*rests));

	l->shares = calloc(h->shape.buckets, sizeof(*l->shares));
	if (!rests || !l->shares) {
		free(rests);
		return false;
	}
	for (i = h->first; i <= h->last; i++) {
		tapir_wide part = (tapir_wide)h->counts[i] * 1000;

		l->shares[i] = (u32)(part / h->total);
		rests[i] = part % h->total;
		left -= l->shares[i];
	}
	for (; left; left--) {
		for (largest = i = h->first; i <= h->last; i++) {
			if (rests[i] > rests[largest])
				largest = i;
		}
		l->shares[largest]++;
		rests[largest] = -1;
	}
	free(rests);
	return true;
}

static void measure_row(struct layout *l, u32 bucket, bool gap)
{
	char text[TAPIR_MEASURE_MAX * 2];
	u32 columns;

	if (gap)
		return;
	columns = label_of(l, bucket, text);
	l->label = columns > l->label ? columns : l->label;
	columns = count_of(l, bucket, text);
	l->count = columns > l->count ? columns : l->count;
}

static void lay_out(struct layout *l)
{
	u32 used, width = l->screen->width, step;

	l->unit = l->h->unit;
	l->share = true;
	for (step = 0; step < 4; step++) {
		l->label = l->count = 0;
		each_row(l, measure_row);
		/* A space and the axis, two spaces, two more. */
		used = l->label + 2 + 2 + l->count + (l->share ? 2 + SHARE : 0);
		if (used + BAR_LEAST <= width)
			break;
		if (step == 0)
			l->share = false;
		if (step == 1)
			l->brief = true;
		if (step == 2 && l->unit.kind == TAPIR_UNIT_PLAIN)
			l->unit.text = "";
	}
	l->bar = used < width ? width - used : 0; /* without one, there is one space less */
}

static void put_bar(struct layout *l, u64 count)
{
	char text[TAPIR_BAR_MAX];
	u32 columns = tapir_bar(text, l->screen->utf8, l->bar, count, l->h->most);

	fprintf(l->out, "%s%*s", text, (int)(l->bar - columns), "");
}

static void put_right(struct layout *l, const char *text, u32 columns, u32 width)
{
	fprintf(l->out, "%*s%s", (int)(columns < width ? width - columns : 0), "", text);
}

static void put_row(struct layout *l, u32 bucket, bool gap)
{
	char text[TAPIR_MEASURE_MAX * 2];
	u64 count = l->h->counts[bucket];

	if (gap) {
		fprintf(l->out, "%*s %s\n", (int)l->label, "", l->screen->utf8 ? "│ ⋯" : "| ...");
		return;
	}
	put_right(l, text, label_of(l, bucket, text), l->label);
	fputs(l->screen->utf8 ? " │" : " |", l->out);
	put_bar(l, count);
	fputs(l->bar ? "  " : " ", l->out);
	put_right(l, text, count_of(l, bucket, text), l->count);
	if (l->share) {
		sprintf(text, count && !l->shares[bucket] ? "< 0.1 %%" : "%u.%u %%", l->shares[bucket] / 10,
			l->shares[bucket] % 10);
		put_right(l, text, (u32)strlen(text), 2 + SHARE);
	}
	fputc('\n', l->out);
}

/* ---- above and below ---- */

/* Words that are wrapped; parts stand together while there is room. */
struct line {
	struct layout *l;
	u32 columns;
};

static void put_word(struct line *line, const char *word, u32 gap)
{
	u32 columns = tapir_columns(word);

	if (line->columns && line->columns + gap + columns > line->l->screen->width) {
		fputc('\n', line->l->out);
		line->columns = 0;
	}
	if (line->columns) {
		fprintf(line->l->out, "%*s", (int)gap, "");
		line->columns += gap;
	}
	fputs(word, line->l->out);
	line->columns += columns;
}

static void put_part(struct line *line, char *part)
{
	u32 gap = line->columns ? 4 : 0;
	char *word, *rest;

	if (line->columns + gap + tapir_columns(part) <= line->l->screen->width) {
		put_word(line, part, gap);
		return;
	}
	if (line->columns)
		fputc('\n', line->l->out);
	line->columns = 0;
	for (word = strtok_r(part, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		put_word(line, word, 1);
}

/* Name and keys at the left, number of samples and their sum at the right, or below. */
static void put_title(struct layout *l)
{
	char amount[2 * TAPIR_MEASURE_MAX + 64], sum[TAPIR_MEASURE_MAX], count[TAPIR_MEASURE_MAX];
	char whole[TAPIR_HISTOGRAM_TITLE_MAX], title[TAPIR_HISTOGRAM_TITLE_MAX + 16];
	u32 width = l->screen->width, columns, right;
	struct line line = {.l = l};

	tapir_histogram_title(l->h, whole);
	columns = tapir_columns(whole);
	if (l->h->total < 1000000000)
		tapir_count_whole(count, (u64)l->h->total);
	else
		tapir_measure(count, l->screen, &(struct tapir_unit){TAPIR_UNIT_PLAIN, 1, ""}, l->h->total);
	tapir_measure(sum, l->screen, &l->h->unit, l->h->sum);
	sprintf(amount, "%s sample%s, sum %s", count, l->h->total == 1 ? "" : "s", sum);
	right = tapir_columns(amount);
	if (right + 2 + (columns < 16 ? columns : 16) <= width) {
		columns = columns < width - right - 2 ? columns : width - right - 2;
		tapir_fit(title, sizeof(title), l->screen, whole, columns);
		fprintf(l->out, "%s%*s%s\n", title, (int)(width - right - columns), "", amount);
		return;
	}
	tapir_fit(title, sizeof(title), l->screen, whole, width);
	fprintf(l->out, "%s\n", title);
	put_part(&line, amount);
	fputc('\n', l->out);
}

static void put_percentiles(struct layout *l)
{
	static const struct {
		u32 percent;
		const char *name;
	} rows[] = {{50, "median"}, {90, "90 %"}, {99, "99 %"}};
	char text[TAPIR_MEASURE_MAX], part[TAPIR_MEASURE_MAX + 32];
	struct line line = {.l = l};
	bool below = false;
	tapir_wide bound;
	u32 i;

	for (i = 0; i < 3; i++) {
		const char *known = i ? " up to" : "";

		bound = l->h->percentiles[i];
		if (!l->h->has_percentiles) {
			bound = tapir_histogram_bound(l->h, rows[i].percent, &below);
			known = below ? " below" : " up to";
		}
		tapir_measure(text, l->screen, &l->h->unit, bound);
		sprintf(part, "%s%s %s", rows[i].name, known, text);
		put_part(&line, part);
	}
	tapir_measure(text, l->screen, &l->h->unit, l->h->max);
	sprintf(part, "max %s", text);
	put_part(&line, part);
	fputs("\n\n", l->out);
}

bool tapir_histogram_draw(const struct tapir_histogram *h, const struct tapir_screen *screen, FILE *out)
{
	struct layout l = {.h = h, .screen = screen, .out = out};
	bool good = find_shares(&l);

	if (good) {
		lay_out(&l);
		put_title(&l);
		each_row(&l, put_row);
		put_percentiles(&l);
	}
	free(l.shares);
	return good;
}

/* The text without a unit: no terminal changes it. */
static char *text_of_language(const struct tapir_histogram *h, size_t *length)
{
	struct tapir_hist_text t = h->style;
	struct tapir_sink k = {.cut = 1};

	t.hist = &h->shape;
	t.buckets = h->counts;
	tapir_hist_text_lay_out(&t);
	k.limit = tapir_hist_text_most(&t);
	k.dst = malloc(k.limit);
	if (k.dst)
		tapir_hist_text_put(&t, &k);
	*length = k.length;
	return k.dst;
}

static char *picture_of(const struct tapir_histogram *h, const struct tapir_screen *screen, size_t *length)
{
	char *text = NULL;
	bool good = false;
	FILE *out = open_memstream(&text, length);

	if (out) {
		good = tapir_histogram_draw(h, screen, out);
		good &= fclose(out) == 0;
	}
	if (good)
		return text;
	free(text);
	return NULL;
}

char *tapir_histogram_text(const char *item, u32 bytes, const struct tapir_screen *screen, size_t *length)
{
	struct tapir_histogram h;
	char *text;

	if (tapir_histogram_read(&h, item, bytes) != 0)
		return NULL;
	text = h.is_text ? text_of_language(&h, length) : picture_of(&h, screen, length);
	tapir_histogram_free(&h);
	return text;
}
