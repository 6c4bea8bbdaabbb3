// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A step from code without a table. Such code was compiled at run time, and mostly keeps frame pointers. Or it comes from files
 * without unwind information, whose functions begin by making a frame. Also a step from an address without code, where a wild
 * pointer has led: nothing has been pushed since the call. A return address counts only if it is in code, behind a call.
 */
#include "unwind_internal.h"

#define LEAST_ADDRESS  4096u
#define FRAME_BYTES    (1u << 16) /* of one frame, at most */
#define PROLOGUE_WORDS 32u	  /* of a function, in which it must have made its frame */

/* Is there a call right before this address, which is not known to call anything but `callee` (0: any)? Bounded: one read, and one
 * search for what looks like it. */
static bool is_return_address(const struct tapir_unwind_source *source, u64 address, u64 callee)
{
	u64 before, target;
	u8 end = TAPIR_UNWIND_NO_CODE;
	u32 place;

	if (address < LEAST_ADDRESS || address >> 62 ||
	    source->read(source->data, &before, address - sizeof(before), sizeof(before)) ||
	    !tapir_unwind_after_call(source->machine, before))
		return false;
	target = tapir_unwind_call_target(source->machine, before, address);
	if (callee && target && target != callee)
		return false;
	return source->find(source->data, address - 1, &place, &end) || end == TAPIR_UNWIND_NO_OBJECT ||
	       end == TAPIR_UNWIND_NO_TABLE;
}

/* Has the function from `start` on made its frame before this place? */
static bool has_made_frame(const struct tapir_unwind_source *source, u64 start, u64 address)
{
	u64 word, last = 0, at = start;
	u32 i;

	for (i = 0; i < PROLOGUE_WORDS && at < address; i++, at += 8, last = word) {
		if (source->read(source->data, &word, at, sizeof(word)))
			return false;
		if (tapir_unwind_makes_frame(source->machine, last, word, address - at))
			return true;
	}
	return false;
}

/* The running frame is between two instructions. Returns the number of words between its stack pointer and its return address; -1
 * if its frame pointer shows the caller. */
static s32 words_on_top(const struct tapir_unwind_source *source, u64 address)
{
	u64 code[2];
	u32 before = address & 7;

	if (source->read(source->data, code, address - 8, sizeof(code))) {
		/* The code begins with a page. */
		if (source->read(source->data, code, address - before, 8) || source->read(source->data, &code[1], address, 8))
			return -1;
		code[0] = before ? code[0] << (64 - 8 * before) : 0;
	}
	return tapir_unwind_words_on_top(source->machine, code[0], code[1]);
}

u8 tapir_unwind_step_framed(const struct tapir_unwind_source *source, const struct tapir_unwind_table *t, u32 place,
			    struct tapir_unwind_frame *f, u8 why)
{
	u64 *sp = &f->regs[tapir_unwind_stack_register(source->machine)],
	    *fp = &f->regs[tapir_unwind_frame_register(source->machine)];
	bool no_code = why == TAPIR_UNWIND_NO_CODE;
	s32 on_top = f->called ? -1 : no_code ? 0 : words_on_top(source, f->pc);
	u64 address = f->pc - f->called, callee = 0, at, caller, pc;
	const struct tapir_unwind_symbol *symbol;
	const u64 *frame;
	u8 end = TAPIR_UNWIND_MORE;

	if (!tapir_unwind_call_pushes(source->machine))
		return why;
	if (t && on_top < 0 && !no_code) {
		symbol = tapir_unwind_find_symbol(t, place);
		if (!symbol)
			return why;
		callee = address - (place - symbol->place);
		if (has_made_frame(source, callee, address)) {
			callee = 0;
		} else {
			/* It may need none, and its return address be on top. */
			if (f->called)
				return why;
			on_top = 0;
		}
	}
	/* From the frame pointer that was saved; where none was, from the word below the return address, which does not count. */
	at = on_top < 0 ? *fp : *sp + (u64)on_top * 8 - 8;
	if ((at & 7) || at + 8 < *sp || at - *sp + 8 >= FRAME_BYTES)
		return why;
	frame = stack_words(source, f, at, 16, &end);
	if (!frame)
		return why;
	caller = frame[0];
	pc = frame[1];
	if (!is_return_address(source, pc, callee))
		return why;
	if (on_top)
		*fp = caller;
	*sp = at + 16;
	f->pc = pc;
	f->called = 1;
	return TAPIR_UNWIND_MORE;
}
