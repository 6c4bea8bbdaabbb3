// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of stacks that the loader prints when their tables are there. */
#include <tapir/stacks.h>
#include <tapir/string.h>
#include <tapir/unfinished.h>
#include "ustack_internal.h"

/* The symbol of a frame, and its source line if that is asked for. */
static bool symbol_of(u64 frame, bool lines, struct tapir_user_symbol *s)
{
	const struct tapir_unwind_table *t = tapir_port_object_table(tapir_frame_object(frame));
	const struct tapir_unwind_line *line;
	u32 place = (u32)frame, called = frame & TAPIR_FRAME_CALLED ? 1 : 0;

	if (!tapir_frame_in_object(frame) || !t)
		return false;
	/* A return address belongs to the call before it; but a signal handler returns to the beginning of a function. */
	tapir_user_symbol_at(t, place - called, called, s);
	if (called && !s->text.name)
		tapir_user_symbol_at(t, place, 0, s);
	line = lines ? tapir_unwind_find_line(t, place - called) : NULL;
	if (line) {
		s->text.file = tapir_unwind_string(t, line->file);
		s->text.line = line->line;
	}
	return true;
}

u32 tapir_unfinished_line(const struct tapir_unwind_trace *trace, u32 n, enum tapir_frames_form form, char *dst, u32 cap)
{
	u64 address = tapir_unwind_address(trace->words, trace->words + trace->room - 2 * trace->runs, trace->runs, n);
	const char *parts[TAPIR_LINE_PARTS];
	struct tapir_line_room room;
	struct tapir_user_symbol s;
	bool found = symbol_of(trace->words[n], form == TAPIR_FRAMES_SOURCES, &s);
	u32 count = tapir_line_parts(address, found ? &s.text : NULL, form == TAPIR_FRAMES_BRIEF, &room, parts);

	tapir_str_join(dst, parts, count, cap);
	count = tapir_strlen(dst, cap);
	dst[count - 1] = '\n';
	return count;
}
