/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The native port: a translated script, or a test of the runtime, as an ordinary process. One thread stands for a CPU while it runs
 * a handler (tapir_host_enter .. tapir_host_leave).
 */
#ifndef TAPIR_HOST_H
#define TAPIR_HOST_H

#include <tapir/tapir.h>

#define TAPIR_HOST_CPUS_MAX 64

struct tapir_kind_ops {
	const char *name;
	u8 leaf; /* enum tapir_leaf_form */
};

struct tapir_host_probe { /* counters of one probe descriptor, updated atomically */
	u64 hits, handled, errors;
	u64 skipped[TAPIR_SKIPS];
};

struct tapir_host_config {
	u32 ncpus; /* default 4 */
	u64 limits[TAPIR_LIMITS];
	bool suppress_errors;
	/* Receives records instead of stdout and stderr; called by one thread at a time. */
	void (*sink)(void *arg, u8 type, const char *data, u32 length);
	void *sink_arg;
	/* Fault injection: the Nth call from now on fails (1 = the next one); 0 = none. */
	u64 fail_read, fail_alloc, fail_lock; /* fail_lock: of tapir_port_lock_patiently() */
	u64 memory; /* bytes of it; what tapir_port_alloc() gave is not in tapir_port_room() any more. 0: a lot */
	bool idle;  /* arrays grow only by tapir_host_tend() */
};

extern struct tapir_host_config tapir_host;

/* Counters and the exit flag as at start; config stays. The array has one entry per probe of tapir_module. */
void tapir_host_reset(void);
struct tapir_host_probe *tapir_host_probe_of(const struct tapir_probe *probe);
bool tapir_host_exit_requested(void);
u64 tapir_host_errors(void);
u64 tapir_host_cut(u32 what); /* enum tapir_cut */
u64 tapir_host_live_allocations(void);
u64 tapir_host_allocated_bytes(void);		/* that were asked for at any time */
void tapir_host_set_execname(const char *name); /* of this thread */

/* The context of a CPU and level, set up for a handler; nested levels see the lower ones as running. */
struct tapir_ctx *tapir_host_enter(u32 cpu, u8 level, const struct tapir_probe *probe);
void tapir_host_leave(struct tapir_ctx *c);
/* Lets arrays grow and shrink as far as they asked for it; tapir_host_leave() does it, too. */
void tapir_host_tend(void);
/* One whole hit: enter, handler or leaf, finish, leave, with its accounting. */
void tapir_host_hit(u32 cpu, u8 level, const struct tapir_probe *probe);

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
