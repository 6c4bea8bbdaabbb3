// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Processes and threads that begin and end, each seen by itself:
 *
 *	birth	a new task has been switched to for the first time	process and thread begin
 *	leave	exec: the old memory is about to go			process ends
 *	exec	the new program is about to run				process begins
 *	exit	the memory is about to go				process and thread end
 *
 * A process that runs already when the script starts, or comes to run while it does, is pending: it begins when it is next seen, be
 * it at the return of a system call.
 */
#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/threads.h>
#include <linux/vmalloc.h>
#include "arch/this_arch.h"
#include "compat/kprobe.h"
#include "compat/tracepoint.h"
#include "kind.h"
#include "process_probes.h"
#include "tracepoints.h"
#include "report.h"
#include "state.h"
#include "ledger.h"

static struct tapir_process_probes tapir_processes = {.kind = &tapir_kind_process};

/* ---- pending processes ---- */

static unsigned long *tapir_pending; /* by PID; NULL if no probe waits for processes to begin */
static atomic_t tapir_npending;

static void tapir_pending_add(pid_t pid)
{
	if (tapir_pending && !test_and_set_bit(pid, tapir_pending))
		atomic_inc(&tapir_npending);
}

/* Removes the process from the pending ones; true if it was among them. */
static bool tapir_pending_take(pid_t pid)
{
	if (!atomic_read(&tapir_npending) || !test_and_clear_bit(pid, tapir_pending))
		return false;
	atomic_dec(&tapir_npending);
	return true;
}

/* ---- hits: preemption is disabled ---- */

static void tapir_process_report(u8 event)
{
	const struct inode *running = tapir_processes.by_program ? tapir_running(current->mm) : NULL;
	struct pt_regs *regs = task_pt_regs(current);
	u32 i;

	if (!user_mode(regs))
		regs = NULL;
	for (i = 0; i < tapir_processes.count; i++) {
		const struct tapir_process_probe *p = &tapir_processes.list[i];

		if (p->arg->event == event && tapir_process_probe_wants(p, current, running))
			tapir_hit(&p->hook, regs, regs ? instruction_pointer(regs) : 0);
	}
}

static void tapir_process_begins(void)
{
	if (READ_ONCE(tapir_session.mode) == TAPIR_MODE_OFF) {
		tapir_pending_add(current->tgid);
		return;
	}
	tapir_pending_take(current->tgid);
	tapir_process_report(TAPIR_PROCESS_BEGIN);
}

static void tapir_process_catch_up(void)
{
	if (READ_ONCE(tapir_session.mode) != TAPIR_MODE_OFF && tapir_pending_take(current->tgid))
		tapir_process_report(TAPIR_PROCESS_BEGIN);
}

static int tapir_process_birth(struct kprobe *kprobe, struct pt_regs *regs)
{
	if (!tapir_is_process(current))
		return 0;
	if (current->pid == current->tgid)
		tapir_process_begins();
	else
		tapir_process_report(TAPIR_THREAD_BEGIN);
	return 0;
}

static void tapir_process_ends(void)
{
	tapir_process_catch_up();
	tapir_pending_take(current->tgid);
	tapir_process_report(TAPIR_PROCESS_END);
}

static int tapir_process_leave(struct kprobe *kprobe, struct pt_regs *regs)
{
	if (tapir_is_process(current))
		tapir_process_ends();
	return 0;
}

/* A function whose second argument says whether the task is the last of its process. */
static int tapir_process_exit(struct kprobe *kprobe, struct pt_regs *regs)
{
	if (!tapir_is_process(current))
		return 0;
	if ((u8)tapir_register_argument(regs, 1)) {
		tapir_process_ends();
	} else {
		tapir_process_catch_up();
		tapir_process_report(TAPIR_THREAD_END);
	}
	return 0;
}

static void tapir_process_exec(void *data)
{
	tapir_tracepoint_enter();
	tapir_process_begins();
	tapir_tracepoint_leave();
}

static void tapir_process_returns(void *data)
{
	if (!atomic_read(&tapir_npending))
		return;
	tapir_tracepoint_enter();
	tapir_process_catch_up();
	tapir_tracepoint_leave();
}

/* ---- where they are seen ---- */

struct tapir_process_hook {
	u32 events; /* that are seen there: bits of enum tapir_process_event */
	int (*handler)(struct kprobe *kprobe, struct pt_regs *regs);
	const char *functions[3]; /* the first that the kernel has; NULL ends them */
	struct kprobe kprobe;
	bool armed;
};

#define TAPIR_EVENT(name) BIT(TAPIR_##name)

static struct tapir_process_hook tapir_process_hooks[] = {
    {TAPIR_EVENT(PROCESS_BEGIN) | TAPIR_EVENT(THREAD_BEGIN), tapir_process_birth, {"calculate_sigpending"}},
    {TAPIR_EVENT(PROCESS_BEGIN) | TAPIR_EVENT(PROCESS_END), tapir_process_leave, {"exec_mm_release"}},
    {TAPIR_EVENT(PROCESS_BEGIN) | TAPIR_EVENT(PROCESS_END) | TAPIR_EVENT(THREAD_END),
     tapir_process_exit,
     {"taskstats_exit", "acct_collect"}},
};

static struct tapir_listener tapir_process_execs = {.name = "sched_process_exec", .callback = tapir_process_exec};
static struct tapir_listener tapir_process_calls = {.name = "sys_exit", .callback = tapir_process_returns};

static int tapir_process_hook_arm(struct tapir_process_hook *hook)
{
	int error = -ENOENT;
	u32 i;

	for (i = 0; hook->functions[i] && error == -ENOENT; i++) {
		hook->kprobe = (struct kprobe){.symbol_name = hook->functions[i], .pre_handler = hook->handler};
		error = tapir_kprobe_register(&hook->kprobe);
	}
	hook->armed = !error;
	if (error)
		tapir_session_fail(TAPIR_TEXT(ProcessesNotFollowed), hook->functions[0], ERR_PTR(error));
	return error;
}

/* The hits that the kernel did not deliver, to all probes that may have missed them. */
static void tapir_process_hook_disarm(struct tapir_process_hook *hook)
{
	u32 i;

	if (!hook->armed)
		return;
	unregister_kprobe(&hook->kprobe);
	hook->armed = false;
	for (i = 0; hook->kprobe.nmissed && i < tapir_processes.count; i++)
		if (hook->events & BIT(tapir_processes.list[i].arg->event))
			tapir_ledger_add_missed(tapir_processes.list[i].probe, hook->kprobe.nmissed);
}

/* ---- processes that run already ---- */

static bool tapir_process_is_wanted(struct task_struct *task)
{
	const struct inode *running = tapir_processes.by_program ? tapir_running(task->mm) : NULL;
	u32 i;

	for (i = 0; i < tapir_processes.count; i++)
		if (tapir_processes.list[i].arg->event == TAPIR_PROCESS_BEGIN &&
		    tapir_process_probe_wants(&tapir_processes.list[i], task, running))
			return true;
	return false;
}

/* Under RCU. */
static void tapir_process_look_at(struct task_struct *process)
{
	struct task_struct *thread;
	bool alive = false;

	/* The first thread may have ended before others. */
	for_each_thread(process, thread) {
		task_lock(thread);
		alive = tapir_is_process(thread);
		if (alive && tapir_process_is_wanted(thread))
			tapir_pending_add(process->tgid);
		task_unlock(thread);
		if (alive)
			break;
	}
}

static void tapir_process_look(void)
{
	struct task_struct *process;

	rcu_read_lock();
	for_each_process(process)
		tapir_process_look_at(process);
	rcu_read_unlock();
}

/* ---- the kind ---- */

static void tapir_process_disarm(void)
{
	u32 i;

	tapir_listen_no_more(&tapir_process_calls);
	tapir_listen_no_more(&tapir_process_execs);
	tracepoint_synchronize_unregister();
	for (i = ARRAY_SIZE(tapir_process_hooks); i-- > 0;)
		tapir_process_hook_disarm(&tapir_process_hooks[i]);
	vfree(tapir_pending);
	tapir_pending = NULL;
	atomic_set(&tapir_npending, 0);
	tapir_process_probes_destroy(&tapir_processes);
}

static int tapir_process_arm_begin(void)
{
	int error;

	tapir_pending = vzalloc(BITS_TO_LONGS(PID_MAX_LIMIT) * sizeof(long));
	if (!tapir_pending) {
		tapir_session_fail(TAPIR_TEXT(NoMemoryProcesses));
		return -ENOMEM;
	}
	error = tapir_listen(&tapir_process_execs);
	return error ? error : tapir_listen(&tapir_process_calls);
}

static int tapir_process_arm(void)
{
	int error = tapir_process_probes_create(&tapir_processes);
	u32 i, events = 0;

	if (error)
		return error;
	for (i = 0; i < tapir_processes.count; i++)
		events |= BIT(tapir_processes.list[i].arg->event);
	if (events & TAPIR_EVENT(PROCESS_BEGIN))
		error = tapir_process_arm_begin();
	for (i = 0; i < ARRAY_SIZE(tapir_process_hooks) && !error; i++)
		if (events & tapir_process_hooks[i].events)
			error = tapir_process_hook_arm(&tapir_process_hooks[i]);
	if (error)
		tapir_process_disarm();
	else if (tapir_pending)
		tapir_process_look();
	return error;
}

const struct tapir_kind_ops tapir_kind_process = {
    TAPIR_KIND_LISTED(process),
    TAPIR_KIND_WAY(Process),
    .arm = tapir_process_arm,
    .disarm = tapir_process_disarm,
    .pid_at = offsetof(struct tapir_process_arg, pid),
};
