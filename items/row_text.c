// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "items/row_text.h"

/* Columns of the first row, if it comes alone: others will follow. */
#define NUMBER_LEAST 8u
#define TEXT_LEAST   16u

#define ROWS_MOST 10000u /* of a block */

static struct tapir_row_widths *widths_of(struct tapir_rows *r, const struct tapir_table_head *head)
{
	struct tapir_row_widths *w;

	for (w = r->tables; w; w = w->next) {
		if (strcmp(w->name, head->name) == 0 && w->columns == head->count)
			return w;
	}
	w = calloc(1, sizeof(*w));
	if (!w)
		return NULL;
	w->name = strdup(head->name);
	if (!w->name) {
		free(w);
		return NULL;
	}
	w->columns = head->count;
	w->next = r->tables;
	r->tables = w;
	return w;
}

static void begin_block(struct tapir_rows *r, const struct tapir_table_head *head)
{
	char text[256];
	u32 i, k;

	for (i = 0; i < head->count; i++) {
		bool is_text = head->columns[i].kind == TAPIR_COLUMN_IS_TEXT;

		snprintf(text, sizeof(text), "%s", head->columns[i].name);
		for (k = 0; text[k]; k++)
			text[k] = (char)toupper((unsigned char)text[k]);
		tapir_table_column(&r->block, is_text ? TAPIR_COLUMN_NAME : TAPIR_COLUMN_EXTRA, text);
	}
}

static void add_number(struct tapir_table *t, const struct tapir_screen *screen, const struct tapir_column_head *column, s64 n)
{
	const struct tapir_unit unit = tapir_unit_of(column->unit);
	char text[TAPIR_MEASURE_MAX];

	if (n == TAPIR_NO_VALUE) {
		strcpy(text, "-");
	} else if (column->kind == TAPIR_COLUMN_IS_ID) {
		snprintf(text, sizeof(text), "%lld", (long long)n);
	} else if (unit.kind != TAPIR_UNIT_PLAIN) {
		tapir_measure(text, screen, &unit, n);
	} else {
		text[0] = '-';
		tapir_count_whole(text + (n < 0), n < 0 ? 0 - (u64)n : (u64)n);
		if (strcmp(column->unit, "%") == 0)
			strcat(text, " %");
	}
	tapir_table_cell(t, text);
}

bool tapir_rows_add(struct tapir_rows *r, const struct tapir_screen *screen, const struct tapir_item_format *f, const char *item)
{
	const char *at = item + sizeof(u16);
	struct tapir_table_head head;
	struct tapir_row_widths *w;
	u32 i;

	w = tapir_table_head_read(&head, f) ? widths_of(r, &head) : NULL;
	if (!w || (r->rows && (w != r->now || r->rows == ROWS_MOST)))
		return false;
	if (!r->rows)
		begin_block(r, &head);
	r->now = w;
	for (i = 0; i < head.count; i++) {
		const struct tapir_cell cell = tapir_cell_take(f, i, &at);

		if (cell.text)
			tapir_table_cell(&r->block, cell.text);
		else
			add_number(&r->block, screen, &head.columns[i], cell.number);
	}
	r->rows++;
	return true;
}

/* Where the table does not fit: its cells with two spaces between them. */
static void print_unaligned(const struct tapir_table *t, FILE *out, u32 first)
{
	u32 cell;

	for (cell = first; cell < t->ncells; cell++)
		fprintf(out, "%s%s", t->cells[cell], (cell + 1) % t->columns ? "  " : "\n");
}

static void widen(struct tapir_rows *r)
{
	struct tapir_table *t = &r->block;
	u32 i;

	for (i = 0; i < t->columns; i++) {
		const u32 usual = t->kinds[i] == TAPIR_COLUMN_NAME ? TEXT_LEAST : NUMBER_LEAST;

		if (!r->now->least[i] && r->rows == 1)
			r->now->least[i] = usual;
	}
	tapir_table_widen(t, r->now->least);
	memcpy(t->least, r->now->least, sizeof(t->least));
}

bool tapir_rows_part(const struct tapir_rows *r)
{
	return r->last != NULL;
}

char *tapir_rows_text(struct tapir_rows *r, const struct tapir_screen *screen, size_t *length)
{
	struct tapir_screen wide = *screen;
	bool headed = r->rows && r->last == r->now;
	char *text = NULL;
	FILE *out;

	if (!r->rows)
		return NULL;
	widen(r);
	/* Lines of a file may be long. */
	if (!screen->terminal)
		wide.width = TAPIR_SCREEN_MOST;
	r->block.is_headless = headed;
	out = open_memstream(&text, length);
	if (out) {
		if (tapir_rows_part(r) && !headed)
			fputc('\n', out);
		if (!tapir_table_print(&r->block, &wide, out) && !r->block.failed)
			print_unaligned(&r->block, out, headed ? r->block.columns : 0);
		if (fclose(out) != 0) {
			free(text);
			text = NULL;
		}
	}
	tapir_table_free(&r->block);
	r->last = r->now;
	r->rows = 0;
	return text;
}

void tapir_rows_interrupt(struct tapir_rows *r)
{
	r->last = NULL;
}

void tapir_rows_forget(struct tapir_rows *r)
{
	struct tapir_row_widths *w, *next;

	tapir_table_free(&r->block);
	for (w = r->tables; w; w = next) {
		next = w->next;
		free(w->name);
		free(w);
	}
	memset(r, 0, sizeof(*r));
}
