// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "items/histogram_table.h"
#include "items/table.h"

#define SHAPE_MOST 40u /* columns of the shapes, if their axis has room */

u64 tapir_histogram_table(const char *item, bool *is_end)
{
	struct tapir_item_histogram head;

	memcpy(&head, item, sizeof(head));
	*is_end = head.flags & TAPIR_HISTOGRAM_END;
	return head.table;
}

bool tapir_histogram_keep(struct tapir_histogram_rows *rows, const char *item, u32 bytes)
{
	char *copy;

	if (rows->count == rows->room) {
		u32 room = rows->room ? 2 * rows->room : 64;
		struct tapir_histogram_row *more = realloc(rows->rows, room * sizeof(*more));

		if (!more)
			return false;
		rows->rows = more;
		rows->room = room;
	}
	copy = malloc(bytes);
	if (!copy)
		return false;
	memcpy(copy, item, bytes);
	rows->rows[rows->count].item = copy;
	rows->rows[rows->count++].bytes = bytes;
	return true;
}

u64 tapir_histogram_unended(const struct tapir_histogram_rows *rows)
{
	bool is_end;

	return rows->count ? tapir_histogram_table(rows->rows[0].item, &is_end) : 0;
}

void tapir_histogram_forget(struct tapir_histogram_rows *rows)
{
	while (rows->count)
		free(rows->rows[--rows->count].item);
	free(rows->rows);
	memset(rows, 0, sizeof(*rows));
}

/* ---- the picture ---- */

struct drawing {
	const struct tapir_screen *screen;
	struct tapir_histogram *h; /* sorted: those with most samples first */
	u32 count;
	u32 first, last;   /* buckets that any of them has */
	u32 each, columns; /* buckets of a column, and columns of a bucket: one of them is 1 */
};

static int by_samples(const void *a, const void *b)
{
	const struct tapir_histogram *x = a, *y = b;
	int order = (x->total < y->total) - (x->total > y->total);
	u32 i;

	for (i = 0; i < x->nkeys && !order; i++)
		order = strcmp(x->keys[i], y->keys[i]);
	return order;
}

static void find_axis(struct drawing *d)
{
	u32 most = d->screen->width / 3 < SHAPE_MOST ? d->screen->width / 3 : SHAPE_MOST, buckets, i;

	d->first = d->h[0].first;
	d->last = d->h[0].last;
	for (i = 1; i < d->count; i++) {
		d->first = d->h[i].first < d->first ? d->h[i].first : d->first;
		d->last = d->h[i].last > d->last ? d->h[i].last : d->last;
	}
	buckets = d->last - d->first + 1;
	d->each = (buckets + most - 1) / most;
	/* A narrow screen has better use for them: names. */
	d->columns = d->each > 1 || d->screen->width < TAPIR_SCREEN_USUAL ? 1 : most / buckets < 3 ? most / buckets : 3;
}

/* "1 µs ──────► 100 ms", as wide as the shapes if these are wider. */
static void put_axis(const struct drawing *d, FILE *out)
{
	char low[TAPIR_MEASURE_MAX * 2], high[TAPIR_MEASURE_MAX * 2];
	u32 shape = (d->last - d->first + d->each) / d->each * d->columns, i, used;

	tapir_histogram_label(&d->h[0], d->screen, &d->h[0].unit, d->first, low);
	tapir_histogram_label(&d->h[0], d->screen, &d->h[0].unit, d->last, high);
	if (d->first == d->last) {
		fputs(low, out);
		return;
	}
	used = tapir_columns(low) + tapir_columns(high) + 3;
	fprintf(out, "%s ", low);
	for (i = used + 2 < shape ? shape - used : 2; i > 0; i--)
		fputs(d->screen->utf8 ? "─" : "-", out);
	fprintf(out, "%s %s", d->screen->utf8 ? "►" : ">", high);
}

/* Heights are shares of the highest column of the same row. */
static void put_shape(const struct drawing *d, const struct tapir_histogram *h, FILE *out)
{
	static const char blocks[] = "▁▂▃▄▅▆▇█", ascii[] = ".:-=+*%@";
	tapir_wide most = 0, sum;
	u32 bucket, pass, i, n, height;

	for (pass = 0; pass < 2; pass++) {
		for (bucket = d->first; bucket <= d->last && bucket <= h->last; bucket += d->each) {
			for (sum = 0, i = bucket; i < bucket + d->each && i <= h->last; i++)
				sum += h->counts[i];
			if (pass == 0) {
				most = sum > most ? sum : most;
				continue;
			}
			height = (u32)((sum * 8 + most / 2) / most);
			height = sum && !height ? 1 : height;
			for (n = 0; n < d->columns; n++) {
				if (!height)
					fputc(' ', out);
				else if (d->screen->utf8)
					fprintf(out, "%.3s", blocks + (height - 1) * 3);
				else
					fputc(ascii[height - 1], out);
			}
		}
	}
}

/* Draws a text of the axis or a shape. Returns NULL without memory. */
static char *text_of(const struct drawing *d, const struct tapir_histogram *h)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (!out)
		return NULL;
	if (h)
		put_shape(d, h, out);
	else
		put_axis(d, out);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

/* "< 16.4 µs", "≤ 300 µs": all that the buckets know. */
static void add_percentile(struct tapir_table *t, const struct drawing *d, const struct tapir_histogram *h, u32 percent)
{
	char text[TAPIR_MEASURE_MAX * 2] = "";
	bool below = false;
	tapir_wide bound;

	if (h->has_percentiles) {
		bound = h->percentiles[percent == 50 ? 0 : 2];
	} else {
		bound = tapir_histogram_bound(h, percent, &below);
		strcpy(text, below ? "< " : d->screen->utf8 ? "≤ " : "<= ");
	}
	tapir_measure(text + strlen(text), d->screen, &h->unit, bound);
	tapir_table_cell(t, text);
}

static void add_row(struct tapir_table *t, const struct drawing *d, const struct tapir_histogram *h)
{
	char text[TAPIR_MEASURE_MAX], *shape = text_of(d, h);
	u32 i;

	for (i = 0; i < h->nkeys; i++)
		tapir_table_cell(t, h->keys[i]);
	if (h->total <= UINT64_MAX)
		tapir_count_brief(text, (u64)h->total);
	else
		tapir_measure(text, d->screen, &(struct tapir_unit){TAPIR_UNIT_PLAIN, 1, ""}, h->total);
	tapir_table_cell(t, text);
	add_percentile(t, d, h, 50);
	add_percentile(t, d, h, 99);
	tapir_measure(text, d->screen, &h->unit, h->max);
	tapir_table_cell(t, text);
	tapir_table_cell(t, shape ? shape : "");
	free(shape);
}

static bool put_table(const struct drawing *d, FILE *out)
{
	struct tapir_table t = {0};
	const char *name = *d->h[0].subject ? d->h[0].subject : d->h[0].name;
	char *axis = text_of(d, NULL);
	bool good = axis != NULL;
	u32 i;

	for (i = 0; i < d->h[0].nkeys; i++)
		tapir_table_column(&t, d->h[0].strings >> i & 1 ? TAPIR_COLUMN_NAME : TAPIR_COLUMN_NUMBER, i ? "" : name);
	tapir_table_column(&t, TAPIR_COLUMN_NUMBER, "COUNT");
	tapir_table_column(&t, TAPIR_COLUMN_NUMBER, "MEDIAN");
	tapir_table_column(&t, TAPIR_COLUMN_EXTRA, "99 %");
	tapir_table_column(&t, TAPIR_COLUMN_EXTRA, "MAX");
	tapir_table_column(&t, TAPIR_COLUMN_SHAPE, axis ? axis : "");
	for (i = 0; i < d->count; i++)
		add_row(&t, d, &d->h[i]);
	/* Where a row has no room, each is a picture. */
	if (good && tapir_table_print(&t, d->screen, out))
		fputc('\n', out);
	else
		for (i = 0; good && i < d->count; i++)
			good = tapir_histogram_draw(&d->h[i], d->screen, out);
	tapir_table_free(&t);
	free(axis);
	return good;
}

/* Reads those of the table, and forgets them. */
static bool take_rows(struct tapir_histogram_rows *rows, u64 table, struct drawing *d, struct tapir_histogram_rows *taken)
{
	u32 i, left = 0;
	bool is_end, good = true;

	for (i = 0; i < rows->count; i++) {
		struct tapir_histogram_row row = rows->rows[i];

		if (tapir_histogram_table(row.item, &is_end) != table) {
			rows->rows[left++] = row;
			continue;
		}
		taken->rows[taken->count++] = row;
		if (tapir_histogram_read(&d->h[d->count], row.item, row.bytes) == 0)
			d->count++;
		else
			good = false;
	}
	rows->count = left;
	/* All rows are of one array, so all must have one form. */
	for (i = 1; i < d->count; i++)
		good &= d->h[i].nkeys == d->h[0].nkeys && memcmp(&d->h[i].shape, &d->h[0].shape, sizeof(d->h[i].shape)) == 0;
	return good;
}

char *tapir_histogram_table_text(struct tapir_histogram_rows *rows, u64 table, const struct tapir_screen *screen, size_t *length)
{
	struct tapir_histogram_rows taken = {.rows = calloc(rows->count + 1, sizeof(*taken.rows))};
	struct drawing d = {.screen = screen, .h = calloc(rows->count + 1, sizeof(*d.h))};
	bool good = taken.rows && d.h && take_rows(rows, table, &d, &taken);
	char *text = NULL;
	FILE *out = good ? open_memstream(&text, length) : NULL;

	if (out) {
		if (d.count) {
			qsort(d.h, d.count, sizeof(*d.h), by_samples);
			find_axis(&d);
			good = put_table(&d, out);
		}
		good &= fclose(out) == 0;
	}
	while (d.count)
		tapir_histogram_free(&d.h[--d.count]);
	free(d.h);
	tapir_histogram_forget(&taken);
	if (out && good)
		return text;
	free(text);
	return NULL;
}
