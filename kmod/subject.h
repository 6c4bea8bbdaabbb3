/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The task whose memory, registers and identity the port gives to handlers. It is the current task, but in a snapshot the session
 * thread runs the handler, has adopted the process's memory, and the subject is a thread of that process.
 */
#ifndef TAPIR_SUBJECT_H
#define TAPIR_SUBJECT_H

#include <linux/compiler.h>
#include <linux/irqflags.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/types.h>
#include <linux/uaccess.h>

struct tapir_subject {
	struct task_struct
	    *task;	     /* NULL: the current one. Changes while no handler runs. Its memory is current->mm, if that is there */
	bool placed;	     /* the rest is known: the thread did not run */
	struct pt_regs regs; /* as it left user mode */
	u64 thread_pointer;
};
extern struct tapir_subject tapir_subject;

/* Any context. */
static __always_inline struct task_struct *tapir_subject_task(void)
{
	struct task_struct *task = READ_ONCE(tapir_subject.task);

	return unlikely(task) ? task : current;
}

/* True while a handler of a snapshot runs. Such a handler may sleep, unless it holds locks or keeps the memory's mappings from
 * changing. */
static __always_inline bool tapir_in_snapshot(void)
{
	return unlikely(READ_ONCE(tapir_subject.task));
}

/* The registers with which the subject left user mode; NULL if it has none, or they are unknown. Any context. */
static inline struct pt_regs *tapir_subject_registers(void)
{
	if (tapir_in_snapshot())
		return tapir_subject.placed ? &tapir_subject.regs : NULL;
	return current->mm && !(current->flags & PF_KTHREAD) ? task_pt_regs(current) : NULL;
}

/*
 * Reads memory of the snapshot's process that is not in memory now: may sleep until it is. It does not where the caller must not,
 * and leaves alone what only another program can bring in (userfaultfd, FUSE), and devices. 0, or -EFAULT.
 */
int tapir_subject_read(void *dst, u64 address, u32 length);

/*
 * Takes the mmap_lock of the snapshot's process for reading; tapir_mmap_unlock() releases it. A caller that may sleep waits up to a
 * second while another thread changes the mappings.
 */
bool tapir_subject_lock(struct mm_struct *mm);

/* tapir_port_limit() returns this for TAPIR_LIMIT_MAXACTION_INTERRUPTIBLE in a snapshot, unless the user has set the limit. The
 * handler delays no other task, and a walk over all that a process has takes long. */
#define TAPIR_SNAPSHOT_ACTIONS 2000000000ull

#endif
