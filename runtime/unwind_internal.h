/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steps over a user stack from a frame: by a rule of a table (unwind.c), or without a table (unwind_framed.c). */
#ifndef TAPIR_UNWIND_INTERNAL_H
#define TAPIR_UNWIND_INTERNAL_H

#include <tapir/unwind.h>

/* stack_words() where they were not read before. */
const u64 *tapir_unwind_read_stack(const struct tapir_unwind_source *source, struct tapir_unwind_frame *f, u64 address, u32 bytes,
				   u8 *end);
/* From a frame whose code is at a place of an object; `rule` NULL: that has none. */
u8 tapir_unwind_step_from(const struct tapir_unwind_source *source, const struct tapir_unwind_table *t,
			  struct tapir_unwind_frame *f, const struct tapir_unwind_rule *rule);

/* Steps from a frame without a table, for the reason `why`, by its frame pointer. In memory that is not executable
 * (TAPIR_UNWIND_NO_CODE), by the return address that the call there has pushed. `t` and `place` are of its file; NULL if it is in
 * no file. Returns `why` if that is impossible. */
u8 tapir_unwind_step_framed(const struct tapir_unwind_source *source, const struct tapir_unwind_table *t, u32 place,
			    struct tapir_unwind_frame *f, u8 why);

static inline bool tapir_unwind_outermost(const struct tapir_unwind_rule *rule, const struct tapir_unwind_frame *f)
{
	return (rule->flags & TAPIR_RULE_OUTERMOST) || ((rule->flags & TAPIR_RULE_SWITCHES) && f->called);
}

/* The words from `address` on, `bytes` of them, below the CFA. NULL: they cannot be read, and *end says so, or not at once. */
static inline const u64 *stack_words(const struct tapir_unwind_source *source, struct tapir_unwind_frame *f, u64 address, u32 bytes,
				     u8 *end)
{
	u64 at = address - f->stack_start;

	if (TAPIR_LIKELY(at + bytes <= f->stack_bytes && at < f->stack_bytes && !(at & 7)))
		return f->stack + at / 8;
	return tapir_unwind_read_stack(source, f, address, bytes, end);
}

#endif
