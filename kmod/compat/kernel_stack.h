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

/* Where one step of the kernel's unwinder led to. */
struct tapir_unwound {
	unsigned long ip, sp, bp;
	unsigned long registers; /* address of those that an interrupt or a system call has saved; 0: a function was called */
};
enum tapir_step { TAPIR_STEP_CALLER, TAPIR_STEP_OUTERMOST, TAPIR_STEP_UNKNOWN };

#if TAPIR_HAVE_UNWIND_ORC
#include <linux/uaccess.h>
#include <asm/page_types.h>
#include <asm/switch_to.h>

/* All code of the kernel and its modules is within 2 GB above this. */
#define TAPIR_KERNEL_TEXT __START_KERNEL_map

/* The caller of the function whose frame this is: where it goes on, with which registers. True if they are known. */
#define tapir_unwind_caller_of(frame, ip, sp, bp)                                                                                  \
	({                                                                                                                         \
		const unsigned long *frame_ = (frame);                                                                             \
                                                                                                                                   \
		(bp) = frame_[0];                                                                                                  \
		(ip) = frame_[1];                                                                                                  \
		(sp) = (unsigned long)(frame_ + 2);                                                                                \
		true;                                                                                                              \
	})
/* The caller of the function that uses this. */
#define tapir_unwind_own_caller(ip, sp, bp) tapir_unwind_caller_of(__builtin_frame_address(0), ip, sp, bp)

/* Where a task that is on no processor goes on. Fault-safe; false: the task has no stack any more. */
static inline bool tapir_unwind_asleep(struct task_struct *task, unsigned long *ip, unsigned long *sp, unsigned long *bp)
{
	struct inactive_task_frame frame;
	unsigned long at;

	if (copy_from_kernel_nofault(&at, &task->thread.sp, sizeof(at)) ||
	    copy_from_kernel_nofault(&frame, (void *)at, sizeof(frame)))
		return false;
	*ip = frame.ret_addr;
	*bp = frame.bp;
	*sp = at + sizeof(frame);
	return true;
}

/* One step from code at `ip` with these registers; `sp` is on the current stack. Any context. */
static inline enum tapir_step tapir_unwind_once(unsigned long ip, unsigned long sp, unsigned long bp, struct tapir_unwound *to)
{
	struct pt_regs regs = {.ip = ip, .sp = sp, .bp = bp, .cs = __KERNEL_CS};
	struct unwind_state state;

	unwind_start(&state, current, &regs, NULL);
	if (unwind_done(&state))
		return unwind_error(&state) ? TAPIR_STEP_UNKNOWN : TAPIR_STEP_OUTERMOST;
	if (state.regs && !state.full_regs)
		return TAPIR_STEP_UNKNOWN;
	to->ip = state.ip;
	to->sp = state.sp;
	to->bp = state.bp;
	to->registers = (unsigned long)state.regs;
	return TAPIR_STEP_CALLER;
}
#else
#define TAPIR_KERNEL_TEXT			  0ul
#define tapir_unwind_caller_of(frame, ip, sp, bp) ((void)(frame), (ip) = (sp) = (bp) = 0, false)
#define tapir_unwind_own_caller(ip, sp, bp)	  tapir_unwind_caller_of(NULL, ip, sp, bp)

static inline bool tapir_unwind_asleep(struct task_struct *task, unsigned long *ip, unsigned long *sp, unsigned long *bp)
{
	return false;
}

static inline enum tapir_step tapir_unwind_once(unsigned long ip, unsigned long sp, unsigned long bp, struct tapir_unwound *to)
{
	return TAPIR_STEP_UNKNOWN;
}
#endif

#endif
