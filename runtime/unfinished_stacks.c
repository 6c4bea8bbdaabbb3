// SPDX-License-Identifier: GPL-2.0-or-later
/* Stacks that are stored before they are whole: see tapir/unfinished.h. */
#include <tapir/unfinished.h>
#include "stacks_internal.h"

/* A draft of the stored stack, without its last frame, where the walk stood. */
static void draw_again(struct tapir_stack_draft *draft, const struct tapir_stack *stack)
{
	struct tapir_unwind_trace *t = &draft->trace;
	const u64 *words = tapir_stack_words(stack);
	u64 *runs = draft->words + TAPIR_STACK_ROOM - 2 * stack->runs;
	u32 i;

	draft->head = *stack;
	draft->trace = (struct tapir_unwind_trace){
	    .words = draft->words, .room = TAPIR_STACK_ROOM, .frames = stack->frames - 1u, .runs = stack->runs};
	for (i = 0; i < t->frames; i++)
		draft->words[i] = words[i];
	for (i = 0; i < 2u * stack->runs; i++)
		runs[i] = words[stack->frames + i];
	/* The last run is the first in memory. */
	if (t->runs && runs[1] == t->frames) {
		runs += 2;
		t->runs--;
	}
	if (t->runs)
		t->difference = runs[0];
}

u8 tapir_stack_finish(struct tapir_unfinished *u, struct tapir_stack_draft *draft, struct tapir_unwind_memory *memory)
{
	u32 i;
	u8 end;

	draw_again(draft, tapir_stack_at(u->stack));
	end = tapir_unfinished_walk(u, memory, &draft->trace);
	if (end == TAPIR_UNWIND_NO_TABLE && tapir_port_object_awaited(u->object))
		return TAPIR_UNWIND_MORE;
	draft->head.user_end = end;
	for (i = draft->head.kernel_frames; i < draft->trace.frames; i++) {
		if (tapir_frame_in_object(draft->words[i]))
			continue;
		draft->head.process = u->process;
		draft->head.owner = u->owner;
		draft->head.own = u->own;
		draft->head.space = u->space;
	}
	tapir_stack_replace(u->stack, draft);
	return end;
}
