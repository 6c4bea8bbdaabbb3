/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where and for what a thread waits. A site is the innermost place on a thread's kernel stack that is in neither the scheduler nor
 * a sleeping lock. Any handler context; they use the context's scratch memory.
 */
#ifndef TAPIR_WAIT_H
#define TAPIR_WAIT_H

#include <tapir/context.h>

#define TAPIR_WAIT_NOWHERE 0  /* the whole stack was looked at and has no such place, or the hit interrupted user mode */
#define TAPIR_WAIT_UNKNOWN -1 /* the stack could not be walked so far, or is that of another task, which runs or has ended */

#define TAPIR_WAIT_FRAMES 48 /* that are looked at for a site or a kind */

/* Facts about a function. */
#define TAPIR_WAIT_SKIP 1u /* it is a part of the scheduler */
#define TAPIR_WAIT_WEAK 2u /* it waits for what its callers are about: they may know better */

/* Reasons to wait. */
enum tapir_wait_kind {
	TAPIR_WAIT_OTHER,
	TAPIR_WAIT_CHILD,
	TAPIR_WAIT_CONNECT,
	TAPIR_WAIT_DISK,
	TAPIR_WAIT_FILE,
	TAPIR_WAIT_FLOCK,
	TAPIR_WAIT_FUTEX,
	TAPIR_WAIT_IDLE,
	TAPIR_WAIT_IPC,
	TAPIR_WAIT_JOURNAL,
	TAPIR_WAIT_MUTEX,
	TAPIR_WAIT_PIPE,
	TAPIR_WAIT_POLL,
	TAPIR_WAIT_RECEIVE,
	TAPIR_WAIT_RECLAIM,
	TAPIR_WAIT_RWSEM,
	TAPIR_WAIT_SEND,
	TAPIR_WAIT_SLEEP,
	TAPIR_WAIT_STOPPED,
	TAPIR_WAIT_TERMINAL,
	TAPIR_WAIT_WRITEBACK,
	TAPIR_WAIT_KINDS, /* the stack could not be walked */
	TAPIR_WAIT_NOT,	  /* the thread does not wait: it is ready to run */
};

/* Returns what is known of a function by its name without compiler's suffix: a kind, and TAPIR_WAIT_SKIP and TAPIR_WAIT_WEAK in
 * `flags`. */
enum tapir_wait_kind tapir_wait_kind_of(const char *function, u32 *flags);

/* Returns where the thread that was hit waits: an address, TAPIR_WAIT_NOWHERE or TAPIR_WAIT_UNKNOWN. */
s64 tapir_wait_site(struct tapir_ctx *c);
/* The name of its kind, which lasts; "" if it does not wait, "unknown" if its stack could not be walked. */
const char *tapir_wait_kind(struct tapir_ctx *c);

/*
 * The same of any task, by the address of its struct, which may be wrong. TAPIR_WAIT_UNKNOWN and "unknown" if it runs on a
 * processor or has ended. For the thread that was hit they are as above.
 */
s64 tapir_task_wait_site(struct tapir_ctx *c, u64 task);
const char *tapir_task_wait_kind(struct tapir_ctx *c, u64 task);
/* Its stack as tapir_stack_addresses() gives one; "" if it runs on a processor or has ended. */
void tapir_task_stack_addresses(struct tapir_ctx *c, u64 task, char *dst, u32 cap);

#endif
