/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks as values: what those of the kernel and of user mode have in common. Any handler context. */
#ifndef TAPIR_STACKS_INTERNAL_H
#define TAPIR_STACKS_INTERNAL_H

#include <tapir/stacks.h>
#include "ustack_internal.h"

/* A stack under construction, in the context's memory for it. */
struct tapir_stack_draft {
	struct tapir_unwind_trace trace;
	struct tapir_stack head;
	u64 words[TAPIR_STACK_ROOM];
};

struct tapir_stack_draft *tapir_stack_begin(struct tapir_ctx *c);
void tapir_stack_add_kernel(struct tapir_ctx *c, struct tapir_stack_draft *draft, s64 limit);
/* Its number. */
s64 tapir_stack_keep(struct tapir_stack_draft *draft);
/* Stores a stack under a number of its own, because its walk will go on later. Returns 0 if the table is full. */
s64 tapir_stack_keep_apart(struct tapir_stack_draft *draft);
/* From now on such a number stands for this stack, if there is room for that. One thread at a time; any context otherwise. */
void tapir_stack_replace(u64 number, struct tapir_stack_draft *draft);

/* Returns the number of `words` words in one piece, or 0 if the table is full. */
u64 tapir_stacks_reserve(u32 words);

/* The symbol of a frame of user code, as tapir_user_symbol_find(). Linked with user stacks. */
bool tapir_stack_user_symbol(u64 frame, struct tapir_user_symbol *s) __attribute__((weak));

#endif
