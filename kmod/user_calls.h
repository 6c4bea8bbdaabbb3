/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values that the entry of a call in a program saves for its return.
 *
 * A call is identified by its process, its function and its place on the stack. The same instruction pointer and stack pointer come
 * back to the caller, even if another thread runs there by then. A call may end without a return (longjmp, an exception, a
 * coroutine that is never resumed). It then stays until the same place calls the function again, or the process ends or executes
 * another program.
 */
#ifndef TAPIR_KMOD_USER_CALLS_H
#define TAPIR_KMOD_USER_CALLS_H

#include <linux/types.h>
#include <tapir/demand.h>

/* Limits of one probe: calls at once, and bytes for them. Further calls are missed, and counted. */
#define TAPIR_USER_CALLS_MAX	   (1u << 20)
#define TAPIR_USER_CALLS_BYTES_MAX (64ull << 20)

struct task_struct;
struct tapir_user_calls; /* of one probe */

struct tapir_call_key {
	unsigned long function;
	unsigned long stack; /* the goroutine whose stack it is; 0: `place` says where in the address space */
	unsigned long place; /* the caller's stack pointer, or how far below the stack's end it is */
};

struct tapir_user_call {
	struct tapir_user_call *next; /* of a bucket, or of the free list */
	struct tapir_user_calls *calls;
	const void *process;
	struct tapir_call_key key;
	u32 bucket;
	u64 data[];
};

/* ---- session thread; may sleep ---- */

/* Adds what tapir_user_calls_create() allocates for a probe, if it has an entry. */
void tapir_user_calls_demand(u32 probe, struct tapir_demand *demand);
/* For calls with so many bytes each. NULL: not enough memory. */
struct tapir_user_calls *tapir_user_calls_create(u32 bytes);
/* No handler runs that has to do with the probe; its calls are forgotten. NULL is allowed. */
void tapir_user_calls_destroy(struct tapir_user_calls *calls);
/* The probe's entries and exits are not followed for a while: those that are inside are forgotten. */
void tapir_user_calls_forget(struct tapir_user_calls *calls);
/* Calls that were not followed for want of memory or of a key. */
u64 tapir_user_calls_missed(const struct tapir_user_calls *calls);

/* ---- process context, of the current process ---- */

/*
 * A call begins; its data are zero. NULL: missed. Ends with _keep() or _drop(). May sleep. `comes_back`: a jump of the function
 * leads to its entry. NULL then, too, if the call is kept already: it has come back. (Or another one was left by longjmp(), and the
 * same place calls again; the entry looks the same then.)
 */
struct tapir_user_call *tapir_user_call_begin(struct tapir_user_calls *calls, const struct tapir_call_key *key, bool comes_back);
void tapir_user_call_keep(struct tapir_user_call *call);
/* A call begins whose key could not be had. */
void tapir_user_call_miss(struct tapir_user_calls *calls);
/* The call that returns, taken out; NULL: it was not kept. Ends with _drop(). */
struct tapir_user_call *tapir_user_call_end(struct tapir_user_calls *calls, const struct tapir_call_key *key);
void tapir_user_call_drop(struct tapir_user_call *call);
/* The process forks: its child is to return from the calls that are on this thread's stack, too. Does not sleep. */
void tapir_user_calls_inherit(const struct task_struct *child);
/* Drops all calls of the process, for all probes: its last thread ends, or it has executed another program. */
void tapir_user_calls_leave(void);

#endif
