/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks that met a file whose table is still being made. What such a walk would need to go on is kept, its registers, the stack and
 * where code is mapped; when the table is there the walk goes on over that, though the program may have ended.
 */
#ifndef TAPIR_UNFINISHED_H
#define TAPIR_UNFINISHED_H

#include <tapir/items.h>
#include <tapir/ustack.h>

#define TAPIR_UNFINISHED_BYTES	  16384u /* of the stack, at most */
#define TAPIR_UNFINISHED_PAGE	  4096u	 /* what can be read is whole ones of these */
#define TAPIR_UNFINISHED_MAPPINGS 64u

/* What can be executed, by addresses. */
struct tapir_unfinished_mapping {
	u64 start, length, place; /* of a file: its part */
	u32 object;		  /* TAPIR_UNWIND_NO_NUMBER: none */
	u8 end;			  /* enum tapir_unwind_end, where no table will describe it */
};

struct tapir_stack_draft;
struct tapir_unfinished;

/* What is done with a walk as soon as the table is there. How it ended; TAPIR_UNWIND_MORE: another table is missing. One at a time;
 * `draft` and `memory` are for its use. */
typedef u8 (*tapir_unfinished_function)(struct tapir_unfinished *u, struct tapir_stack_draft *draft,
					struct tapir_unwind_memory *memory);

struct tapir_unfinished {
	tapir_unfinished_function finish; /* NULL: nothing until the loader asks for its lines */
	u64 stack;			  /* the number of what is stored of it */
	u64 regs[TAPIR_UNWIND_REGISTERS], pc;
	u8 called;
	u8 partly;   /* there are more mappings */
	u16 machine; /* enum tapir_unwind_machine */
	u32 object;  /* whose table is missing */
	u32 most;    /* frames that it may have from here on */
	u32 nmappings;
	u32 process, owner, own, space; /* see struct tapir_stack */
	u32 bytes;			/* of `words` */
	u64 start;			/* where these were */
	struct tapir_unfinished_mapping mappings[TAPIR_UNFINISHED_MAPPINGS];
	u64 words[TAPIR_UNFINISHED_BYTES / sizeof(u64)];
};

/*
 * Notes the walk's registers, and the stack as far as it can be read. `memory`: of the walk, which was recorded. False: another
 * thread has changed the stack meanwhile. `memory` is NULL for a walk by steps. Any context, between begin and end of the walk; at
 * most two walks' time.
 */
bool tapir_unfinished_note(struct tapir_unfinished *u, struct tapir_user_walk *w, const struct tapir_unwind_memory *memory);

/*
 * Goes on with the walk, and appends to `trace` the frame that it stands at and its callers. How it ended; with
 * TAPIR_UNWIND_NO_TABLE u->object is the one whose table is missing now. `memory` is zeroed before it is used first.
 */
u8 tapir_unfinished_walk(struct tapir_unfinished *u, struct tapir_unwind_memory *memory, struct tapir_unwind_trace *trace);

/* ---- of stacks that are stored ---- */

/*
 * Walks on and, unless a table is still missing that tapir_port_object_awaited(), lets the number stand for the stack that it
 * finds. As tapir_unfinished_function.
 */
u8 tapir_stack_finish(struct tapir_unfinished *u, struct tapir_stack_draft *draft, struct tapir_unwind_memory *memory);

/* ---- of stacks that are printed ---- */

/* The line of frame n of a trace in this form, with its newline: cut at `cap`, which is more than 1. Its length. */
u32 tapir_unfinished_line(const struct tapir_unwind_trace *trace, u32 n, enum tapir_frames_form form, char *dst, u32 cap);

/* ---- the port's side ---- */

/* Room for a walk that stands at the object w->last.object, which has no table, with the mappings noted. NULL: there is none, or
 * the table will not come. Between begin and end of the walk; any context. */
struct tapir_unfinished *tapir_port_unfinished_begin(const struct tapir_user_walk *w);
/* It is to be finished, by u->finish() or when the loader asks for what has this number; or it is not, and the room is free again.
 * Any context. */
u32 tapir_port_unfinished_keep(struct tapir_unfinished *u);
void tapir_port_unfinished_drop(struct tapir_unfinished *u);
/* May the object's table still come? */
bool tapir_port_object_awaited(u32 object);

#endif
