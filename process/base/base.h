/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A translated script in an ordinary process: the common part for scripts that look at their own process, as tests do (test/), or
 * at another one (still/). One thread stands for a CPU while it runs a handler (tapir_host_enter .. tapir_host_leave).
 */
#ifndef TAPIR_BASE_H
#define TAPIR_BASE_H

#include <tapir/tapir.h>
#include <tapir/unwind.h>

#include "items/output_records.h"

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
	u32 ncpus;	       /* default 4 */
	const u16 *processors; /* of them, that handlers have run on, and how many; NULL: all */
	u32 nprocessors;
	u64 limits[TAPIR_LIMITS];
	bool suppress_errors;
	/* Receives records instead of stdout and stderr; called by one thread at a time. */
	void (*sink)(void *arg, u8 type, const char *data, u32 length);
	void *sink_arg;
	/* Fault injection: the Nth call from now on fails (1 = the next one); 0 = none. */
	u64 fail_read, fail_alloc, fail_lock; /* fail_lock: of tapir_port_lock_patiently() */
	u64 memory;  /* bytes of it; what tapir_port_alloc() gave is not in tapir_port_room() any more. 0: a lot */
	u64 look_ns; /* step of tapir_port_work_ns() at each call */
	bool own;    /* what tapir_port_work_is_own() says */
	bool idle;   /* arrays grow only by tapir_host_tend() */
	/* The kernel's stack for hits, and tables of user objects by number. */
	const u64 *stack;
	u32 nstack;
	const struct tapir_unwind_table *const *objects;
	const u32 *interpreters; /* by object, as the next says how many */
	u32 nobjects;
	/* A user stack to walk, and room for one walk that is to continue later, `kept` once it is. */
	const struct tapir_user_walk *walk;
	struct tapir_unfinished *unfinished;
	bool kept;
	u32 awaited;	   /* objects whose table may come: a bit for each number */
	bool compatible;   /* output is SystemTap's on a terminal, too */
	bool fixed_stacks; /* memory for stacks does not grow by itself */
	/* For @recall; 0: as it is. The current thread, when it began, and a thread that does not live any more. */
	u32 thread, ended_thread;
	u64 thread_began;
};

extern struct tapir_host_config tapir_host;

/* NAME=VALUE. MAXACTION sets the limit of interruptible handlers, too: to so many times the value. False: no such limit. */
bool tapir_host_set_limit(const char *text, u64 interruptible);

/* Counters and the exit flag as at start; config stays. The array has one entry per probe of tapir_module. */
void tapir_host_reset(void);
struct tapir_host_probe *tapir_host_probe_of(const struct tapir_probe *probe);
bool tapir_host_exit_requested(void);
u64 tapir_host_errors(void);
/* Prints tables that wait for more, when no handler will run any more. */
void tapir_host_end_output(void);
u64 tapir_host_cut(u32 what); /* enum tapir_cut */

/* ---- output.c ---- */

/* Before any output: it is records for programs. */
void tapir_host_begin_records(enum tapir_form form);
/* Adds a record, if the output is JSON: see tapir_records_other() and tapir_records_message(). */
void tapir_host_record(const char *type, void (*members)(struct tapir_json *j, void *with), void *with);
void tapir_host_record_message(const char *type, const char *text);

/* Fault injection: counts down; true once, when it comes to 0. */
bool tapir_host_fails(u64 *countdown);

/* The context of a CPU and level, set up for a handler; nested levels see the lower ones as running. */
struct tapir_ctx *tapir_host_enter(u32 cpu, u8 level, const struct tapir_probe *probe);
void tapir_host_leave(struct tapir_ctx *c);
/* Fills in the registers and the place of a hit before its handler runs; in test/ and still/. */
void tapir_host_describe(struct tapir_ctx *c);
/* Lets arrays grow and shrink as far as they asked for it; tapir_host_leave() does it, too. */
void tapir_host_tend(void);
/* One whole hit: enter, handler or leaf, finish, leave, with its accounting. */
void tapir_host_hit(u32 cpu, u8 level, const struct tapir_probe *probe);

/* Memory for stacks as values; destroys earlier ones. */
void tapir_host_stacks_create(u64 bytes);
void tapir_host_stacks_destroy(void);

/* ---- phases.c ---- */

/* Does the probe's condition hold? */
bool tapir_host_wants(const struct tapir_probe *p);
/* More errors than MAXERRORS. */
bool tapir_host_has_failed(void);
/* Begin, end or error probes (enum tapir_phase), ascending; begin probes stop at exit(), all but error probes at a failure. */
void tapir_host_run_phase(u8 phase);
/*
 * Before the first phase: counters, limits and global variables. `values`: name=value words, NULL-terminated; may be NULL. 0, or 1
 * after a message.
 */
int tapir_host_prepare(const char *const *values);
/* Hits that were skipped, of all probes. */
u64 tapir_host_skipped(void);

#endif
