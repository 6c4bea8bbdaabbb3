// SPDX-License-Identifier: GPL-2.0-or-later
/* The port API: writing events of @recall. Any context. */
#include "recall_clock.h"
#include "subject.h"

/* The thread's ring is not in its first place, or there is none yet; or the clock is slow. */
static noinline __cold void tapir_recall_slowly(struct tapir_recalls *recalls, u32 format, s64 a, s64 b, s64 c)
{
	u64 owner, number;
	u32 thread = tapir_port_recall_thread(&owner);
	struct tapir_recall_ring *ring = tapir_recall_find(recalls, thread, owner);
	struct tapir_recall_event *event;

	if (!ring)
		return;
	event = tapir_recall_take(recalls, ring, &number);
	tapir_recall_fill(event, number, tapir_recall_clock(), raw_smp_processor_id(), format, a, b, c);
}

/* Without a call in it, so that it saves no registers. */
void tapir_port_recall(struct tapir_recalls *recalls, u32 format, s64 a, s64 b, s64 c)
{
	const struct task_struct *task = tapir_subject_task();
	u32 thread = tapir_recall_thread(task);
	u64 owner = tapir_recall_owner(thread, task->start_time), number;
	struct tapir_recall_ring *ring = tapir_recall_home(recalls, thread);
	struct tapir_recall_event *event;

	if (unlikely(READ_ONCE(ring->owner) != owner || !tapir_recall_counts_cycles)) {
		tapir_recall_slowly(recalls, format, a, b, c);
		return;
	}
	event = tapir_recall_take(recalls, ring, &number);
	tapir_recall_fill(event, number, get_cycles(), raw_smp_processor_id(), format, a, b, c);
}

/* A handler of session level may have gone on to another CPU, so that two write to one ring. */
void tapir_port_recall_of_cpu(struct tapir_recalls *recalls, u32 format, s64 a, s64 b, s64 c)
{
	u32 cpu = raw_smp_processor_id();
	struct tapir_recall_ring *ring = &recalls->rings[cpu];
	u64 number = __atomic_fetch_add(&ring->events, 1, __ATOMIC_RELAXED);

	tapir_recall_fill(&ring->slots[(u32)number & recalls->mask], number, tapir_recall_clock(), cpu, format, a, b, c);
}
