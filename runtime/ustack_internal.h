/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames and symbols of user mode: shared parts of their forms of output. Any handler context. */
#ifndef TAPIR_USTACK_INTERNAL_H
#define TAPIR_USTACK_INTERNAL_H

#include <tapir/ustack.h>
#include "stack_internal.h"

/* In the context's scratch memory. */
struct tapir_user_walk *tapir_user_walk_of(struct tapir_ctx *c);

/* Called for each frame. `called`: its address is a return address. Returns false to stop; it may have set the walk's end, which is
 * TAPIR_UNWIND_CUT otherwise. */
typedef bool (*tapir_frame_function)(struct tapir_ctx *c, u64 address, bool called, void *data);

/* Frames from the hit outwards, or from other registers if `from` is not NULL. Counts the walk. */
struct tapir_user_registers {
	u64 pc, sp, fp;
};
void tapir_user_each_frame(struct tapir_ctx *c, const struct tapir_user_registers *from, tapir_frame_function function, void *data);

/* Like tapir_user_each_frame(), for a list of addresses. */
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

/* Finds the symbol of a place, and adds `behind` to its offset; the symbol may be without a name. */
bool tapir_user_symbol_at(const struct tapir_unwind_table *t, u32 place, u32 behind, struct tapir_user_symbol *s);

/*
 * A return address belongs to the call before it, which may be a function's last instruction. A signal handler's return address is
 * the first byte of the code it returns to. Returns false if it is in no object with a table. The symbol may be without a name.
 */
bool tapir_user_symbol_find(struct tapir_user_walk *w, u64 address, bool called, struct tapir_user_symbol *s);

/* True if a script's address is a return address on this stack, as ustack(3) gives it. A number alone does not show that; the stack
 * does. Looks only for addresses behind a call. It moves the walk, so call it last. */
bool tapir_user_returns_to(struct tapir_ctx *c, struct tapir_user_walk *w, u64 address);

#endif
