/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A step over a user stack by whichever way there is, for walks by steps and for walks whose frames are recorded. */
#ifndef TAPIR_UNWIND_STEP_H
#define TAPIR_UNWIND_STEP_H

#include "unwind_internal.h"

/* Is another way than by tables left? A call through a wild pointer is one of the commonest crashes: its frame is the innermost, or
 * the one that a signal has interrupted. */
static inline bool tapir_unwind_undescribed(u8 end, const struct tapir_unwind_frame *f)
{
	return end == TAPIR_UNWIND_NO_OBJECT || end == TAPIR_UNWIND_NO_ROW || (end == TAPIR_UNWIND_NO_CODE && !f->called);
}

/* Was a wild pointer to data of a file called? Only innermost frames are asked. `t`: of the file that was found last. */
static inline bool tapir_unwind_in_data(const struct tapir_unwind_source *source, const struct tapir_unwind_table *t,
					const struct tapir_unwind_frame *f)
{
	return t && !f->called && source->last && source->last->no_code;
}

static inline const struct tapir_unwind_table *find_table(const struct tapir_unwind_source *source, u64 address, u32 *place,
							  u8 *end)
{
	const struct tapir_unwind_mapping *last = source->last;

	if (last && address - last->start < last->length && address - last->start + last->place <= ~0u) {
		*place = (u32)(address - last->start + last->place);
		return last->table;
	}
	return source->find(source->data, address, place, end);
}

static inline u64 tapir_unwind_bit(u8 reg)
{
	return 1ull << reg;
}

/* Is the value known that something is counted from? `known`: a bit for each register. */
static inline bool tapir_unwind_base_known(const struct tapir_unwind_table *t, u8 base, u64 known)
{
	return tapir_unwind_is_pc(t->machine, base) || (known & tapir_unwind_bit(base));
}

/* True if known registers give the caller by this rule. */
static inline bool tapir_unwind_tells(const struct tapir_unwind_table *t, const struct tapir_unwind_rule *rule, u64 known)
{
	const struct tapir_unwind_saved *saved = tapir_unwind_saved_of(t) + rule->saved;
	u8 i;

	if (rule->cfa != TAPIR_CFA_NONE && !tapir_unwind_base_known(t, rule->base, known))
		return false;
	for (i = 0; i < rule->nsaved; i++, saved++)
		if (saved->reg == t->return_register && (saved->how == TAPIR_SAVED_MEMORY || saved->how == TAPIR_SAVED_REGISTER))
			return tapir_unwind_base_known(t, saved->base, known);
	return true;
}

/* tapir_unwind_step(), and by what: a rule of a table, or without one (*rule is NULL) for the reason *why. `known`: as
 * tapir_unwind_step_known(). */
static inline __attribute__((__always_inline__)) u8 unwind_step(const struct tapir_unwind_source *source,
								struct tapir_unwind_frame *f, u64 known,
								const struct tapir_unwind_table **table,
								const struct tapir_unwind_rule **rule, u8 *why)
{
	const struct tapir_unwind_table *t;
	u8 end = TAPIR_UNWIND_NO_OBJECT;
	u32 place;

	*rule = NULL;
	*table = t = find_table(source, f->pc - f->called, &place, &end);
	if (tapir_unwind_in_data(source, t, f)) {
		end = TAPIR_UNWIND_NO_CODE;
	} else if (t) {
		*rule = tapir_unwind_find_rule(t, place);
		if (~known && *rule && !tapir_unwind_outermost(*rule, f) && !tapir_unwind_tells(t, *rule, known))
			return TAPIR_UNWIND_EXPRESSION;
		end = tapir_unwind_step_from(source, t, f, *rule);
	}
	if (TAPIR_LIKELY(!tapir_unwind_undescribed(end, f)))
		return end;
	*rule = NULL;
	*why = end;
	return tapir_unwind_step_framed(source, t, place, f, end);
}

#endif
