/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of tasks, each with a reference, for handlers that look at one after the other. Session thread. */
#ifndef TAPIR_TASK_LIST_H
#define TAPIR_TASK_LIST_H

#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include "report.h"

/* Tasks that begin between counting and looking. */
#define TAPIR_TASKS_SLACK 16u

struct tapir_tasks {
	struct task_struct **list;
	u32 count, room;
};

/* May sleep. */
static inline void tapir_tasks_release(struct tapir_tasks *tasks)
{
	u32 i;

	for (i = 0; i < tasks->count; i++)
		put_task_struct(tasks->list[i]);
	kvfree(tasks->list);
	*tasks = (struct tapir_tasks){0};
}

/* Under RCU. Leaves the task out if there is no room. */
static inline void tapir_tasks_add(struct tapir_tasks *tasks, struct task_struct *task)
{
	if (tasks->count < tasks->room) {
		get_task_struct(task);
		tasks->list[tasks->count++] = task;
	}
}

/* May sleep. Returns false after failing the session if there is no memory. */
static inline bool tapir_tasks_room(struct tapir_tasks *tasks, u32 count)
{
	*tasks = (struct tapir_tasks){.room = count + TAPIR_TASKS_SLACK};
	tasks->list = kvcalloc(tasks->room, sizeof(*tasks->list), GFP_KERNEL);
	if (!tasks->list)
		tapir_session_fail(TAPIR_TEXT(NoMemorySnapshot));
	return tasks->list;
}

#endif
