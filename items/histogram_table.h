/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of histograms, a line for each element of an array: print(@hist_log(array, UNIT)). For the loader and native runs. */
#ifndef TAPIR_HISTOGRAM_TABLE_H
#define TAPIR_HISTOGRAM_TABLE_H

#include "items/histogram_item.h"

/* Rows that were read and whose table has not ended. All-zero is none. */
struct tapir_histogram_rows {
	u32 count, room;
	struct tapir_histogram_row {
		char *item;
		u32 bytes;
	} * rows;
};

/* Returns the table of an item: the item stands for itself, is a row, or ends the table. The item must be whole. */
u64 tapir_histogram_table(const char *item, bool *is_end); /* the table's number; 0: it stands for itself */

/* Keeps a copy of a row. False: no memory. */
bool tapir_histogram_keep(struct tapir_histogram_rows *rows, const char *item, u32 bytes);

/* The table of that number, to be freed; its rows are kept no longer. "" if there are none. NULL: damaged, or no memory. */
char *tapir_histogram_table_text(struct tapir_histogram_rows *rows, u64 table, const struct tapir_screen *screen, size_t *length);

/* The number of a table that has not ended; 0: there is none. */
u64 tapir_histogram_unended(const struct tapir_histogram_rows *rows);
void tapir_histogram_forget(struct tapir_histogram_rows *rows);

#endif
