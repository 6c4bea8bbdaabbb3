/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The control group that the user limits handlers to, and its members. */
#ifndef TAPIR_KMOD_CGROUPS_H
#define TAPIR_KMOD_CGROUPS_H

#include "compat/cgroup.h"

/* NULL: all hits are wanted. Does not change after START. */
extern struct cgroup *tapir_cgroup;

/*
 * Limits handlers to the cgroup v2 whose directory is open as `fd`. Control; process context. -EBADF if `fd` is not such a
 * directory; -EBUSY if there is a limit already; -EOPNOTSUPP if the kernel has no cgroups.
 */
int tapir_cgroup_set(int fd);
/* Module exit. */
void tapir_cgroup_release(void);

/* Is the current task in the group, or in one below it? There is a limit. Any context, preemption disabled. */
static __always_inline bool tapir_cgroup_has_current(void)
{
	return tapir_cgroup_has_task(tapir_cgroup, current);
}

#endif
