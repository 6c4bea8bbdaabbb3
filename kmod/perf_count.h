/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a performance event has counted, for handlers. */
#ifndef TAPIR_KMOD_PERF_COUNT_H
#define TAPIR_KMOD_PERF_COUNT_H

#include <linux/compiler.h>
#include <linux/irqflags.h>
#include <linux/perf_event.h>
#include <linux/smp.h>
#include <tapir/context.h>

/*
 * What the kernel's own perf_event_read_local() does, which is not exported: the event of this CPU or of its task, with interrupts
 * disabled, and by functions that an NMI may call.
 */
static inline s64 tapir_perf_count(struct tapir_ctx *c, struct perf_event *event)
{
	unsigned long flags;
	u64 count;

	local_irq_save(flags);
	if (event->oncpu == smp_processor_id())
		event->pmu->read(event);
	count = local64_read(&event->count);
	local_irq_restore(flags);
	if (READ_ONCE(event->state) == PERF_EVENT_STATE_ERROR)
		tapir_errorf(c, NULL, "all counters of the processor are in use");
	return count;
}

#endif
