/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The governor of each processor (runtime/governor.h) at work: a session with a budget. */
#ifndef TAPIR_KMOD_GOVERNED_H
#define TAPIR_KMOD_GOVERNED_H

#include <linux/jiffies.h>
#include <linux/percpu.h>
#include "kind.h"
#include "ledger.h"

/* The session may have a budget. Session thread, before the first hit. */
void tapir_governed_begin(void);
/*
 * A hit of a session with a budget, of a kind that is not steady. `returns`: the entry of the same call was let through. Any
 * context, preemption disabled.
 */
enum tapir_verdict tapir_governed_hit(const struct tapir_hook *hook, bool returns);
/* The handler of the last hit that was to be measured took `ns`. Same context. */
void tapir_governed_measured(const struct tapir_hook *hook, u64 ns);

#endif
