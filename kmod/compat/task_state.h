/* SPDX-License-Identifier: GPL-2.0-or-later */
/* <linux/sched.h>: the state of a task. Since 5.14 (2f064a59a11f) the member is `__state`. */
#ifndef TAPIR_COMPAT_TASK_STATE_H
#define TAPIR_COMPAT_TASK_STATE_H

#include <linux/sched.h>
#include <tapir_kernel_features.h>

/* It runs or is ready to, or is about to decide that it waits. Any context. */
static __always_inline bool tapir_task_is_ready(const struct task_struct *task)
{
#if TAPIR_HAVE_TASK_STATE
	return READ_ONCE(task->state) == TASK_RUNNING;
#else
	return READ_ONCE(task->__state) == TASK_RUNNING;
#endif
}

/* Any context. */
static inline bool tapir_is_on_cpu(const struct task_struct *task)
{
#ifdef CONFIG_SMP
	return smp_load_acquire(&((struct task_struct *)task)->on_cpu);
#else
	return task == current;
#endif
}

/* How often it left its processor. The same number twice, and no processor: what its stack held in between is true. */
static inline unsigned long tapir_switches(const struct task_struct *task)
{
	return READ_ONCE(task->nvcsw) + READ_ONCE(task->nivcsw);
}

#endif
