/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * <asm/unwind.h> and <linux/stacktrace.h>: the kernel's own unwinder. x86 has exported it in all kernels from 5.10 to 7.2, other
 * machines have none of this form.
 */
#ifndef TAPIR_COMPAT_KERNEL_STACK_H
#define TAPIR_COMPAT_KERNEL_STACK_H

#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/stacktrace.h>
#include <tapir_kernel_features.h>
#if TAPIR_HAVE_UNWIND
#include <asm/unwind.h>
#endif

/*
 * Return addresses from `regs` outwards, of kernel code only; the first is the place of the registers themselves. `regs` NULL: from
 * here outwards. Any context. How many.
 */
static __always_inline unsigned int tapir_unwind_kernel(struct pt_regs *regs, unsigned long *addresses, unsigned int max)
{
#if TAPIR_HAVE_UNWIND
	struct unwind_state state;
	unsigned int count = 0;

	if (regs) {
		/* The unwinder begins with the caller. */
		addresses[count++] = instruction_pointer(regs);
		unwind_start(&state, current, regs, NULL);
		for (; !unwind_done(&state) && count < max; unwind_next_frame(&state)) {
			unsigned long address = unwind_get_return_address(&state);

			if (!address)
				break;
			addresses[count++] = address;
		}
		return count;
	}
#endif
	return stack_trace_save(addresses, max, 0);
}

#endif
