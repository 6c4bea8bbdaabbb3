/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control groups of version 2, which a kernel may be built without. */
#ifndef TAPIR_COMPAT_CGROUP_H
#define TAPIR_COMPAT_CGROUP_H

#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#ifdef CONFIG_CGROUPS
/* The group of a directory that is open as `fd`, which the caller puts back; an error pointer. Process context. */
static inline struct cgroup *tapir_cgroup_of_directory(int fd)
{
	return cgroup_get_from_fd(fd);
}

static inline void tapir_cgroup_put(struct cgroup *group)
{
	cgroup_put(group);
}

/*
 * Is a task in the group, or in one below it? Any context, preemption disabled; the task is alive. Not through task_css_set(),
 * which asks lockdep whether RCU is held, and would trace.
 */
static __always_inline bool tapir_cgroup_has_task(struct cgroup *group, struct task_struct *task)
{
	return cgroup_is_descendant(rcu_dereference_raw(task->cgroups)->dfl_cgrp, group);
}
#else
static inline struct cgroup *tapir_cgroup_of_directory(int fd)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static inline void tapir_cgroup_put(struct cgroup *group)
{
}

static __always_inline bool tapir_cgroup_has_task(struct cgroup *group, struct task_struct *task)
{
	return true;
}
#endif

#endif
