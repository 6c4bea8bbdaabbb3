// SPDX-License-Identifier: GPL-2.0-or-later
/* The port API: the clock and the threads of @recall. Any context. */
#include <linux/cache.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include "arch/this_arch.h"
#include "recall_clock.h"
#include "subject.h"

bool tapir_recall_counts_cycles __read_mostly;

void tapir_port_recall_begin(void)
{
	WRITE_ONCE(tapir_recall_counts_cycles, tapir_cycles_are_time());
}

u64 tapir_port_recall_clock(void)
{
	return tapir_recall_clock();
}

u32 tapir_port_recall_thread(u64 *owner)
{
	const struct task_struct *task = tapir_subject_task();
	u32 thread = tapir_recall_thread(task);

	*owner = tapir_recall_owner(thread, task->start_time);
	return thread;
}

bool tapir_port_recall_lives(u32 thread, u64 owner)
{
	const struct task_struct *task;
	bool lives;

	if (thread & TAPIR_RECALL_IDLE)
		return true;
	rcu_read_lock();
	task = pid_task(find_pid_ns(thread, &init_pid_ns), PIDTYPE_PID);
	lives = task && tapir_recall_owner(thread, task->start_time) == owner;
	rcu_read_unlock();
	return lives;
}
