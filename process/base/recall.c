// SPDX-License-Identifier: GPL-2.0-or-later
/* tapir/recall.h for a process. */
#include <tapir/port.h>

#include "process/base/base.h"
#include "handler.h"
#include "recall_write.h"

void tapir_port_recall_begin(void)
{
	tapir_triggers_reset();
}

u64 tapir_port_recall_clock(void)
{
	return (u64)tapir_port_ktime_ns();
}

u32 tapir_port_recall_thread(u64 *owner)
{
	u32 thread = tapir_host.thread ? tapir_host.thread : (u32)tapir_port_tid();

	*owner = tapir_recall_owner(thread, tapir_host.thread_began);
	return thread;
}

bool tapir_port_recall_lives(u32 thread, u64 owner)
{
	(void)owner;
	return thread != tapir_host.ended_thread;
}

void tapir_port_recall(struct tapir_recalls *recalls, u32 format, s64 a, s64 b, s64 c)
{
	u64 owner, number;
	u32 thread = tapir_port_recall_thread(&owner);
	struct tapir_recall_ring *ring = tapir_recall_home(recalls, thread);
	struct tapir_recall_event *event;

	if (__atomic_load_n(&ring->owner, __ATOMIC_RELAXED) != owner) {
		ring = tapir_recall_find(recalls, thread, owner);
		if (!ring)
			return;
	}
	event = tapir_recall_take(recalls, ring, &number);
	tapir_recall_fill(event, number, tapir_port_recall_clock(), 0, format, a, b, c);
}

/* All threads are on the first one. */
void tapir_port_recall_of_cpu(struct tapir_recalls *recalls, u32 format, s64 a, s64 b, s64 c)
{
	struct tapir_recall_ring *ring = recalls->rings;
	u64 number = __atomic_fetch_add(&ring->events, 1, __ATOMIC_RELAXED);

	tapir_recall_fill(&ring->slots[(u32)number & recalls->mask], number, tapir_port_recall_clock(), 0, format, a, b, c);
}
