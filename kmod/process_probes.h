/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probes of what processes do, by a tapir_process_arg: whom they want. */
#ifndef TAPIR_KMOD_PROCESS_PROBES_H
#define TAPIR_KMOD_PROCESS_PROBES_H

#include <linux/fs.h>
#include <linux/sched.h>
#include "hit.h"
#include "whose.h"

struct tapir_process_probe {
	struct tapir_hook hook;
	const struct tapir_process_arg *arg;
	const struct inode *program; /* NULL: any */
	struct tapir_whose whose;
	u32 probe;
};

/* All probes of one kind. */
struct tapir_process_probes {
	const struct tapir_kind_ops *kind;
	struct tapir_process_probe *list;
	u32 count;
	bool by_program; /* some want one program only */
};

/* Finds all, leaving out optional ones whose program or process is not there. Session thread; -errno: reported. */
int tapir_process_probes_create(struct tapir_process_probes *all);
void tapir_process_probes_destroy(struct tapir_process_probes *all);

/* The file of a program, for comparisons only. `mm` is the current task's, or cannot go. Any context but NMI. */
const struct inode *tapir_running(struct mm_struct *mm);

/* Is a task a process's, and not a thread of the kernel? */
static inline bool tapir_is_process(const struct task_struct *task)
{
	return task->mm && !(task->flags & PF_KTHREAD);
}

/* The target does not count before it executes the command of -c. `running` is tapir_running() of the task if some probe is
 * by_program. */
static inline bool tapir_process_probe_wants(const struct tapir_process_probe *p, struct task_struct *task,
					     const struct inode *running)
{
	if ((p->program && p->program != running) || !tapir_whose_has(&p->whose, task))
		return false;
	return !p->whose.family || !READ_ONCE(tapir_session.target_waits) || task->tgid != tapir_session.target;
}

#endif
