// SPDX-License-Identifier: GPL-2.0-or-later
/* Walks by steps: by tables, or by frame pointers where no table applies. */
#include "unwind_step.h"

u8 tapir_unwind_step(const struct tapir_unwind_source *source, struct tapir_unwind_frame *f)
{
	const struct tapir_unwind_table *table;
	const struct tapir_unwind_rule *rule;
	u8 why;

	return unwind_step(source, f, ~0ull, &table, &rule, &why);
}

u8 tapir_unwind_walk(const struct tapir_unwind_source *source, struct tapir_unwind_frame *f, u64 *addresses, u32 max, u32 *count)
{
	u8 end;

	*count = 0;
	while (*count < max) {
		addresses[(*count)++] = f->pc;
		end = tapir_unwind_step(source, f);
		if (end)
			return end;
		if (++f->steps >= TAPIR_UNWIND_STEPS)
			return TAPIR_UNWIND_LIMIT;
	}
	return TAPIR_UNWIND_MORE;
}
