// SPDX-License-Identifier: GPL-2.0-or-later
/* Follows forks from the target process on: see family.h. */
#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/threads.h>
#include <linux/vmalloc.h>
#include "compat/tracepoint.h"
#include "family.h"
#include "state.h"
#include "tracepoints.h"
#include "report.h"

/*
 * A bit for each PID. It means nothing until a process of that number is forked, which sets or clears it; so none is cleared when a
 * process ends.
 */
static unsigned long *tapir_family;
static u32 tapir_family_followers;
static bool tapir_family_looking; /* through the processes that run already */

/* Walks the current parent chain. Caller holds rcu_read_lock(). */
static bool tapir_descends(const struct task_struct *task)
{
	while (task->tgid != tapir_session.target && task->tgid > 1)
		task = rcu_dereference(task->real_parent);
	return task->tgid == tapir_session.target;
}

bool tapir_family_has(pid_t pid)
{
	return test_bit(pid, tapir_family);
}

static void tapir_family_forked(void *data, struct task_struct *parent, struct task_struct *child)
{
	bool belongs;

	if (child->pid != child->tgid)
		return;
	belongs = tapir_family_has(current->tgid);
	if (!belongs && READ_ONCE(tapir_family_looking)) {
		rcu_read_lock();
		belongs = tapir_descends(current);
		rcu_read_unlock();
	}
	if (belongs)
		set_bit(child->tgid, tapir_family);
	else
		clear_bit(child->tgid, tapir_family);
}

static void tapir_family_executed(void *data, struct task_struct *task)
{
	if (task->tgid == tapir_session.target)
		WRITE_ONCE(tapir_session.target_waits, false);
}

static struct tapir_listener tapir_family_forks = {.name = "sched_process_fork", .callback = tapir_family_forked, .first = true};
static struct tapir_listener tapir_family_command = {
    .name = "sched_process_exec", .callback = tapir_family_executed, .first = true};

static void tapir_family_look(void)
{
	struct task_struct *process;

	WRITE_ONCE(tapir_family_looking, true);
	rcu_read_lock();
	for_each_process(process)
		if (tapir_descends(process))
			set_bit(process->tgid, tapir_family);
	rcu_read_unlock();
	WRITE_ONCE(tapir_family_looking, false);
}

static void tapir_family_forget(void)
{
	tapir_listen_no_more(&tapir_family_command);
	tapir_listen_no_more(&tapir_family_forks);
	tracepoint_synchronize_unregister();
	vfree(tapir_family);
	tapir_family = NULL;
}

int tapir_family_follow(void)
{
	int error;

	if (tapir_family_followers++)
		return 0;
	tapir_family = vzalloc(BITS_TO_LONGS(PID_MAX_LIMIT) * sizeof(long));
	if (tapir_family) {
		error = tapir_listen(&tapir_family_forks);
	} else {
		tapir_session_fail(TAPIR_TEXT(NoMemoryFamily));
		error = -ENOMEM;
	}
	if (!error && tapir_session.target_waits)
		error = tapir_listen(&tapir_family_command);
	if (!error)
		tapir_family_look();
	if (error) {
		tapir_family_forget();
		tapir_family_followers--;
	}
	return error;
}

void tapir_family_leave(void)
{
	if (!--tapir_family_followers)
		tapir_family_forget();
}
