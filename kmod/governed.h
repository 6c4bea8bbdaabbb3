/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The governor of each processor (runtime/governor.h) at work: a session with a budget. */
#ifndef TAPIR_KMOD_GOVERNED_H
#define TAPIR_KMOD_GOVERNED_H

#include <linux/jiffies.h>
#include <linux/percpu.h>
#include "kind.h"
#include "ledger.h"

/* A window is a tenth of a second, by the kernel's ticks: to read them costs one instruction. */
#define TAPIR_GOVERNED_TICKS max(HZ / 10, 1)

/* Allocates what the budget of the session needs, if it has one. May sleep. False: the session has failed. */
bool tapir_governed_create(void);
/* After the last hit. */
void tapir_governed_destroy(void);
/* The session may have a budget. Session thread, before the first hit. */
void tapir_governed_begin(void);
/*
 * A hit of a session with a budget, of a probe that is not steady. If the verdict is not SKIP, *left_out is the number of hits
 * besides it for which it stands. Any context, preemption disabled.
 */
enum tapir_verdict tapir_governed_hit(const struct tapir_hook *hook, u32 *left_out);
/* Likewise for the two sides of a call: its entry, which notes the weight in `saved`, and the return, if its entry was handled. */
enum tapir_verdict tapir_governed_entry(const struct tapir_hook *hook, char *saved, u32 *left_out);
enum tapir_verdict tapir_governed_return(const struct tapir_hook *hook, char *saved, u32 *left_out);
/* The handler of the last hit that was to be measured took `ns`. Same context. */
void tapir_governed_measured(const struct tapir_hook *hook, u64 ns);
/*
 * Fills in `ways`: the time since the beginning, in ns, that the ways of a processor's hits took, of most probes, and of those
 * whose kind can stretch(). Returns how long its hits may take in a window, in ns.
 */
u64 tapir_governed_ways(int cpu, u64 *ways);
/* On this processor, the period of the probe's hits is so many times as long as it was, in parts of TAPIR_GOVERNOR_ONCE. */
void tapir_governed_stretch(const struct tapir_hook *hook, int cpu, u32 times);

#endif
