// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "items/table.h"

#define GAP	   2u
#define NAME_LEAST 8u /* columns of a name that is cut */

void tapir_table_cell(struct tapir_table *t, const char *text)
{
	if (t->ncells == t->room) {
		u32 room = t->room ? 2 * t->room : 64;
		char **cells = realloc(t->cells, room * sizeof(*cells));

		if (!cells) {
			t->failed = true;
			return;
		}
		t->cells = cells;
		t->room = room;
	}
	t->cells[t->ncells] = strdup(text);
	if (t->cells[t->ncells])
		t->ncells++;
	else
		t->failed = true;
}

void tapir_table_column(struct tapir_table *t, enum tapir_column kind, const char *head)
{
	t->kinds[t->columns++] = kind;
	tapir_table_cell(t, head);
}

void tapir_table_free(struct tapir_table *t)
{
	while (t->ncells > 0)
		free(t->cells[--t->ncells]);
	free(t->cells);
	memset(t, 0, sizeof(*t));
}

struct widths {
	u32 of[TAPIR_TABLE_COLUMNS]; /* columns of the screen; 0: it is left out */
	u32 all;
};

void tapir_table_widen(const struct tapir_table *t, u32 least[TAPIR_TABLE_COLUMNS])
{
	u32 i, columns;

	for (i = 0; i < t->ncells; i++) {
		columns = tapir_columns(t->cells[i]);
		if (least[i % t->columns] < columns)
			least[i % t->columns] = columns;
	}
}

/* Leaves out columns for which no row has a text. */
static void measure(struct widths *w, const struct tapir_table *t)
{
	bool used[TAPIR_TABLE_COLUMNS] = {false};
	u32 i, shown = 0;

	memset(w, 0, sizeof(*w));
	memcpy(w->of, t->least, sizeof(w->of));
	tapir_table_widen(t, w->of);
	for (i = t->columns; i < t->ncells; i++)
		used[i % t->columns] |= *t->cells[i] != 0;
	for (i = 0; i < t->columns; i++) {
		if (!used[i] && !t->least[i])
			w->of[i] = 0;
		else
			w->all += w->of[i] + (shown++ ? GAP : 0);
	}
}

/* The widest name, if it can be cut; else -1. */
static int widest_name(const struct widths *w, const struct tapir_table *t)
{
	int widest = -1;
	u32 i;

	for (i = 0; i < t->columns; i++) {
		if (t->kinds[i] == TAPIR_COLUMN_NAME && w->of[i] > NAME_LEAST && (widest < 0 || w->of[i] > w->of[widest]))
			widest = (int)i;
	}
	return widest;
}

static int last_extra(const struct widths *w, const struct tapir_table *t)
{
	int i;

	for (i = (int)t->columns - 1; i >= 0; i--) {
		if ((t->kinds[i] == TAPIR_COLUMN_EXTRA || t->kinds[i] == TAPIR_COLUMN_SHAPE) && w->of[i])
			return i;
	}
	return -1;
}

static bool fit(struct widths *w, const struct tapir_table *t, u32 width)
{
	while (w->all > width) {
		int name = widest_name(w, t), extra = last_extra(w, t);

		if (name >= 0) {
			w->of[name]--;
			w->all--;
		} else if (extra >= 0) {
			w->all -= w->of[extra] + GAP;
			w->of[extra] = 0;
		} else {
			return false;
		}
	}
	return true;
}

static void put_cell(FILE *out, const struct tapir_screen *screen, const char *text, u32 width, bool right, bool last)
{
	char fitted[4 * TAPIR_SCREEN_MOST + 16];
	int space;

	tapir_fit(fitted, sizeof(fitted), screen, text, width);
	space = (int)(width - tapir_columns(fitted));
	if (right)
		fprintf(out, "%*s%s", space, "", fitted);
	else
		fprintf(out, "%s%*s", fitted, last ? 0 : space, "");
}

static void put_row(FILE *out, const struct tapir_table *t, const struct widths *w, const struct tapir_screen *screen,
		    char *const *cells)
{
	u32 column, shown = 0, last = t->columns;

	/* Nothing is put behind the last text. */
	while (last > 0 && !(w->of[last - 1] && *cells[last - 1]))
		last--;
	for (column = 0; column < last; column++) {
		if (!w->of[column])
			continue;
		if (shown++)
			fprintf(out, "%*s", (int)GAP, "");
		put_cell(out, screen, cells[column], w->of[column],
			 t->kinds[column] == TAPIR_COLUMN_NUMBER || t->kinds[column] == TAPIR_COLUMN_EXTRA, column + 1 == last);
	}
	fputc('\n', out);
}

bool tapir_table_print(const struct tapir_table *t, const struct tapir_screen *screen, FILE *out)
{
	struct widths w;
	u32 cell;

	if (t->failed || !t->columns)
		return false;
	measure(&w, t);
	if (!fit(&w, t, screen->width))
		return false;
	for (cell = t->is_headless ? t->columns : 0; cell + t->columns <= t->ncells; cell += t->columns)
		put_row(out, t, &w, screen, t->cells + cell);
	return true;
}
