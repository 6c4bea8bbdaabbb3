/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instances of return probes, and their hits. */
#ifndef TAPIR_COMPAT_KRETPROBE_H
#define TAPIR_COMPAT_KRETPROBE_H

#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <tapir_kernel_features.h>

/* The kretprobe an instance is of. Since 5.11 (d741bf41d7c7) an instance outlives its kretprobe and so has no pointer to it. */
static inline struct kretprobe *tapir_kretprobe_of(struct kretprobe_instance *instance)
{
#if TAPIR_HAVE_GET_KRETPROBE
	return get_kretprobe(instance);
#else
	return instance->rp;
#endif
}

/*
 * Makes the registers of a return show where it goes. Before 5.15 (03bac0df2886 and its follow-ups) they were in the trampoline,
 * from which no unwinder can start.
 */
static __always_inline void tapir_kretprobe_leave_trampoline(const struct kretprobe_instance *instance, struct pt_regs *regs)
{
#if !TAPIR_HAVE_KRETPROBE_FIND_RET_ADDR
	instruction_pointer_set(regs, (unsigned long)instance->ret_addr);
#endif
}

#endif
