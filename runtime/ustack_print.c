// SPDX-License-Identifier: GPL-2.0-or-later
/* User stacks that are printed. Frames behind a file whose table is being made become text when the loader has made the table. */
#include <tapir/format.h>
#include <tapir/stack.h>
#include <tapir/unfinished.h>
#include <tapir/work.h>
#include "format_internal.h"
#include "handler.h"
#include "ustack_internal.h"

bool tapir_user_print_later(struct tapir_ctx *c, u64 address, u16 form)
{
	struct tapir_user_walk *w = tapir_user_walk_of(c);
	struct tapir_unfinished *u = NULL;

	if (address == w->frame.pc && !w->end && w->last.object != TAPIR_UNWIND_NO_NUMBER && !w->last.table)
		u = tapir_port_unfinished_begin(w);
	if (!u)
		return false;
	tapir_unfinished_note(u, w, NULL);
	tapir_work_add(c, TAPIR_WORK_USER_WALK + u->bytes / 8 * (u64)TAPIR_WORK_BYTE);
	u->most = TAPIR_UNWIND_STEPS - w->frame.steps;
	u->finish = NULL;
	/* It is kept before the loader can see its number. */
	tapir_output_frames(c, tapir_port_unfinished_keep(u), form, address);
	w->end = TAPIR_UNWIND_NO_TABLE;
	return true;
}

static bool print_line(struct tapir_ctx *c, u64 address, bool called, void *data)
{
	struct tapir_user_symbol s;
	bool found = tapir_user_symbol_find(tapir_user_walk_of(c), address, called, &s);

	if (!found && data && tapir_user_print_later(c, address, TAPIR_FRAMES_LINES))
		return false;
	tapir_print_line(c, address, found ? &s.text : NULL);
	return !c->failed;
}

static bool print_brief(struct tapir_ctx *c, u64 address, bool called, void *data)
{
	struct tapir_user_symbol s;
	bool found = tapir_user_symbol_find(tapir_user_walk_of(c), address, called, &s);

	(void)data;
	if (!found && tapir_user_print_later(c, address, TAPIR_FRAMES_BRIEF))
		return false;
	tapir_print_brief(c, address, found ? &s.text : NULL);
	return !c->failed;
}

void tapir_ustack_print(struct tapir_ctx *c)
{
	tapir_user_each_frame(c, NULL, print_line, c);
}

void tapir_ustack_print_from(struct tapir_ctx *c, u64 pc, u64 sp, u64 fp)
{
	struct tapir_user_registers from = {pc, sp, fp};

	tapir_user_each_frame(c, &from, print_line, c);
}

void tapir_ustack_print_brief(struct tapir_ctx *c)
{
	tapir_user_each_frame(c, NULL, print_brief, NULL);
}

/* The script has its addresses already. */
void tapir_uaddresses_print(struct tapir_ctx *c, const char *list)
{
	tapir_user_each_address(c, list, print_line, NULL);
}
