/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of tables as text. Rows that one run of a handler makes are a block, aligned together. Columns get wider with later blocks
 * and never narrower. The head stands in front of the first row, and again after other output. An empty line parts a table from
 * another one, or a histogram, that comes right behind it.
 */
#ifndef TAPIR_ROW_TEXT_H
#define TAPIR_ROW_TEXT_H

#include "items/table.h"
#include "items/table_head.h"

struct tapir_row_widths {
	struct tapir_row_widths *next;
	char *name;
	u32 columns, least[TAPIR_TABLE_COLUMNS];
};

/* All-zero is none. */
struct tapir_rows {
	struct tapir_row_widths *tables; /* that had rows */
	struct tapir_row_widths *last;	 /* after whose rows nothing else was printed */
	struct tapir_row_widths *now;	 /* of the block */
	struct tapir_table block;	 /* without columns: no rows wait */
	u32 rows;
};

/* Adds a row to the block. False: it belongs to another one, so take the text first; or it is damaged, then no row waits. */
bool tapir_rows_add(struct tapir_rows *r, const struct tapir_screen *screen, const struct tapir_item_format *f, const char *item);
/* The text of the block, to be freed, which then is empty. NULL: there is none, or no memory. */
char *tapir_rows_text(struct tapir_rows *r, const struct tapir_screen *screen, size_t *length);
/* Rows were printed last, so that an empty line parts a histogram from them. */
bool tapir_rows_part(const struct tapir_rows *r);
/* Something else is printed. */
void tapir_rows_interrupt(struct tapir_rows *r);
void tapir_rows_forget(struct tapir_rows *r);

#endif
