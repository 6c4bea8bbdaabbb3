// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "items/csv_lines.h"

/* In quotes where the field needs them. */
static void put_field(struct tapir_json *lines, const char *text)
{
	const char *quote;

	if (!strpbrk(text, "\",\r\n")) {
		tapir_json_puts(lines, text);
		return;
	}
	tapir_json_puts(lines, "\"");
	while ((quote = strchr(text, '"')) != NULL) {
		tapir_json_put(lines, text, (size_t)(quote - text) + 1);
		tapir_json_puts(lines, "\"");
		text = quote + 1;
	}
	tapir_json_puts(lines, text);
	tapir_json_puts(lines, "\"");
}

static void begin_line(struct tapir_json *lines, const struct tapir_table_head *head, bool named)
{
	if (!named)
		return;
	put_field(lines, head->name);
	tapir_json_puts(lines, ",");
}

/* NAME, or NAME (UNIT) of a number with a unit. */
static void put_column(struct tapir_json *lines, const struct tapir_column_head *column)
{
	struct tapir_json text = {0};

	tapir_json_puts(&text, column->name);
	if (column->kind == TAPIR_COLUMN_IS_MEASURE && *column->unit) {
		tapir_json_puts(&text, " (");
		tapir_json_puts(&text, column->unit);
		tapir_json_puts(&text, ")");
	}
	tapir_json_put(&text, "", 1);
	if (text.failed)
		lines->failed = true;
	else
		put_field(lines, text.text);
	tapir_json_free(&text);
}

void tapir_csv_head(struct tapir_json *lines, const struct tapir_table_head *head, bool named)
{
	u32 i;

	begin_line(lines, head, named);
	tapir_json_puts(lines, "t (ns)");
	for (i = 0; i < head->count; i++) {
		tapir_json_puts(lines, ",");
		put_column(lines, &head->columns[i]);
	}
	tapir_json_puts(lines, "\r\n");
}

void tapir_csv_row(struct tapir_json *lines, const struct tapir_table_head *head, bool named, const struct tapir_stamp *stamp,
		   const struct tapir_item_format *f, const char *item)
{
	const char *at = item + sizeof(u16);
	u32 i;

	begin_line(lines, head, named);
	tapir_json_unsigned(lines, stamp->time);
	for (i = 0; i < head->count; i++) {
		const struct tapir_cell cell = tapir_cell_take(f, i, &at);

		tapir_json_puts(lines, ",");
		if (cell.text)
			put_field(lines, cell.text);
		else if (cell.number != TAPIR_NO_VALUE)
			tapir_json_number(lines, cell.number);
	}
	tapir_json_puts(lines, "\r\n");
}
