/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Globals that a script never prints are printed at its end, a line each (TAPIR_FMT_ROW). On a terminal they are tables: of an
 * array, of all numbers that follow each other, and so on.
 */
#ifndef TAPIR_GLOBALS_TABLE_H
#define TAPIR_GLOBALS_TABLE_H

#include <tapir/items.h>

#include "items/global_line.h"
#include "items/table.h"

/* Lines that belong to one table. All-zero is none. */
struct tapir_globals_table {
	struct tapir_table table;
	u32 rows;
	char *kind;  /* tells tables apart: the array and its columns */
	char *plain; /* the lines as they are without a table */
	size_t plain_length;
	u32 keys;		      /* columns of them */
	tapir_wide totals[5];	      /* of the columns of statistics */
	bool is_statistic, is_broken; /* broken: no memory */
};

/* Adds an item. False: it belongs to another table, or this one is full: take the text first. `text`: the line it is. */
bool tapir_globals_add(struct tapir_globals_table *t, const struct tapir_item_format *f, const char *item, const char *text,
		       u32 length);
/* The table, to be freed, and all-zero again; the lines where it does not fit. NULL: it is empty, or there is no memory. */
char *tapir_globals_text(struct tapir_globals_table *t, const struct tapir_screen *screen, size_t *length);

void tapir_globals_forget(struct tapir_globals_table *t);

#endif
