/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables for people: columns that are as wide as they need, two spaces between them, and no line wider than the screen. */
#ifndef TAPIR_TABLE_H
#define TAPIR_TABLE_H

#include <stdio.h>

#include "items/measures.h"

#define TAPIR_TABLE_COLUMNS 40u /* a name, and what a format of globals may have */

enum tapir_column {
	TAPIR_COLUMN_NAME,   /* at the left; the middle is cut out where there is no room */
	TAPIR_COLUMN_NUMBER, /* at the right; whole, always */
	TAPIR_COLUMN_EXTRA,  /* a number; the last such column goes first where there is no room */
	TAPIR_COLUMN_SHAPE   /* at the left, whole; goes as extra ones do */
};

struct tapir_table {
	u32 columns, ncells, room;
	enum tapir_column kinds[TAPIR_TABLE_COLUMNS];
	char **cells;			/* row by row, the first of heads */
	bool failed;			/* no memory for a cell */
	bool is_headless;		/* the heads are not printed */
	u32 least[TAPIR_TABLE_COLUMNS]; /* columns of the screen that a column takes at least; 0: it may be left out */
};

/* All-zero is a table without columns. First its columns, at most TAPIR_TABLE_COLUMNS, then as many cells for each row. */
void tapir_table_column(struct tapir_table *t, enum tapir_column kind, const char *head);
void tapir_table_cell(struct tapir_table *t, const char *text);
/* Makes `least` as wide as all cells need, and their heads. */
void tapir_table_widen(const struct tapir_table *t, u32 least[TAPIR_TABLE_COLUMNS]);
/* Columns without a text in any row are left out. False: not even with the names cut there is room, or there was no memory. Then
 * nothing is written. */
bool tapir_table_print(const struct tapir_table *t, const struct tapir_screen *screen, FILE *out);
void tapir_table_free(struct tapir_table *t); /* all-zero again */

#endif
