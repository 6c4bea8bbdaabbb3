// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Snapshots: handlers that look at a process as it is, or at each of its threads. The session thread runs them before anything is
 * armed, and adopts the process's memory meanwhile. So a sleeping process is seen, a long walk delays no other task, and the
 * handler can wait for pages that are not in memory. The process keeps running: a change it makes meanwhile may be seen in part.
 *
 * A thread that is on no CPU has left its registers at the base of its kernel stack. The registers of a running thread cannot be
 * read.
 */
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "arch/this_arch.h"
#include "compat/task_state.h"
#include "hit.h"
#include "kind.h"
#include "process_probes.h"
#include "processes.h"
#include "programs.h"
#include "report.h"
#include "state.h"
#include "subject.h"
#include "task_list.h"
#include "user_objects.h"

/* How long a thread that runs is waited for, in jiffies, and those of a process together. */
#define TAPIR_SNAPSHOT_TRIES	 5u
#define TAPIR_SNAPSHOT_TRIES_ALL 100u

/* ---- whom there is to look at ---- */

static bool tapir_tasks_of_process(struct tapir_tasks *tasks, struct task_struct *process)
{
	struct task_struct *thread;

	if (!tapir_tasks_room(tasks, max(get_nr_threads(process), 0)))
		return false;
	rcu_read_lock();
	for_each_thread(process, thread)
		tapir_tasks_add(tasks, thread);
	rcu_read_unlock();
	return true;
}

static bool tapir_tasks_all_processes(struct tapir_tasks *tasks)
{
	struct task_struct *process;
	u32 count = 0;

	rcu_read_lock();
	for_each_process(process)
		count++;
	rcu_read_unlock();
	if (!tapir_tasks_room(tasks, count))
		return false;
	rcu_read_lock();
	for_each_process(process) {
		if (!(process->flags & PF_KTHREAD))
			tapir_tasks_add(tasks, process);
	}
	rcu_read_unlock();
	return true;
}

/* ---- where a thread stands ---- */

/* The registers were the thread's all the time, if it was on no CPU before and after and on none in between. */
static bool tapir_registers_copy(struct task_struct *task)
{
	unsigned long before = tapir_switches(task);

	smp_rmb();
	if (tapir_is_on_cpu(task))
		return false;
	if (copy_from_kernel_nofault(&tapir_subject.regs, task_pt_regs(task), sizeof(tapir_subject.regs)))
		return false;
	tapir_subject.thread_pointer = tapir_saved_thread_pointer(task);
	smp_rmb();
	return !tapir_is_on_cpu(task) && tapir_switches(task) == before;
}

/* `tries`: the remaining ones for the process. */
static bool tapir_subject_place(struct task_struct *task, u32 *tries)
{
	u32 i;

	for (i = 0; !tapir_registers_copy(task); i++) {
		if (i == TAPIR_SNAPSHOT_TRIES || !*tries || tapir_session_ending())
			return false;
		--*tries;
		schedule_timeout_idle(1);
	}
	/* A thread that ends frees its stack after setting this. Threads that the kernel made for the process, for io_uring, have
	 * no registers. */
	return !READ_ONCE(task->exit_state) && user_mode(&tapir_subject.regs);
}

/* ---- whom a probe wants ---- */

static bool tapir_snapshot_wants(u32 probe, const struct task_struct *process, const struct inode *running)
{
	const struct tapir_process_arg *arg = tapir_module.probes[probe].arg;
	const struct pid *wanted;

	if (arg->program != TAPIR_NO_PROGRAM && tapir_program_inode(arg->program) != running)
		return false;
	if (!arg->pid)
		return true;
	wanted = arg->pid == TAPIR_PID_TARGET ? tapir_target_process() : tapir_probe_process(probe);
	return wanted && task_tgid((struct task_struct *)process) == wanted;
}

static bool tapir_is_snapshot(u32 probe)
{
	return tapir_module.probes[probe].kind == &tapir_kind_snapshot;
}

static bool tapir_snapshot_anyone_wants(const struct task_struct *process, const struct inode *running)
{
	u32 i;

	for (i = 0; i < tapir_module.nprobes; i++)
		if (tapir_is_snapshot(i) && tapir_snapshot_wants(i, process, running))
			return true;
	return false;
}

/* ---- hits ---- */

static u32 tapir_snapshot_ran; /* threads of the process whose registers could not be read */

/* The subject is set. */
static void tapir_snapshot_hit(u32 probe)
{
	struct tapir_hook hook = tapir_hook_of(probe);
	struct pt_regs *regs = tapir_subject_registers();

	tapir_ledger_add_attached(probe, 1);
	tapir_session_hit(&hook, regs, regs ? instruction_pointer(regs) : 0);
}

static void tapir_snapshot_of_thread(struct task_struct *thread, const struct inode *running, bool first, u32 *tries)
{
	u32 i;

	tapir_subject.placed = tapir_subject_place(thread, tries);
	tapir_snapshot_ran += !tapir_subject.placed;
	WRITE_ONCE(tapir_subject.task, thread);
	for (i = 0; i < tapir_module.nprobes && !tapir_session_ending(); i++) {
		const struct tapir_process_arg *arg = tapir_module.probes[i].arg;

		if (tapir_is_snapshot(i) && (first || arg->event == TAPIR_THREAD_SNAPSHOT) &&
		    tapir_snapshot_wants(i, thread, running))
			tapir_snapshot_hit(i);
	}
	WRITE_ONCE(tapir_subject.task, NULL);
}

/* Does it still have this memory? A thread that ended has none, one that executes a program has another. */
static bool tapir_thread_has(struct task_struct *thread, const struct mm_struct *mm)
{
	bool has;

	task_lock(thread);
	has = thread->mm == mm;
	task_unlock(thread);
	return has;
}

static void tapir_snapshot_of_threads(const struct tapir_tasks *threads, struct mm_struct *mm, const struct inode *running)
{
	u32 i, tries = TAPIR_SNAPSHOT_TRIES_ALL;
	bool first = true;

	tapir_snapshot_ran = 0;
	for (i = 0; i < threads->count && !tapir_session_ending(); i++) {
		if (!tapir_thread_has(threads->list[i], mm))
			continue;
		tapir_snapshot_of_thread(threads->list[i], running, first, &tries);
		first = false;
	}
	if (tapir_snapshot_ran)
		tapir_session_warn(TAPIR_TEXT(ThreadsRan), tapir_snapshot_ran, (s64)task_tgid_nr(threads->list[0]));
}

/* Returns the memory of a process from any thread that still has it, or NULL if the process has ended. The caller releases it. */
static struct mm_struct *tapir_memory_of(const struct tapir_tasks *threads)
{
	struct mm_struct *mm = NULL;
	u32 i;

	for (i = 0; i < threads->count && !mm; i++)
		mm = get_task_mm(threads->list[i]);
	return mm;
}

/* True: some probe wanted it. */
static bool tapir_snapshot_of(struct task_struct *process)
{
	const struct inode *running;
	struct tapir_tasks threads;
	struct mm_struct *mm;
	bool wanted = false;

	if (!tapir_tasks_of_process(&threads, process))
		return false;
	mm = tapir_memory_of(&threads);
	if (mm) {
		running = tapir_running(mm);
		wanted = tapir_snapshot_anyone_wants(process, running);
		if (wanted) {
			if (tapir_has_user_objects())
				tapir_user_object_ops.await(mm);
			kthread_use_mm(mm);
			tapir_snapshot_of_threads(&threads, mm, running);
			kthread_unuse_mm(mm);
		}
		mmput(mm);
	}
	tapir_tasks_release(&threads);
	return wanted;
}

/* Probes that must be hit name something that is there. False: the session has failed. */
static bool tapir_snapshot_check(u32 probe)
{
	const struct tapir_probe *p = &tapir_module.probes[probe];
	const struct tapir_process_arg *arg = p->arg;

	if (!tapir_is_snapshot(probe) || arg->wildcard || arg->optional)
		return true;
	if (arg->program != TAPIR_NO_PROGRAM && !tapir_program_inode(arg->program)) {
		tapir_session_fail(TAPIR_TEXT(NoProgramFile), p->point, tapir_module.programs[arg->program].path);
		return false;
	}
	if (arg->pid == TAPIR_PID_TARGET ? tapir_session.target && !tapir_target_process()
					 : arg->pid && !tapir_probe_process(probe)) {
		tapir_session_fail(TAPIR_TEXT(NoProcess), p->point,
				   arg->pid == TAPIR_PID_TARGET ? (s64)tapir_session.target : (s64)arg->pid);
		return false;
	}
	return true;
}

static void tapir_snapshot_phase(u8 phase)
{
	struct tapir_tasks processes;
	bool any = false;
	u32 i;

	if (phase != TAPIR_PHASE_SNAPSHOT)
		return;
	tapir_session_handler_begins();
	for (i = 0; i < tapir_module.nprobes; i++)
		if (!tapir_snapshot_check(i))
			return;
	if (!tapir_tasks_all_processes(&processes))
		return;
	for (i = 0; i < processes.count && !tapir_session_ending(); i++) {
		any |= tapir_snapshot_of(processes.list[i]);
		cond_resched();
	}
	tapir_tasks_release(&processes);
	if (!any && !tapir_session_ending())
		tapir_session_warn(TAPIR_TEXT(NoSnapshot));
}

const struct tapir_kind_ops tapir_kind_snapshot = {
    TAPIR_KIND_LISTED(snapshot),
    .phase = tapir_snapshot_phase,
    .pid_at = offsetof(struct tapir_process_arg, pid),
    .any_task = true,
    .once = true,
};
