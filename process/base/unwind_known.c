// SPDX-License-Identifier: GPL-2.0-or-later
/* The registers of a caller that are known after a step over a user stack. */
#include "unwind_step.h"

static u64 known_after(const struct tapir_unwind_table *t, const struct tapir_unwind_rule *rule, u64 known)
{
	const struct tapir_unwind_saved *saved = tapir_unwind_saved_of(t) + rule->saved;
	u64 after = rule->flags & TAPIR_RULE_SIGNAL ? known : known & tapir_unwind_preserved(t->machine);
	u8 i;

	for (i = 0; i < rule->nsaved; i++, saved++) {
		bool by_cfa = saved->how == TAPIR_SAVED_CFA || saved->how == TAPIR_SAVED_VALUE;

		if (by_cfa || (saved->how != TAPIR_SAVED_LOST && tapir_unwind_base_known(t, saved->base, known)))
			after |= tapir_unwind_bit(saved->reg);
		else
			after &= ~tapir_unwind_bit(saved->reg);
	}
	return after | tapir_unwind_bit(t->stack_register);
}

/* Where code that no table describes has saved registers is not known, but for the frame pointer. */
static u64 known_framed(u8 machine, u64 known)
{
	return tapir_unwind_bit(tapir_unwind_stack_register(machine)) |
	       (known & tapir_unwind_bit(tapir_unwind_frame_register(machine)));
}

u8 tapir_unwind_step_known(const struct tapir_unwind_source *source, struct tapir_unwind_frame *f, u64 *known)
{
	const struct tapir_unwind_table *table;
	const struct tapir_unwind_rule *rule;
	u8 why = TAPIR_UNWIND_MORE, end = unwind_step(source, f, *known, &table, &rule, &why);

	/* Where nothing can be executed nothing has changed registers since the call. */
	if (!end && why != TAPIR_UNWIND_NO_CODE)
		*known = rule ? known_after(table, rule, *known) : known_framed(source->machine, *known);
	return end;
}
