// SPDX-License-Identifier: GPL-2.0-or-later
/* Stacks as values: as text, and their names. */
#include <tapir/format.h>
#include <tapir/port.h>
#include <tapir/stack.h>
#include <tapir/string.h>
#include <tapir/work.h>
#include "handler.h"
#include "stacks_internal.h"

#define FULL "[stack table full]"

/* Room for the parts of a frame's symbol. */
struct symbol {
	struct tapir_symbol_text kernel;
	struct tapir_user_symbol user;
};

static const struct tapir_symbol_text *symbol_of(struct tapir_ctx *c, const struct tapir_stack *stack, u32 n, struct symbol *s)
{
	u64 frame = tapir_stack_words(stack)[n];

	tapir_work(c, TAPIR_WORK_TEXT_FRAME + TAPIR_WORK_USER_SYMBOL);
	if (tapir_frame_in_kernel(frame))
		return tapir_kernel_symbol(c, frame, n > 0, &s->kernel) ? &s->kernel : NULL;
	return tapir_frame_in_object(frame) && tapir_stack_user_symbol && tapir_stack_user_symbol(frame, &s->user) ? &s->user.text
														   : NULL;
}

static u64 address_of(const struct tapir_stack *stack, u32 n)
{
	const u64 *words = tapir_stack_words(stack);

	return tapir_unwind_address(words, words + stack->frames, stack->runs, n);
}

void tapir_stack_value_text(struct tapir_ctx *c, s64 number, char *dst, u32 cap)
{
	const struct tapir_stack *stack = tapir_stack_find((u64)number);
	u32 used = 0, longer, i;

	tapir_work(c, stack ? stack->frames * (u64)TAPIR_WORK_TEXT_FRAME : 0);
	tapir_str_copy(dst, number == TAPIR_STACK_FULL ? FULL : "", cap);
	for (i = 0; stack && i < stack->frames; i++, used = longer) {
		longer = tapir_add_address(address_of(stack, i), dst, used, cap);
		if (longer != used)
			continue;
		tapir_count_cut(TAPIR_CUT_STACK, cap);
		return;
	}
}

void tapir_stack_value_lines(struct tapir_ctx *c, s64 number, char *dst, u32 cap)
{
	const struct tapir_stack *stack = tapir_stack_find((u64)number);
	u32 used = 0, longer, i;
	struct symbol s;

	tapir_str_copy(dst, number == TAPIR_STACK_FULL ? FULL "\n" : "", cap);
	for (i = 0; stack && i < stack->frames && !c->failed; i++, used = longer) {
		longer = tapir_add_line(address_of(stack, i), symbol_of(c, stack, i, &s), dst, used, cap);
		if (longer != used)
			continue;
		tapir_count_cut(TAPIR_CUT_STACK, cap);
		return;
	}
}

void tapir_stack_value_print(struct tapir_ctx *c, s64 number)
{
	const struct tapir_stack *stack = tapir_stack_find((u64)number);
	struct symbol s;
	u32 i;

	if (number == TAPIR_STACK_FULL)
		tapir_outf(c, " " FULL "\n");
	for (i = 0; stack && i < stack->frames && !c->failed; i++)
		tapir_print_line(c, address_of(stack, i), symbol_of(c, stack, i, &s));
}
