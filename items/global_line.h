/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line of a global that is printed at the end (TAPIR_FMT_ROW), taken apart: name[key,"key"]=1, name @count=1 @min=2. */
#ifndef TAPIR_GLOBAL_LINE_H
#define TAPIR_GLOBAL_LINE_H

#include <tapir/items.h>

#define TAPIR_GLOBAL_HEAD_MOST 64u

struct tapir_global_part {
	bool is_key, is_number;
	char head[TAPIR_GLOBAL_HEAD_MOST]; /* VALUE, or COUNT, MIN and so on of a statistic */
	const char *text;
	s64 number;
};

/* The order of a statistic's parts, once they are arranged. */
enum tapir_global_statistic {
	TAPIR_GLOBAL_COUNT,
	TAPIR_GLOBAL_SUM,
	TAPIR_GLOBAL_MIN,
	TAPIR_GLOBAL_AVG,
	TAPIR_GLOBAL_MAX,
	TAPIR_GLOBAL_STATISTICS
};

struct tapir_global_line {
	char name[TAPIR_GLOBAL_HEAD_MOST * 4 + 1];
	u32 count, keys; /* parts; the keys come first */
	bool is_statistic;
	struct tapir_global_part parts[TAPIR_ITEM_ARGS];
};

/* Whether it is the format of such a line; and whether that is a row of a table: an empty statistic has no columns. */
bool tapir_is_global(const struct tapir_item_format *f);
bool tapir_is_row(const struct tapir_item_format *f);
/* Reads an item of such a format; the parts refer to the item. */
void tapir_global_line_read(struct tapir_global_line *l, const struct tapir_item_format *f, const char *item);

#endif
