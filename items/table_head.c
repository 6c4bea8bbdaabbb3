// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "items/table_head.h"

bool tapir_is_table_row(const struct tapir_item_format *f)
{
	return f->npieces && f->pieces->conv == TAPIR_CONV_LITERAL && f->pieces->flags & TAPIR_FMT_TABLE;
}

bool tapir_is_metric_row(const struct tapir_item_format *f)
{
	return tapir_is_table_row(f) && f->pieces->literal_len && f->pieces->literal[0] == TAPIR_METRIC_ROW;
}

static enum tapir_column_kind kind_of_unit(const char *unit)
{
	if (strcmp(unit, "name") == 0 || strcmp(unit, "text") == 0)
		return TAPIR_COLUMN_IS_TEXT;
	return strcmp(unit, "id") == 0 ? TAPIR_COLUMN_IS_ID : TAPIR_COLUMN_IS_MEASURE;
}

/* Takes the next text; NULL: there is none. */
static const char *take_text(const char **at, const char *end)
{
	const char *text = *at, *nul = memchr(text, 0, (size_t)(end - text));

	if (nul)
		*at = nul + 1;
	return nul ? text : NULL;
}

bool tapir_table_head_read(struct tapir_table_head *head, const struct tapir_item_format *f)
{
	const char *at = f->pieces->literal, *end = at + f->pieces->literal_len;
	struct tapir_column_head *column = head->columns;

	head->count = f->nargs;
	head->name = take_text(&at, end);
	for (; column < head->columns + f->nargs; column++) {
		bool is_text = f->strings >> (column - head->columns) & 1;

		column->name = take_text(&at, end);
		column->unit = take_text(&at, end);
		column->subject = take_text(&at, end);
		if (!column->name || !column->unit || !column->subject)
			return false;
		column->kind = kind_of_unit(column->unit);
		if (is_text != (column->kind == TAPIR_COLUMN_IS_TEXT))
			return false;
	}
	return head->name && head->count && at == end;
}

struct tapir_cell tapir_cell_take(const struct tapir_item_format *f, u32 argument, const char **at)
{
	struct tapir_cell cell = {NULL, 0};

	if (f->strings >> argument & 1) {
		cell.text = *at;
		*at += strlen(*at) + 1;
	} else {
		memcpy(&cell.number, *at, sizeof(cell.number));
		*at += sizeof(cell.number);
	}
	return cell;
}
