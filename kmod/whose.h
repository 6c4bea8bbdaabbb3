/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes whose hits a probe wants: one, the target and its descendants, or all. */
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
 * Session thread. Returns -ESRCH if the process is not there, which is reported only if `must`; other errors are -errno and
 * reported. A zeroed struct wants all hits and needs no release.
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
