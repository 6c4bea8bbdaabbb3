/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks of threads: for each thread and pair of probes, whether the last hit of those that leave elements of arrays was handled
 * under a budget, and for how many hits it stands. The table has a fixed size. A mark that finds its place full replaces another
 * one, whose thread then counts as one without a mark.
 *
 * A mark is written by its own thread. All functions may be called in any context, with preemption disabled; they take no lock.
 */
#ifndef TAPIR_THREAD_MARKS_H
#define TAPIR_THREAD_MARKS_H

#include <tapir/types.h>

#define TAPIR_MARK_PLACES 4096u
#define TAPIR_MARK_WAYS	  8u /* one line of memory */
#define TAPIR_MARK_BYTES  (TAPIR_MARK_PLACES * TAPIR_MARK_WAYS * sizeof(u64))
#define TAPIR_MARK_PAIRS  256u

/* `marks` are TAPIR_MARK_BYTES, zero at first. Threads have numbers below 2^24. `weight` 0: takes the mark away. */
void tapir_mark(u64 *marks, u32 thread, u32 pair, u32 weight);
/* Returns the weight of the mark, or 0 without one. */
u32 tapir_marked(const u64 *marks, u32 thread, u32 pair);

#endif
