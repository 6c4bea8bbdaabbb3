/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The overhead: the share of each processor's time that the session's probes take.
 *
 * The ledger knows the hits of each probe on each CPU, and the kind knows what the way to a handler costs. The handlers' times are
 * a sample: every two seconds all handlers are measured for a slice of a few milliseconds. Meanwhile hits go through
 * tapir_hit_at(), as with -t, so that the others pay nothing.
 */
#ifndef TAPIR_KMOD_OVERHEAD_H
#define TAPIR_KMOD_OVERHEAD_H

/* Memory for all CPUs. May sleep. -ENOMEM: nothing is left allocated. */
int tapir_overhead_create(void);
void tapir_overhead_destroy(void);

/* ---- session thread ---- */

/* Handlers run from now on. */
void tapir_overhead_begin(void);
/* When tapir_overhead_tend() is to be called next: jiffies from now, 0: now. */
long tapir_overhead_next(void);
/* Begins or ends a slice, if it is time. At its end warns of an overhead that lasts, or ends the session as the user wished. */
void tapir_overhead_tend(void);

#endif
