// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernel.task.snapshot: handlers that look at each task of the machine. The session thread runs them before anything is armed. So a
 * task that sleeps is seen, and no task waits for the handler. The tasks run on: what a handler reads of one may change meanwhile.
 */
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include "hit.h"
#include "kind.h"
#include "state.h"
#include "subject.h"
#include "task_list.h"

static bool tapir_tasks_all(struct tapir_tasks *tasks)
{
	struct task_struct *process, *thread;
	u32 count = 0;

	rcu_read_lock();
	for_each_process_thread(process, thread) count++;
	rcu_read_unlock();
	if (!tapir_tasks_room(tasks, count + count / 8))
		return false;
	rcu_read_lock();
	for_each_process_thread(process, thread) tapir_tasks_add(tasks, thread);
	rcu_read_unlock();
	return true;
}

static void tapir_task_snapshot_of(struct task_struct *task)
{
	u32 i;

	/* Nothing is known of its program: the session thread has no memory of programs. */
	tapir_subject.placed = false;
	WRITE_ONCE(tapir_subject.task, task);
	for (i = 0; i < tapir_module.nprobes && !tapir_session_ending(); i++) {
		struct tapir_hook hook = tapir_hook_of(i);

		if (tapir_module.probes[i].kind == &tapir_kind_task_snapshot)
			tapir_session_hit(&hook, NULL, 0);
	}
	WRITE_ONCE(tapir_subject.task, NULL);
}

static void tapir_task_snapshot_phase(u8 phase)
{
	struct tapir_tasks tasks;
	u32 i;

	if (phase != TAPIR_PHASE_SNAPSHOT)
		return;
	tapir_session_handler_begins();
	if (!tapir_tasks_all(&tasks))
		return;
	for (i = 0; i < tapir_module.nprobes; i++)
		if (tapir_module.probes[i].kind == &tapir_kind_task_snapshot)
			tapir_ledger_add_attached(i, 1);
	for (i = 0; i < tasks.count && !tapir_session_ending(); i++) {
		/* One that is gone since is left out. */
		if (READ_ONCE(tasks.list[i]->exit_state) != EXIT_DEAD)
			tapir_task_snapshot_of(tasks.list[i]);
		cond_resched();
	}
	tapir_tasks_release(&tasks);
}

const struct tapir_kind_ops tapir_kind_task_snapshot = {
    TAPIR_KIND_LISTED(task_snapshot),
    .phase = tapir_task_snapshot_phase,
    .any_task = true,
    .once = true,
};
