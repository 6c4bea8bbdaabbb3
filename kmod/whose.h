/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose hits a probe wants: those of one process, of the target and its descendants, or all. */
#ifndef TAPIR_KMOD_WHOSE_H
#define TAPIR_KMOD_WHOSE_H

#include <linux/compiler.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include "family.h"

struct tapir_whose {
	const struct pid *process;
	bool family;
};

/*
 * Session thread. -ESRCH: the process is not there, which is reported if it `must` be; else -errno, reported. What is all zeros
 * wants all, and needs no release.
 */
int tapir_whose_find(struct tapir_whose *whose, u32 probe, bool must);
void tapir_whose_release(struct tapir_whose *whose);

/* Any context; the task is alive. */
static __always_inline bool tapir_whose_has(const struct tapir_whose *whose, struct task_struct *task)
{
	if (likely(!whose->process && !whose->family))
		return true;
	return whose->process ? task_tgid(task) == whose->process : tapir_family_has(task->tgid);
}

#endif
