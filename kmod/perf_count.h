/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the kinds that count performance events. */
#ifndef TAPIR_KMOD_PERF_COUNT_H
#define TAPIR_KMOD_PERF_COUNT_H

#include <linux/compiler.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/perf_event.h>
#include <linux/smp.h>
#include <tapir/context.h>
#include "report.h"

/* Reports why the kernel makes no event for a probe. Session thread. */
static inline void tapir_perf_fail(const char *point, u32 type, u64 config, int error)
{
	if (error == -ENOENT || error == -EOPNOTSUPP || error == -EINVAL)
		tapir_session_fail(TAPIR_TEXT(NoPerfEvent), point, type, config);
	else
		tapir_session_fail(TAPIR_TEXT(PerfEventRefused), point, ERR_PTR(error));
}

/*
 * Reads an event of this CPU or of its task, like the kernel's perf_event_read_local(), which is not exported. Any context, also an
 * NMI.
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
