/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * <linux/uprobes.h>: the kernel's state of the current task's uprobes, of all their users. Any context.
 *
 * A hit may interrupt the task while it changes or frees this state, in a system call or an exception. So readers use fault-safe
 * reads and trust a value only if it agrees with the task's registers and stack. These members are the same from 5.10 to 7.2; but
 * they are internal to the kernel, so tests of features look for them.
 */
#ifndef TAPIR_COMPAT_UPROBE_TASK_H
#define TAPIR_COMPAT_UPROBE_TASK_H

#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>
#include <tapir_kernel_features.h>
#include "../arch/this_arch.h"
#include "../subject.h"

#if TAPIR_HAVE_RETURN_INSTANCES
#define TAPIR_RETURNS_MAX 64 /* the kernel follows no more calls of a task at once */

/* True if returns of calls that the task is in are probed. */
static inline bool tapir_returns_pending(void)
{
	const struct uprobe_task *utask = READ_ONCE(tapir_subject_task()->utask);
	struct return_instance *call;

	return utask && !get_kernel_nofault(call, &utask->return_instances) && call;
}

/* The return address of the call at whose entry the stack pointer was `stack`. False: its return is not probed. */
static inline bool tapir_original_return(unsigned long stack, u64 *address)
{
	const struct uprobe_task *utask = READ_ONCE(tapir_subject_task()->utask);
	struct return_instance *call;
	unsigned long at, original;
	u32 i;

	if (!utask || get_kernel_nofault(call, &utask->return_instances))
		return false;
	for (i = 0; i < TAPIR_RETURNS_MAX && call; i++) {
		if (get_kernel_nofault(at, &call->stack))
			return false;
		if (at == stack) {
			if (get_kernel_nofault(original, &call->orig_ret_vaddr))
				return false;
			*address = original;
			return true;
		}
		if (get_kernel_nofault(call, &call->next))
			return false;
	}
	return false;
}
#else
static inline bool tapir_returns_pending(void)
{
	return false;
}

static inline bool tapir_original_return(unsigned long stack, u64 *address)
{
	return false;
}
#endif

/* The place of an instruction that is being run out of line, for a program counter at or behind its copy; others stay. */
static inline u64 tapir_uprobe_place(u64 pc)
{
#if TAPIR_HAVE_XOL_ADDRESS
	const struct uprobe_task *utask = READ_ONCE(tapir_subject_task()->utask);
	unsigned long copy, place;

	if (utask && !get_kernel_nofault(copy, &utask->xol_vaddr) && !get_kernel_nofault(place, &utask->vaddr) && copy &&
	    pc - copy <= TAPIR_UPROBE_BYTES)
		return place + (pc - copy);
#endif
	return pc;
}

/* Where copies of instructions are, and at its beginning what probed returns come to. Such mappings are the kernel's own. */
static inline bool tapir_is_uprobe_area(const struct vm_area_struct *vma)
{
	const unsigned long flags = VM_EXEC | VM_IO | VM_DONTCOPY;

	return !vma->vm_file && (vma->vm_flags & flags) == flags;
}

#endif
