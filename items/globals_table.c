// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "items/globals_table.h"

#define ROWS_MOST 10000u /* of one table */

/* ---- tables */

static char *kind_of(const struct tapir_global_line *l)
{
	char *kind = NULL;
	size_t length;
	FILE *out = open_memstream(&kind, &length);
	u32 i;

	if (!out)
		return NULL;
	fprintf(out, "%s", l->count && l->parts[0].is_key ? l->name : "");
	for (i = 0; i < l->count; i++)
		fprintf(out, "/%d%d%s", l->parts[i].is_key, l->parts[i].is_number, l->parts[i].head);
	if (fclose(out) == 0)
		return kind;
	free(kind);
	return NULL;
}

static void add_columns(struct tapir_globals_table *t, const struct tapir_global_line *l)
{
	u32 i;

	for (i = 0; i < l->count && l->parts[i].is_key; i++)
		tapir_table_column(&t->table, l->parts[i].is_number ? TAPIR_COLUMN_NUMBER : TAPIR_COLUMN_NAME, i ? "" : l->name);
	if (i == 0)
		tapir_table_column(&t->table, TAPIR_COLUMN_NAME, "GLOBAL");
	t->keys = i ? i : 1;
	for (; i < l->count; i++) {
		tapir_table_column(&t->table, l->parts[i].is_number ? TAPIR_COLUMN_NUMBER : TAPIR_COLUMN_NAME, l->parts[i].head);
	}
}

static void put_number(struct tapir_globals_table *t, tapir_wide n)
{
	char text[64] = "-";

	tapir_count_whole(text + (n < 0), (u64)(n < 0 ? -n : n));
	tapir_table_cell(&t->table, text);
}

static void add_total(struct tapir_globals_table *t, u32 field, s64 n)
{
	bool first = t->rows == 0;
	tapir_wide *total = &t->totals[field];

	if (field == TAPIR_GLOBAL_COUNT || field == TAPIR_GLOBAL_SUM)
		*total += n;
	else if (first || (field == TAPIR_GLOBAL_MIN ? n < *total : n > *total))
		*total = n;
}

static void add_row(struct tapir_globals_table *t, const struct tapir_global_line *l)
{
	char text[32];
	u32 i, field = 0;

	if (!l->count || !l->parts[0].is_key)
		tapir_table_cell(&t->table, l->name);
	for (i = 0; i < l->count; i++) {
		const struct tapir_global_part *p = &l->parts[i];

		if (p->is_key && p->is_number) {
			snprintf(text, sizeof(text), "%lld", (long long)p->number);
			tapir_table_cell(&t->table, text);
		} else if (!p->is_number) {
			tapir_table_cell(&t->table, p->text);
		} else {
			put_number(t, p->number);
			if (t->is_statistic)
				add_total(t, field, p->number);
		}
		field += !p->is_key;
	}
	t->rows++;
}

static void keep_plain(struct tapir_globals_table *t, const char *text, u32 length)
{
	char *more = realloc(t->plain, t->plain_length + length + 1);

	if (!more) {
		t->is_broken = true;
		return;
	}
	memcpy(more + t->plain_length, text, length);
	t->plain = more;
	t->plain_length += length;
	t->plain[t->plain_length] = 0;
}

bool tapir_globals_add(struct tapir_globals_table *t, const struct tapir_item_format *f, const char *item, const char *text,
		       u32 length)
{
	bool is_statistic;
	struct tapir_global_line l;
	char *kind;

	tapir_global_line_read(&l, f, item);
	is_statistic = l.is_statistic && l.keys;
	kind = kind_of(&l);
	if (!kind)
		t->is_broken = true;
	if (t->rows && (t->rows == ROWS_MOST || !kind || !t->kind || strcmp(kind, t->kind) != 0)) {
		free(kind);
		return false;
	}
	if (!t->rows) {
		t->kind = kind;
		t->is_statistic = is_statistic;
		add_columns(t, &l);
	} else {
		free(kind);
	}
	keep_plain(t, text, length);
	add_row(t, &l);
	return true;
}

/* The last line of a table of statistics: what all elements have together. */
static void add_totals(struct tapir_globals_table *t)
{
	u32 i;

	tapir_table_cell(&t->table, "all");
	for (i = 1; i < t->keys; i++)
		tapir_table_cell(&t->table, "");
	t->totals[TAPIR_GLOBAL_AVG] =
	    t->totals[TAPIR_GLOBAL_COUNT] ? t->totals[TAPIR_GLOBAL_SUM] / t->totals[TAPIR_GLOBAL_COUNT] : 0;
	for (i = 0; i < TAPIR_GLOBAL_STATISTICS; i++)
		put_number(t, t->totals[i]);
}

void tapir_globals_forget(struct tapir_globals_table *t)
{
	free(t->plain);
	free(t->kind);
	tapir_table_free(&t->table);
	memset(t, 0, sizeof(*t));
}

char *tapir_globals_text(struct tapir_globals_table *t, const struct tapir_screen *screen, size_t *length)
{
	char *text = NULL, *plain = t->plain;
	const tapir_wide most = INT64_MAX;
	bool drawn = false;
	FILE *out;

	if (t->rows > 1 && t->is_statistic && t->totals[TAPIR_GLOBAL_SUM] <= most && t->totals[TAPIR_GLOBAL_SUM] >= -most &&
	    t->totals[TAPIR_GLOBAL_COUNT] <= most)
		add_totals(t);
	out = t->is_broken || !t->rows ? NULL : open_memstream(&text, length);
	if (out) {
		drawn = tapir_table_print(&t->table, screen, out);
		fputc('\n', out);
		drawn &= fclose(out) == 0;
	}
	if (!drawn) {
		free(text);
		text = plain;
		*length = t->plain_length;
	} else {
		free(plain);
	}
	tapir_table_free(&t->table);
	free(t->kind);
	memset(t, 0, sizeof(*t));
	return text;
}
