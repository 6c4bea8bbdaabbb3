/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks that met a file whose table is still being made. The state of such a walk is kept: its registers, the stack and the
 * mappings of code. When the table is there, the walk continues over that copy, even if the program has ended.
 */
#ifndef TAPIR_UNFINISHED_H
#define TAPIR_UNFINISHED_H

#include <tapir/items.h>
#include <tapir/ustack.h>

#define TAPIR_UNFINISHED_BYTES	  16384u /* of the stack, at most */
#define TAPIR_UNFINISHED_PAGE	  4096u	 /* memory is readable in whole ones of these */
#define TAPIR_UNFINISHED_MAPPINGS 64u

/* An executable mapping; in ascending order. */
struct tapir_unfinished_mapping {
	u64 start, length, place; /* of a file: its part */
	u32 object;		  /* TAPIR_UNWIND_NO_NUMBER: none */
	u8 end;			  /* enum tapir_unwind_end, where no table will describe it */
};

struct tapir_stack_draft;
struct tapir_unfinished;

/* Continues a walk as soon as the table is there. Returns how it ended; TAPIR_UNWIND_MORE: another table is missing. One at a time;
 * `draft` and `memory` are for its use. */
typedef u8 (*tapir_unfinished_function)(struct tapir_unfinished *u, struct tapir_stack_draft *draft,
					struct tapir_unwind_memory *memory);

struct tapir_unfinished {
	tapir_unfinished_function finish; /* NULL: nothing until the loader asks for its lines */
	u64 stack;			  /* the number of the stored stack */
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
 * Continues the walk, and appends to `trace` the frame that it stands at and its callers. Returns how it ended; with
 * TAPIR_UNWIND_NO_TABLE u->object is the one whose table is missing now. `memory` is zeroed before its first use.
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

/* Reserves room for a walk that stands at the object w->last.object, which has no table, and notes the mappings. Returns NULL if
 * there is no room, or the table will not come. Between begin and end of the walk; any context. */
struct tapir_unfinished *tapir_port_unfinished_begin(const struct tapir_user_walk *w);
/* Keeps it, to be finished by u->finish() or when the loader asks for its number; returns that number. Or drops it, which frees the
 * room. Any context. */
u32 tapir_port_unfinished_keep(struct tapir_unfinished *u);
void tapir_port_unfinished_drop(struct tapir_unfinished *u);
/* May the object's table still come? */
bool tapir_port_object_awaited(u32 object);

#endif
