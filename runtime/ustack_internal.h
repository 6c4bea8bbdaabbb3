/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames and symbols of user mode: what their forms of output have in common. Any handler context. */
#ifndef TAPIR_USTACK_INTERNAL_H
#define TAPIR_USTACK_INTERNAL_H

#include <tapir/ustack.h>
#include "stack_internal.h"

/* In the context's scratch memory. */
struct tapir_user_walk *tapir_user_walk_of(struct tapir_ctx *c);

/* What is done with each frame. `called`: its address is a return address. False: no more are needed; it may have set the walk's
 * end, which is TAPIR_UNWIND_CUT otherwise. */
typedef bool (*tapir_frame_function)(struct tapir_ctx *c, u64 address, bool called, void *data);

/* Frames from the hit outwards, or from other registers if `from` is not NULL. Counts the walk. */
struct tapir_user_registers {
	u64 pc, sp, fp;
};
void tapir_user_each_frame(struct tapir_ctx *c, const struct tapir_user_registers *from, tapir_frame_function function, void *data);

/* The same for a list of addresses. */
void tapir_user_each_address(struct tapir_ctx *c, const char *list, tapir_frame_function function, void *data);

/* ---- during a walk ---- */

/*
 * From the frame that has this address on, of a file whose table is being made, the loader makes the lines of the stack: in this
 * form (items.h). False: it does not. Ends the walk.
 */
bool tapir_user_print_later(struct tapir_ctx *c, u64 address, u16 form);

struct tapir_user_symbol {
	struct tapir_symbol_text text;
	char offset[TAPIR_HEX_BYTES], size[TAPIR_HEX_BYTES];
};

/* The symbol of a place, which is said to be so much further; it may be without a name. */
bool tapir_user_symbol_at(const struct tapir_unwind_table *t, u32 place, u32 behind, struct tapir_user_symbol *s);

/*
 * A return address belongs to the call before it, which may be a function's last instruction; but a signal handler's is the
 * beginning of what it returns to. False: it is in no object whose table is there. The symbol may be without a name.
 */
bool tapir_user_symbol_find(struct tapir_user_walk *w, u64 address, bool called, struct tapir_user_symbol *s);

/* Is an address that a script has a return address on this stack, as ustack(3) gives it? A number does not say; the stack does.
 * Looks only for what is behind a call. It leaves the walk elsewhere, so it is the last that is asked of its frames. */
bool tapir_user_returns_to(struct tapir_ctx *c, struct tapir_user_walk *w, u64 address);

#endif
