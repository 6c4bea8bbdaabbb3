/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Performance events of tasks that execute another program. */
#ifndef TAPIR_COMPAT_EXEC_H
#define TAPIR_COMPAT_EXEC_H

#include <linux/perf_event.h>
#include <tapir_kernel_features.h>

/*
 * Since 5.13 (2e498d0a74e5) the kernel removes the event from a task that executes a program. Older kernels keep it: then this
 * returns false, and the caller must look for such tasks.
 */
static inline bool tapir_remove_on_exec(struct perf_event_attr *attr)
{
#if TAPIR_HAVE_REMOVE_ON_EXEC
	attr->remove_on_exec = 1;
	return true;
#else
	return false;
#endif
}

#endif
