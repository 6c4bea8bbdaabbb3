/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables that scripts declare (@table), as the formats of their rows name them: see TAPIR_FMT_TABLE. */
#ifndef TAPIR_TABLE_HEAD_H
#define TAPIR_TABLE_HEAD_H

#include <tapir/items.h>

enum tapir_column_kind {
	TAPIR_COLUMN_IS_TEXT,	/* unit "name" or "text" */
	TAPIR_COLUMN_IS_ID,	/* "id": a number that names something */
	TAPIR_COLUMN_IS_MEASURE /* any other number */
};

struct tapir_column_head {
	const char *name, *unit, *subject; /* unit and subject may be "" */
	enum tapir_column_kind kind;
};

struct tapir_table_head {
	const char *name;
	u32 count;
	struct tapir_column_head columns[TAPIR_ITEM_ARGS];
};

/* A value of a row. */
struct tapir_cell {
	const char *text; /* NULL: it is a number */
	s64 number;
};

bool tapir_is_table_row(const struct tapir_item_format *f);
/* The table is none of the script: its rows begin and end the values of a metric (@metric). */
bool tapir_is_metric_row(const struct tapir_item_format *f);
/* Reads the head from the format, which stays: the head refers to it. False: it is damaged. */
bool tapir_table_head_read(struct tapir_table_head *head, const struct tapir_item_format *f);
/* Takes the next value off an item: first `at` is its beginning + sizeof(u16). */
struct tapir_cell tapir_cell_take(const struct tapir_item_format *f, u32 argument, const char **at);

#endif
