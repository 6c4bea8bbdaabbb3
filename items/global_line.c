// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "items/global_line.h"

/* Where the parts of a statistic are in a line. */
static const char *const statistics[] = {"COUNT", "SUM", "MIN", "AVG", "MAX"};
static const u32 order_in_line[] = {0, 3, 1, 4, 2};

bool tapir_is_global(const struct tapir_item_format *f)
{
	return f->npieces && f->pieces->conv == TAPIR_CONV_LITERAL && f->pieces->flags & TAPIR_FMT_ROW;
}

bool tapir_is_row(const struct tapir_item_format *f)
{
	return f->nargs && tapir_is_global(f);
}

/* "] @count=" is COUNT, "=" is VALUE. */
static void read_head(char *head, const char *literal, u32 length)
{
	const char *at = memchr(literal, '@', length), *end = literal + length;
	u32 n = 0;

	if (!at) {
		strcpy(head, "VALUE");
		return;
	}
	for (at++; at < end && isalpha((unsigned char)*at) && n < TAPIR_GLOBAL_HEAD_MOST - 1; at++)
		head[n++] = (char)toupper((unsigned char)*at);
	head[n] = 0;
}

/* Puts the parts of a statistic into the order of columns. False: it is none. */
static bool arrange(struct tapir_global_line *l)
{
	struct tapir_global_part parts[TAPIR_GLOBAL_STATISTICS];
	u32 i;

	if (l->count - l->keys != TAPIR_GLOBAL_STATISTICS)
		return false;
	memcpy(parts, l->parts + l->keys, sizeof(parts));
	for (i = 0; i < TAPIR_GLOBAL_STATISTICS; i++) {
		if (strcmp(parts[order_in_line[i]].head, statistics[i]) != 0)
			return false;
	}
	for (i = 0; i < TAPIR_GLOBAL_STATISTICS; i++)
		l->parts[l->keys + i] = parts[order_in_line[i]];
	return true;
}

static void read_parts(struct tapir_global_line *l, const struct tapir_item_format *f, const char *item)
{
	const char *at = item + sizeof(u16);
	char head[TAPIR_GLOBAL_HEAD_MOST] = "";
	bool in_keys = false;
	u32 i, length;

	l->count = 0;
	for (i = 0; i < f->npieces; i++) {
		const struct tapir_fmt *piece = &f->pieces[i];

		if (piece->conv == TAPIR_CONV_LITERAL) {
			length = piece->literal_len;
			if (i == 0) {
				u32 n = 0;

				while (n < length && !strchr("[ =", piece->literal[n]))
					n++;
				in_keys = n < length && piece->literal[n] == '[';
				snprintf(l->name, sizeof(l->name), "%.*s", (int)n, piece->literal);
			} else if (memchr(piece->literal, ']', length)) {
				in_keys = false;
			}
			if (!in_keys)
				read_head(head, piece->literal, length);
			continue;
		}
		l->parts[l->count].is_key = in_keys;
		strcpy(l->parts[l->count].head, head);
		l->parts[l->count].is_number = piece->conv != TAPIR_CONV_STRING;
		l->parts[l->count].text = at;
		if (l->parts[l->count].is_number)
			memcpy(&l->parts[l->count].number, at, 8);
		at += l->parts[l->count].is_number ? 8 : strlen(at) + 1;
		l->count++;
	}
}

void tapir_global_line_read(struct tapir_global_line *l, const struct tapir_item_format *f, const char *item)
{
	read_parts(l, f, item);
	for (l->keys = 0; l->keys < l->count && l->parts[l->keys].is_key;)
		l->keys++;
	l->is_statistic = arrange(l);
}
