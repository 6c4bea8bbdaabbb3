// SPDX-License-Identifier: GPL-2.0-or-later
/* User stacks as values. Linked when a script stores one. */
#include <tapir/port.h>
#include <tapir/stack.h>
#include <tapir/work.h>
#include "handler.h"
#include "stacks_internal.h"

const u32 tapir_user_stacks_space = sizeof(struct tapir_unwind_memory);

static void add_user(struct tapir_ctx *c, struct tapir_stack_draft *draft, s64 limit)
{
	struct tapir_unwind_memory *memory = (struct tapir_unwind_memory *)((char *)c->stacks + sizeof(*draft));
	struct tapir_user_walk *w = tapir_user_walk_of(c);
	u32 max = limit < 0 || limit > TAPIR_STACK_ROOM ? TAPIR_STACK_ROOM : (u32)limit, first = draft->trace.frames, i;

	if (!tapir_port_user_walk_begin(c, w)) {
		tapir_port_count_user_stack(w->end);
		if (w->end != TAPIR_UNWIND_FOREIGN)
			draft->head.user_end = w->end;
		return;
	}
	if (w->returned && max && tapir_unwind_note_address(&w->source, &draft->trace, w->returned))
		max--;
	w->end = tapir_unwind_record(&w->source, &w->frame, memory, &draft->trace, max);
	tapir_work_add(c, TAPIR_WORK_USER_WALK +
			      (draft->trace.frames - first) * (u64)(TAPIR_WORK_USER_FRAME + TAPIR_WORK_STACK_FRAME));
	tapir_port_user_walk_end(w);
	tapir_port_count_user_stack(w->end);
	draft->head.user_end = w->end;
	for (i = first; i < draft->trace.frames; i++)
		if (TAPIR_UNLIKELY(!tapir_frame_in_object(draft->words[i]))) {
			draft->head.process = (u32)tapir_port_pid();
			draft->head.owner = (u32)tapir_port_uid();
			tapir_port_own_pid(&draft->head.own, &draft->head.space);
		}
}

s64 tapir_stack_of_user(struct tapir_ctx *c, s64 limit)
{
	struct tapir_stack_draft *draft = tapir_stack_begin(c);

	add_user(c, draft, limit);
	return tapir_stack_keep(draft);
}

s64 tapir_stack_of_both(struct tapir_ctx *c, s64 limit)
{
	struct tapir_stack_draft *draft = tapir_stack_begin(c);

	tapir_stack_add_kernel(c, draft, limit);
	add_user(c, draft, limit);
	return tapir_stack_keep(draft);
}

const char *tapir_stack_next_file(s64 number, u32 *at)
{
	const struct tapir_stack *stack = tapir_stack_find((u64)number);
	const u64 *words = stack ? tapir_stack_words(stack) : NULL;
	const struct tapir_unwind_table *t = NULL;
	u32 object = 0;

	if (!stack)
		return NULL;
	for (; *at < stack->frames; ++*at) {
		if (t && (!tapir_frame_in_object(words[*at]) || tapir_frame_object(words[*at]) != object))
			break;
		if (t || !tapir_frame_in_object(words[*at]))
			continue;
		object = tapir_frame_object(words[*at]);
		t = tapir_port_object_table(object);
	}
	return t ? tapir_unwind_string(t, t->path) : NULL;
}

bool tapir_stack_user_symbol(u64 frame, struct tapir_user_symbol *s)
{
	const struct tapir_unwind_table *t = tapir_port_object_table(tapir_frame_object(frame));
	u32 place = (u32)frame;

	if (!t)
		return false;
	if ((frame & TAPIR_FRAME_CALLED) && tapir_user_symbol_at(t, place - 1, 1, s) && s->text.name)
		return true;
	return tapir_user_symbol_at(t, place, 0, s);
}
