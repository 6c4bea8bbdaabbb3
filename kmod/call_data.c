// SPDX-License-Identifier: GPL-2.0-or-later
/* Values that entries of system calls leave for their returns: see call_data.h. */
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <tapir/abi.h>
#include "call_data.h"
#include "port_memory.h"

static size_t tapir_call_bytes(u32 bytes)
{
	return sizeof(struct tapir_call) + round_up(bytes, sizeof(u64));
}

void tapir_calls_demand(u32 probe, u32 count, struct tapir_demand *demand)
{
	const struct tapir_probe *p = &tapir_module.probes[probe];

	if (p->entry)
		tapir_demand_add(demand, sizeof(struct tapir_calls) + (u64)count * tapir_call_bytes(p->saved_bytes),
				 "the probe at ", p->where,
				 "keep less of the entries of calls, as by @entry(...), or use fewer such probes");
}

struct tapir_calls *tapir_calls_create(u32 count, u32 bytes)
{
	struct tapir_calls *calls = kvzalloc(sizeof(*calls), GFP_KERNEL);
	size_t size = tapir_call_bytes(bytes);
	u32 i;

	if (!calls)
		return NULL;
	calls->memory = tapir_port_affordable((u64)count * size) ? kvcalloc(count, size, TAPIR_GFP_ASKED) : NULL;
	if (!calls->memory) {
		kvfree(calls);
		return NULL;
	}
	raw_spin_lock_init(&calls->unused_lock);
	for (i = 0; i < TAPIR_CALL_BUCKETS; i++)
		raw_spin_lock_init(&calls->buckets[i].lock);
	for (i = 0; i < count; i++)
		hlist_add_head(&((struct tapir_call *)(calls->memory + i * size))->node, &calls->unused);
	return calls;
}

void tapir_calls_destroy(struct tapir_calls *calls)
{
	if (!calls)
		return;
	kvfree(calls->memory);
	kvfree(calls);
}

static u32 tapir_call_bucket(const struct task_struct *task)
{
	return hash_ptr(task, ilog2(TAPIR_CALL_BUCKETS));
}

void tapir_call_drop(struct tapir_calls *calls, struct tapir_call *call)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&calls->unused_lock, flags);
	hlist_add_head(&call->node, &calls->unused);
	raw_spin_unlock_irqrestore(&calls->unused_lock, flags);
}

struct tapir_call *tapir_call_end(struct tapir_calls *calls)
{
	u32 bucket = tapir_call_bucket(current);
	struct tapir_call *call, *found = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&calls->buckets[bucket].lock, flags);
	hlist_for_each_entry(call, &calls->buckets[bucket].calls, node)
	{
		if (call->task != current)
			continue;
		found = call;
		hlist_del(&call->node);
		break;
	}
	raw_spin_unlock_irqrestore(&calls->buckets[bucket].lock, flags);
	return found;
}

struct tapir_call *tapir_call_begin(struct tapir_calls *calls, u32 bytes)
{
	struct tapir_call *call = tapir_call_end(calls);
	unsigned long flags;

	if (call)
		goto found;
	raw_spin_lock_irqsave(&calls->unused_lock, flags);
	if (!hlist_empty(&calls->unused)) {
		call = hlist_entry(calls->unused.first, struct tapir_call, node);
		hlist_del(&call->node);
	}
	raw_spin_unlock_irqrestore(&calls->unused_lock, flags);
	if (!call) {
		atomic64_inc(&calls->missed);
		return NULL;
	}
found:
	call->task = current;
	memset(call->data, 0, bytes);
	return call;
}

void tapir_call_keep(struct tapir_calls *calls, struct tapir_call *call)
{
	u32 bucket = tapir_call_bucket(call->task);
	unsigned long flags;

	raw_spin_lock_irqsave(&calls->buckets[bucket].lock, flags);
	hlist_add_head(&call->node, &calls->buckets[bucket].calls);
	raw_spin_unlock_irqrestore(&calls->buckets[bucket].lock, flags);
}

void tapir_calls_forget(struct tapir_calls *calls)
{
	struct tapir_call *call = hlist_empty(&calls->buckets[tapir_call_bucket(current)].calls) ? NULL : tapir_call_end(calls);

	if (call)
		tapir_call_drop(calls, call);
}
