// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Values that entries of calls in programs leave for their returns: see user_calls.h.
 *
 * One table has the calls of all probes. It identifies a process by its struct signal_struct, which stays the same from fork to
 * exit, even when the process executes other programs. When the kernel can reuse that struct for another process, all calls of this
 * one are gone.
 */
#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/jhash.h>
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <tapir/abi.h>
#include "ledger.h"
#include "port_memory.h"
#include "user_calls.h"

#define TAPIR_CALL_BUCKETS   (1u << 14)
#define TAPIR_CALL_LOCKS     (1u << 10)
#define TAPIR_CALL_PROCESSES 12 /* bits */

/* Memory comes in pieces, each as large as all before, within these limits; but at least for so many calls. */
#define TAPIR_CALL_PIECE_MIN  (16u << 10)
#define TAPIR_CALL_PIECE_MAX  (1u << 20)
#define TAPIR_CALLS_PER_PIECE 16u

struct tapir_call_piece {
	struct tapir_call_piece *next;
};

struct tapir_user_calls {
	u32 bytes;	     /* that a call saves */
	u32 size;	     /* of a call with them */
	raw_spinlock_t lock; /* of what follows */
	struct tapir_user_call *unused;
	char *fresh, *fresh_end; /* of the newest piece: not used yet */
	struct tapir_call_piece *pieces;
	u64 allocated;
	atomic64_t missed;
};

static struct tapir_call_table {
	struct tapir_user_call *buckets[TAPIR_CALL_BUCKETS];
	raw_spinlock_t locks[TAPIR_CALL_LOCKS];
	/* How many calls are kept of processes with this hash: most processes have none when they end. */
	atomic_t kept[1u << TAPIR_CALL_PROCESSES];
	u32 seed;
} * tapir_call_table; /* as long as a probe has calls */
static u32 tapir_call_table_users;

/* ---- memory ---- */

static u64 tapir_user_call_size(u32 bytes)
{
	return sizeof(struct tapir_user_call) + round_up((u64)bytes, sizeof(u64));
}

static u64 tapir_call_piece_bytes(u64 size, u64 allocated)
{
	u64 bytes = clamp_t(u64, allocated, TAPIR_CALL_PIECE_MIN, TAPIR_CALL_PIECE_MAX);

	return max_t(u64, bytes, sizeof(struct tapir_call_piece) + TAPIR_CALLS_PER_PIECE * size);
}

static u64 tapir_user_calls_most(u64 size)
{
	return min_t(u64, TAPIR_USER_CALLS_BYTES_MAX, TAPIR_USER_CALLS_MAX * size);
}

/* Allocates another piece of memory, unless another task did so meanwhile. Returns false if there is no memory. Sleeps. */
static bool tapir_user_calls_grow(struct tapir_user_calls *calls)
{
	u64 allocated = READ_ONCE(calls->allocated), bytes = tapir_call_piece_bytes(calls->size, allocated);
	struct tapir_call_piece *piece = NULL;
	bool grown;

	if (!allocated || (allocated + bytes <= tapir_user_calls_most(calls->size) && tapir_port_affordable(bytes)))
		piece = __vmalloc(bytes, TAPIR_GFP_ASKED);
	raw_spin_lock(&calls->lock);
	grown = calls->unused || calls->allocated != allocated;
	if (piece && !grown) {
		piece->next = calls->pieces;
		calls->pieces = piece;
		calls->fresh = (char *)(piece + 1);
		calls->fresh_end = (char *)piece + bytes;
		calls->allocated += bytes;
		piece = NULL;
		grown = true;
	}
	raw_spin_unlock(&calls->lock);
	vfree(piece);
	return grown;
}

static struct tapir_user_call *tapir_user_call_take_unused(struct tapir_user_calls *calls)
{
	struct tapir_user_call *call;

	raw_spin_lock(&calls->lock);
	call = calls->unused;
	if (call) {
		calls->unused = call->next;
	} else if (calls->fresh_end - calls->fresh >= calls->size) {
		call = (struct tapir_user_call *)calls->fresh;
		calls->fresh += calls->size;
	}
	raw_spin_unlock(&calls->lock);
	return call;
}

static struct tapir_user_call *tapir_user_call_get(struct tapir_user_calls *calls)
{
	struct tapir_user_call *call;

	do {
		call = tapir_user_call_take_unused(calls);
	} while (!call && tapir_user_calls_grow(calls));
	if (call)
		call->calls = calls;
	return call;
}

void tapir_user_call_drop(struct tapir_user_call *call)
{
	struct tapir_user_calls *calls = call->calls;

	raw_spin_lock(&calls->lock);
	call->next = calls->unused;
	calls->unused = call;
	raw_spin_unlock(&calls->lock);
}

/* ---- the table ---- */

static raw_spinlock_t *tapir_bucket_lock(u32 bucket)
{
	return &tapir_call_table->locks[bucket % TAPIR_CALL_LOCKS];
}

static atomic_t *tapir_calls_kept(const void *process)
{
	return &tapir_call_table->kept[hash_ptr((void *)process, TAPIR_CALL_PROCESSES)];
}

static u32 tapir_call_bucket(const struct tapir_user_calls *calls, const void *process, const struct tapir_call_key *key)
{
	/* Programs choose their stack pointers, but not the value that is one word here. */
	const u64 words[] = {(u64)(uintptr_t)calls ^ (u64)(uintptr_t)process ^ key->function, key->stack, key->place};

	return jhash2((const u32 *)words, sizeof(words) / (sizeof(u32)), tapir_call_table->seed) % TAPIR_CALL_BUCKETS;
}

/* The call is not in the table any more. */
static void tapir_user_call_is_out(const struct tapir_user_call *call)
{
	atomic_dec(tapir_calls_kept(call->process));
	tapir_ledger_count_call(TAPIR_CALLS_KEPT, -1);
}

static struct tapir_user_call *tapir_user_call_take(struct tapir_user_calls *calls, const struct tapir_call_key *key, u32 bucket)
{
	const void *process = current->signal;
	struct tapir_user_call **link = &tapir_call_table->buckets[bucket], *call;

	raw_spin_lock(tapir_bucket_lock(bucket));
	for (; (call = *link); link = &call->next) {
		if (call->calls != calls || call->process != process || call->key.function != key->function ||
		    call->key.stack != key->stack || call->key.place != key->place)
			continue;
		*link = call->next;
		break;
	}
	raw_spin_unlock(tapir_bucket_lock(bucket));
	if (call)
		tapir_user_call_is_out(call);
	return call;
}

/* Takes out the calls of a process or, with NULL, of a probe, and counts them as an enum tapir_call_count. */
static void tapir_user_calls_sweep(const void *process, const struct tapir_user_calls *calls, u32 what)
{
	struct tapir_user_call *call, **link, *out = NULL;
	u32 bucket;

	for (bucket = 0; bucket < TAPIR_CALL_BUCKETS; bucket++) {
		link = &tapir_call_table->buckets[bucket];
		if (!READ_ONCE(*link))
			continue;
		raw_spin_lock(tapir_bucket_lock(bucket));
		while ((call = *link)) {
			if (process ? call->process != process : call->calls != calls) {
				link = &call->next;
				continue;
			}
			*link = call->next;
			call->next = out;
			out = call;
		}
		raw_spin_unlock(tapir_bucket_lock(bucket));
	}
	while ((call = out)) {
		out = call->next;
		tapir_user_call_is_out(call);
		tapir_ledger_count_call(what, 1);
		tapir_user_call_drop(call);
	}
}

/* ---- calls ---- */

void tapir_user_call_miss(struct tapir_user_calls *calls)
{
	tapir_ledger_count_call(TAPIR_CALLS_FOLLOWED, 1);
	tapir_ledger_count_call(TAPIR_CALLS_MISSED, 1);
	atomic64_inc(&calls->missed);
}

static void tapir_user_call_put_in(struct tapir_user_call *call)
{
	struct tapir_user_call **first = &tapir_call_table->buckets[call->bucket];

	tapir_ledger_count_call(TAPIR_CALLS_KEPT, 1);
	atomic_inc(tapir_calls_kept(call->process));
	raw_spin_lock(tapir_bucket_lock(call->bucket));
	call->next = *first;
	WRITE_ONCE(*first, call);
	raw_spin_unlock(tapir_bucket_lock(call->bucket));
}

struct tapir_user_call *tapir_user_call_begin(struct tapir_user_calls *calls, const struct tapir_call_key *key, bool comes_back)
{
	u32 bucket = tapir_call_bucket(calls, current->signal, key);
	struct tapir_user_call *call = tapir_user_call_take(calls, key, bucket);

	if (call && comes_back) {
		tapir_user_call_put_in(call);
		return NULL;
	}
	if (call)
		tapir_ledger_count_call(TAPIR_CALLS_LEFT, 1);
	else
		call = tapir_user_call_get(calls);
	if (!call) {
		tapir_user_call_miss(calls);
		return NULL;
	}
	call->process = current->signal;
	call->key = *key;
	call->bucket = bucket;
	memset(call->data, 0, calls->bytes);
	return call;
}

void tapir_user_call_keep(struct tapir_user_call *call)
{
	tapir_ledger_count_call(TAPIR_CALLS_FOLLOWED, 1);
	tapir_user_call_put_in(call);
}

struct tapir_user_call *tapir_user_call_end(struct tapir_user_calls *calls, const struct tapir_call_key *key)
{
	u32 bucket = tapir_call_bucket(calls, current->signal, key);
	struct tapir_user_call *call = tapir_user_call_take(calls, key, bucket);

	if (call)
		tapir_ledger_count_call(TAPIR_CALLS_RETURNED, 1);
	return call;
}

/* A thread may not run for long while it forks. Calls beyond these are missed. */
#define TAPIR_CALLS_INHERITED 4096u

/* May a call be on the stack that the thread uses? Others of its process are, at most, left by the child without a return. */
static bool tapir_user_call_is_on(const struct tapir_user_call *call, unsigned long stack_pointer)
{
	return !call->key.stack && call->key.place - stack_pointer <= rlimit(RLIMIT_STACK);
}

void tapir_user_calls_inherit(const struct task_struct *child)
{
	unsigned long stack_pointer = user_stack_pointer(task_pt_regs(current));
	const void *process = current->signal;
	struct tapir_user_call *call, *copies = NULL;
	u32 bucket, count = 0;

	if (!atomic_read(tapir_calls_kept(process)))
		return;
	for (bucket = 0; bucket < TAPIR_CALL_BUCKETS; bucket++) {
		if (!READ_ONCE(tapir_call_table->buckets[bucket]))
			continue;
		raw_spin_lock(tapir_bucket_lock(bucket));
		for (call = tapir_call_table->buckets[bucket]; call; call = call->next) {
			struct tapir_user_call *copy;

			if (call->process != process || !tapir_user_call_is_on(call, stack_pointer))
				continue;
			copy = count < TAPIR_CALLS_INHERITED ? tapir_user_call_take_unused(call->calls) : NULL;
			if (!copy) {
				tapir_user_call_miss(call->calls);
				continue;
			}
			memcpy(copy, call, call->calls->size);
			copy->next = copies;
			copies = copy;
			count++;
		}
		raw_spin_unlock(tapir_bucket_lock(bucket));
	}
	while ((call = copies)) {
		copies = call->next;
		call->process = child->signal;
		call->bucket = tapir_call_bucket(call->calls, call->process, &call->key);
		tapir_user_call_keep(call);
	}
}

void tapir_user_calls_leave(void)
{
	const void *process = current->signal;

	if (atomic_read(tapir_calls_kept(process)))
		tapir_user_calls_sweep(process, NULL, TAPIR_CALLS_LEFT);
}

/* ---- life ---- */

void tapir_user_calls_demand(u32 probe, struct tapir_demand *demand)
{
	const struct tapir_probe *p = &tapir_module.probes[probe];

	if (p->entry)
		tapir_demand_add(
		    demand, sizeof(struct tapir_user_calls) + tapir_call_piece_bytes(tapir_user_call_size(p->saved_bytes), 0),
		    "the probe at ", p->where, "keep less of the entries of calls, as by @entry(...), or use fewer such probes");
}

static bool tapir_call_table_use(void)
{
	u32 i;

	if (!tapir_call_table_users) {
		tapir_call_table = vzalloc(sizeof(*tapir_call_table));
		if (!tapir_call_table)
			return false;
		for (i = 0; i < TAPIR_CALL_LOCKS; i++)
			raw_spin_lock_init(&tapir_call_table->locks[i]);
		get_random_bytes(&tapir_call_table->seed, sizeof(tapir_call_table->seed));
	}
	tapir_call_table_users++;
	return true;
}

struct tapir_user_calls *tapir_user_calls_create(u32 bytes)
{
	struct tapir_user_calls *calls = kzalloc(sizeof(*calls), GFP_KERNEL);

	if (!calls)
		return NULL;
	raw_spin_lock_init(&calls->lock);
	calls->bytes = bytes;
	calls->size = tapir_user_call_size(bytes);
	if (tapir_user_calls_grow(calls) && tapir_call_table_use())
		return calls;
	vfree(calls->pieces);
	kfree(calls);
	return NULL;
}

void tapir_user_calls_forget(struct tapir_user_calls *calls)
{
	tapir_user_calls_sweep(NULL, calls, TAPIR_CALLS_INSIDE);
	cond_resched();
}

void tapir_user_calls_destroy(struct tapir_user_calls *calls)
{
	struct tapir_call_piece *piece, *next;

	if (!calls)
		return;
	tapir_user_calls_forget(calls);
	for (piece = calls->pieces; piece; piece = next) {
		next = piece->next;
		vfree(piece);
	}
	kfree(calls);
	if (--tapir_call_table_users)
		return;
	vfree(tapir_call_table);
	tapir_call_table = NULL;
}

u64 tapir_user_calls_missed(const struct tapir_user_calls *calls)
{
	return atomic64_read(&calls->missed);
}
