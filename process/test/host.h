/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The native port: a translated script, or a test of the runtime, whose memory and identity are those of its own process. */
#ifndef TAPIR_HOST_H
#define TAPIR_HOST_H

#include "process/base/base.h"

u64 tapir_host_live_allocations(void);
u64 tapir_host_allocated_bytes(void);		/* that were asked for at any time */
void tapir_host_set_execname(const char *name); /* of this thread */

/* The life of a script: globals, begin, timers and simulated hits until exit() or the time is over, end or error probes. */
struct tapir_host_options {
	double seconds;		   /* 0 = until exit() */
	u32 threads;		   /* each hits every function probe ... */
	u64 hits;		   /* ... so many times */
	const char *const *values; /* name=value, NULL-terminated; may be NULL */
};
/* 0, or 1 when a run-time error was reported or the script could not start. */
int tapir_host_run(const struct tapir_host_options *run);

#endif
