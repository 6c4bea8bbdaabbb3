// SPDX-License-Identifier: GPL-2.0-or-later
/* User stacks as values. Linked when a script stores one. */
#include <tapir/interpreter.h>
#include <tapir/port.h>
#include <tapir/stack.h>
#include <tapir/unfinished.h>
#include <tapir/work.h>
#include "handler.h"
#include "stacks_internal.h"

const u32 tapir_user_stacks_space = sizeof(struct tapir_unwind_memory);

/* Is the last frame where the walk stands, in a file without a table? */
static bool stands_at_last(const struct tapir_user_walk *w, const struct tapir_stack_draft *draft)
{
	const struct tapir_unwind_mapping *m = &w->last;
	u64 last = draft->trace.frames ? draft->words[draft->trace.frames - 1] : 0;

	return m->object != TAPIR_UNWIND_NO_NUMBER && tapir_frame_in_object(last) && (last & TAPIR_FRAME_NO_TABLE) &&
	       tapir_frame_object(last) == m->object && (u32)last == (u32)(w->frame.pc - m->start + m->place);
}

/* Reserves room for the walk's state, to continue when a table has come, with `most` frames at most. NULL: the walk stays as it is.
 * Before the walk ends. */
static __attribute__((__noinline__, __cold__)) struct tapir_unfinished *
begin_unfinished(struct tapir_ctx *c, struct tapir_user_walk *w, const struct tapir_unwind_memory *memory,
		 const struct tapir_stack_draft *draft, u32 most)
{
	bool stands = memory->steps < most && stands_at_last(w, draft);
	struct tapir_unfinished *u = stands ? tapir_port_unfinished_begin(w) : NULL;

	if (!u)
		return NULL;
	if (!tapir_unfinished_note(u, w, memory)) {
		tapir_port_unfinished_drop(u);
		return NULL;
	}
	tapir_work_add(c, TAPIR_WORK_USER_WALK + memory->steps * (u64)TAPIR_WORK_USER_FRAME + u->bytes / 8 * (u64)TAPIR_WORK_BYTE);
	u->most = most - memory->steps;
	u->process = (u32)tapir_port_pid();
	u->owner = (u32)tapir_port_uid();
	tapir_port_own_pid(&u->own, &u->space);
	return u;
}

/* Returns NULL, or the state from which the walk will continue. */
static struct tapir_unfinished *add_user(struct tapir_ctx *c, struct tapir_stack_draft *draft, s64 limit)
{
	struct tapir_unwind_memory *memory = (struct tapir_unwind_memory *)((char *)c->stacks + sizeof(*draft));
	struct tapir_user_walk *w = tapir_user_walk_of(c);
	u32 max = limit < 0 || limit > TAPIR_STACK_ROOM ? TAPIR_STACK_ROOM : (u32)limit, first = draft->trace.frames;
	struct tapir_unfinished *unfinished = NULL;
	u8 end;

	if (!tapir_port_user_walk_begin(c, w)) {
		tapir_port_count_user_stack(w->end);
		if (w->end != TAPIR_UNWIND_FOREIGN)
			draft->head.user_end = w->end;
		return NULL;
	}
	if (w->returned && max && tapir_unwind_note_address(&w->source, &draft->trace, w->returned))
		max--;
	end = tapir_unwind_record(&w->source, &w->frame, memory, &draft->trace, max);
	tapir_work_add(c, TAPIR_WORK_USER_WALK +
			      (draft->trace.frames - first) * (u64)(TAPIR_WORK_USER_FRAME + TAPIR_WORK_STACK_FRAME));
	if (TAPIR_UNLIKELY(end == TAPIR_UNWIND_CUT) && (limit < 0 || limit > TAPIR_STACK_ROOM))
		end = TAPIR_UNWIND_LIMIT;
	if (TAPIR_UNLIKELY(end == TAPIR_UNWIND_NO_TABLE))
		unfinished = begin_unfinished(c, w, memory, draft, max);
	tapir_port_user_walk_end(w);
	tapir_port_count_user_stack(end);
	draft->head.user_end = end;
	if (TAPIR_UNLIKELY(draft->trace.outside)) {
		draft->head.process = (u32)tapir_port_pid();
		draft->head.owner = (u32)tapir_port_uid();
		tapir_port_own_pid(&draft->head.own, &draft->head.space);
	}
	return unfinished;
}

static __attribute__((__noinline__, __cold__)) s64 keep_unfinished(struct tapir_stack_draft *draft, struct tapir_unfinished *u)
{
	s64 number = tapir_stack_keep_apart(draft);

	if (!number) {
		tapir_port_unfinished_drop(u);
		return tapir_stack_keep(draft);
	}
	u->stack = (u64)number;
	u->finish = tapir_stack_finish;
	tapir_port_unfinished_keep(u);
	return number;
}

static s64 keep(struct tapir_stack_draft *draft, struct tapir_unfinished *unfinished)
{
	return TAPIR_LIKELY(!unfinished) ? tapir_stack_keep(draft) : keep_unfinished(draft, unfinished);
}

s64 tapir_stack_of_user(struct tapir_ctx *c, s64 limit)
{
	struct tapir_stack_draft *draft = tapir_stack_begin(c);

	return keep(draft, add_user(c, draft, limit));
}

s64 tapir_stack_of_both(struct tapir_ctx *c, s64 limit)
{
	struct tapir_stack_draft *draft = tapir_stack_begin(c);

	tapir_stack_add_kernel(c, draft, limit);
	return keep(draft, add_user(c, draft, limit));
}

const char *tapir_stack_interpreter(s64 number)
{
	const struct tapir_stack *stack = tapir_stack_find((u64)number);
	u32 i, object = TAPIR_UNWIND_NO_NUMBER, found = 0;

	for (i = 0; stack && !found && i < stack->frames; i++) {
		u64 frame = tapir_stack_words(stack)[i];

		if (!tapir_frame_in_object(frame) || tapir_frame_object(frame) == object)
			continue;
		object = tapir_frame_object(frame);
		found = tapir_port_object_interpreter(object);
	}
	return tapir_interpreter_name(found);
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
