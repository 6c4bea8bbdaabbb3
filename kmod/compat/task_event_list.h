/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The performance events that the kernel keeps for a task, also those that the task inherited. */
#ifndef TAPIR_COMPAT_TASK_EVENT_LIST_H
#define TAPIR_COMPAT_TASK_EVENT_LIST_H

#include <linux/perf_event.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <tapir_kernel_features.h>

/* A task has one list of events since 6.2 (bd2756811766), before one of the processor's and one of the others. */
#if TAPIR_HAVE_TASK_EVENT_LISTS
#define TAPIR_TASK_EVENT_LISTS	       perf_nr_task_contexts
#define tapir_task_event_list(task, n) READ_ONCE((task)->perf_event_ctxp[n])
#else
#define TAPIR_TASK_EVENT_LISTS	       1
#define tapir_task_event_list(task, n) READ_ONCE((task)->perf_event_ctxp)
#endif

/* The first event of a task for which `is` returns true; NULL: none. Any context, under RCU; `is` may not sleep. */
static inline struct perf_event *tapir_task_event_find(const struct task_struct *task,
						       bool (*is)(const struct perf_event *event, const void *data),
						       const void *data)
{
	const struct perf_event_context *list;
	struct perf_event *event;
	int i;

	for (i = 0; i < TAPIR_TASK_EVENT_LISTS; i++) {
		list = tapir_task_event_list(task, i);
		if (!list)
			continue;
		list_for_each_entry_rcu(event, &list->event_list, event_entry) if (is(event, data)) return event;
	}
	return NULL;
}

#endif
