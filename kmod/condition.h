/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conditions of probes: while one does not hold, its probes are not attached.
 *
 * A handler that changed a condition only raises a flag and wakes the session thread. That thread, which also arms and disarms
 * everything at the start and the end, takes the conditions' values and has the kinds follow. Until they have, hits find out by
 * asking the condition itself.
 */
#ifndef TAPIR_CONDITION_H
#define TAPIR_CONDITION_H

#include <tapir/abi.h>

/* Some handler changed a condition since the last update. */
bool tapir_conditions_pending(void);
/* Updates every condition's value; true if one changed. Session thread. */
bool tapir_conditions_update(void);

/* Is the probe to be attached, as of the last update? Session thread. */
static inline bool tapir_probe_wanted(u32 probe)
{
	const struct tapir_condition *condition = tapir_module.probes[probe].condition;

	return !condition || condition->armed;
}

#endif
