// SPDX-License-Identifier: GPL-2.0-or-later
/* Conditions of probes: see condition.h. */
#include <linux/atomic.h>
#include <tapir/port.h>
#include "condition.h"
#include "state.h"

static atomic_t tapir_conditions_changed;

/* Any context. The flag also stops recursion if a context-free handler probes the functions called below. */
void tapir_port_condition_changed(void)
{
	if (!atomic_xchg(&tapir_conditions_changed, 1))
		tapir_session_wake();
}

bool tapir_conditions_pending(void)
{
	return atomic_read(&tapir_conditions_changed);
}

bool tapir_conditions_update(void)
{
	bool changed = false;
	u32 i;

	atomic_set(&tapir_conditions_changed, 0);
	smp_mb();
	for (i = 0; i < tapir_module.nconditions; i++) {
		struct tapir_condition *condition = &tapir_module.conditions[i];
		bool holds = condition->holds();

		changed |= holds != condition->armed;
		WRITE_ONCE(condition->armed, holds);
		/* A handler that ended before the store and after the look at it found the old value and said nothing. */
		smp_mb();
		if (condition->holds() != holds)
			atomic_set(&tapir_conditions_changed, 1);
	}
	return changed;
}
