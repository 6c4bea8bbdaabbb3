/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Probes in programs. */
#ifndef TAPIR_COMPAT_UPROBE_H
#define TAPIR_COMPAT_UPROBE_H

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm_types.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/uprobes.h>
#include <tapir_kernel_features.h>

/*
 * The handle for unregistering. Since 6.12 (04b01625da13, 6.11 in part) registering returns one, and one wait for running handlers
 * serves many unregistrations.
 */
struct tapir_uprobe_handle {
	struct inode *inode;
	loff_t offset;
	struct uprobe *uprobe;
};

/* `semaphore` is the offset in the file of a counter to raise in every process, or 0. -errno or 0. May sleep. */
static inline int tapir_uprobe_register(struct tapir_uprobe_handle *handle, struct inode *inode, loff_t offset, loff_t semaphore,
					struct uprobe_consumer *consumer)
{
	handle->inode = inode;
	handle->offset = offset;
#if TAPIR_HAVE_UPROBE_HANDLE
	handle->uprobe = uprobe_register(inode, offset, semaphore, consumer);
	return PTR_ERR_OR_ZERO(handle->uprobe);
#else
	return semaphore ? uprobe_register_refctr(inode, offset, semaphore, consumer) : uprobe_register(inode, offset, consumer);
#endif
}

/* The handler may run until tapir_uprobe_synchronize(). */
static inline void tapir_uprobe_unregister(struct tapir_uprobe_handle *handle, struct uprobe_consumer *consumer)
{
#if TAPIR_HAVE_UPROBE_HANDLE
	uprobe_unregister_nosync(handle->uprobe, consumer);
#else
	uprobe_unregister(handle->inode, handle->offset, consumer);
#endif
}

static inline void tapir_uprobe_synchronize(void)
{
#if TAPIR_HAVE_UPROBE_HANDLE
	uprobe_unregister_sync();
#endif
}

/* Handlers have one more argument since 6.13 (da09a9e0c3ea). */
#if TAPIR_HAVE_UPROBE_DATA
#define TAPIR_UPROBE_HANDLER(name, consumer, regs)                                                                                 \
	static int name(struct uprobe_consumer *consumer, struct pt_regs *regs, __u64 *data)
#define TAPIR_UPROBE_RETURN_HANDLER(name, consumer, function, regs)                                                                \
	static int name(struct uprobe_consumer *consumer, unsigned long function, struct pt_regs *regs, __u64 *data)
#else
#define TAPIR_UPROBE_HANDLER(name, consumer, regs) static int name(struct uprobe_consumer *consumer, struct pt_regs *regs)
#define TAPIR_UPROBE_RETURN_HANDLER(name, consumer, function, regs)                                                                \
	static int name(struct uprobe_consumer *consumer, unsigned long function, struct pt_regs *regs)
#endif

/* Decides whether a memory gets the breakpoint. Since 6.12 (59da880afed2) the kernel no longer passes its reason for asking. */
#if TAPIR_HAVE_UPROBE_FILTER_CONTEXT
#define TAPIR_UPROBE_FILTER(name, consumer, mm)                                                                                    \
	static bool name(struct uprobe_consumer *consumer, enum uprobe_filter_ctx context, struct mm_struct *mm)
#else
#define TAPIR_UPROBE_FILTER(name, consumer, mm) static bool name(struct uprobe_consumer *consumer, struct mm_struct *mm)
#endif

/* One of the tasks that run in a memory, under rcu_read_lock(). NULL: not known, as always without CONFIG_MEMCG. */
static inline struct task_struct *tapir_mm_owner(struct mm_struct *mm)
{
#if TAPIR_HAVE_MM_OWNER
	return rcu_dereference(mm->owner);
#else
	return NULL;
#endif
}

#endif
