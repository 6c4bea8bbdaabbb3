// SPDX-License-Identifier: GPL-2.0-or-later
/* Source lines of user addresses. Tables have them when this is linked. */
#include <tapir/format.h>
#include <tapir/string.h>
#include <tapir/work.h>
#include "ustack_internal.h"

const bool tapir_user_lines = true;

static const struct tapir_unwind_line *find_line(struct tapir_user_walk *w, u64 address, const struct tapir_unwind_table **t)
{
	u32 place;
	u8 end;

	*t = w->source.find(w->source.data, address, &place, &end);
	return *t ? tapir_unwind_find_line(*t, place) : NULL;
}

/* ---- stacks ---- */

static bool print_line(struct tapir_ctx *c, u64 address, bool called, void *data)
{
	struct tapir_user_walk *w = tapir_user_walk_of(c);
	const struct tapir_unwind_table *t;
	const struct tapir_unwind_line *line = find_line(w, address - called, &t);
	struct tapir_user_symbol s;

	(void)data;
	if (!tapir_user_symbol_find(w, address, called, &s)) {
		if (tapir_user_print_later(c, address, TAPIR_FRAMES_SOURCES))
			return false;
		tapir_print_line(c, address, NULL);
		return !c->failed;
	}
	if (line) {
		s.text.file = tapir_unwind_string(t, line->file);
		s.text.line = line->line;
	}
	tapir_print_line(c, address, &s.text);
	return !c->failed;
}

void tapir_ustack_print_lines(struct tapir_ctx *c)
{
	tapir_user_each_frame(c, NULL, print_line, NULL);
}

void tapir_ustack_print_lines_from(struct tapir_ctx *c, u64 pc, u64 sp, u64 fp)
{
	struct tapir_user_registers from = {pc, sp, fp};

	tapir_user_each_frame(c, &from, print_line, NULL);
}

/* ---- one address ---- */

enum parts { PART_FILE = 1, PART_LINE = 2 };

/* Appends a number in decimal. */
static void append_number(char *dst, u32 value, u32 cap)
{
	char digits[11];
	u32 at = sizeof(digits) - 1;

	digits[at] = 0;
	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	tapir_str_append(dst, digits + at, cap);
}

static void copy_line(struct tapir_ctx *c, u64 address, unsigned int parts, char *dst, u32 cap)
{
	struct tapir_user_walk *w = tapir_user_walk_of(c);
	const struct tapir_unwind_table *t;
	const struct tapir_unwind_line *line;
	char text[TAPIR_HEX_BYTES];

	tapir_work(c, TAPIR_WORK_USER_WALK + TAPIR_WORK_USER_SYMBOL);
	tapir_put_hex(text, address);
	tapir_str_copy(dst, text, cap);
	if (!tapir_port_user_walk_begin(c, w))
		return;
	/* The instruction after a call may be on the next line, or in the next function. */
	line = find_line(w, address - (tapir_user_returns_to(c, w, address) ? 1 : 0), &t);
	if (line) {
		dst[0] = 0;
		if (parts & PART_FILE)
			tapir_str_append(dst, tapir_unwind_string(t, line->file), cap);
		if (parts == (PART_FILE | PART_LINE))
			tapir_str_append(dst, ":", cap);
		if (parts & PART_LINE)
			append_number(dst, line->line, cap);
	}
	tapir_port_user_walk_end(w);
}

void tapir_usymbol_file(struct tapir_ctx *c, u64 address, char *dst, u32 cap)
{
	copy_line(c, address, PART_FILE, dst, cap);
}

void tapir_usymbol_line(struct tapir_ctx *c, u64 address, char *dst, u32 cap)
{
	copy_line(c, address, PART_LINE, dst, cap);
}

void tapir_usymbol_file_line(struct tapir_ctx *c, u64 address, char *dst, u32 cap)
{
	copy_line(c, address, PART_FILE | PART_LINE, dst, cap);
}
