/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values that the entry of a system call saves for its return. A task is in one call at a time. */
#ifndef TAPIR_KMOD_CALL_DATA_H
#define TAPIR_KMOD_CALL_DATA_H

#include <linux/list.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <tapir/demand.h>

#define TAPIR_CALL_BUCKETS 256

struct tapir_call {
	struct hlist_node node; /* of a bucket, or of the free list */
	struct task_struct *task;
	u64 data[];
};

/* The calls of one probe. */
struct tapir_calls {
	char *memory;
	struct hlist_head unused;
	raw_spinlock_t unused_lock;
	atomic64_t missed; /* calls that found no memory */
	struct {
		raw_spinlock_t lock;
		struct hlist_head calls;
	} buckets[TAPIR_CALL_BUCKETS];
};

/* For `count` calls at once with so many bytes each. NULL: not enough memory. May sleep. */
struct tapir_calls *tapir_calls_create(u32 count, u32 bytes);
/* Adds the bytes that tapir_calls_create() allocates for a probe, if it has an entry. */
void tapir_calls_demand(u32 probe, u32 count, struct tapir_demand *demand);
/* No call is under way in a handler any more. NULL is allowed. */
void tapir_calls_destroy(struct tapir_calls *calls);

/* The rest: any context but NMI. */

/*
 * A call of the current task begins, and takes the place of one whose return was not seen; its data are zero. NULL: counted as
 * missed. Ends with _keep() or _drop().
 */
struct tapir_call *tapir_call_begin(struct tapir_calls *calls, u32 bytes);
void tapir_call_keep(struct tapir_calls *calls, struct tapir_call *call);
/* The call of the current task, taken out; NULL if it was not kept. Ends with _drop(). */
struct tapir_call *tapir_call_end(struct tapir_calls *calls);
void tapir_call_drop(struct tapir_calls *calls, struct tapir_call *call);
/* The current task leaves its call. */
void tapir_calls_forget(struct tapir_calls *calls);

#endif
