/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The system call that the current task is in, as the tracepoints sys_enter and sys_exit find it. */
#ifndef TAPIR_KMOD_SYSCALL_ARGS_H
#define TAPIR_KMOD_SYSCALL_ARGS_H

#include <linux/sched.h>
#include <asm/syscall.h>
#include <tapir/syscall.h>
#include "arch/this_arch.h"

/* All arguments of a call that is not of a 32-bit program. */
static __always_inline void tapir_syscall_wide_arguments(struct pt_regs *regs, u64 *args)
{
	args[0] = tapir_syscall_wide_argument(regs, 0);
	args[1] = tapir_syscall_wide_argument(regs, 1);
	args[2] = tapir_syscall_wide_argument(regs, 2);
	args[3] = tapir_syscall_wide_argument(regs, 3);
	args[4] = tapir_syscall_wide_argument(regs, 4);
	args[5] = tapir_syscall_wide_argument(regs, 5);
}

/* Its arguments; those of a 32-bit program (`narrow`) zero-extended. */
static inline void tapir_syscall_arguments(struct pt_regs *regs, bool narrow, u64 *args)
{
	unsigned long registers[TAPIR_SYSCALL_ARGUMENTS] = {0};
	u32 i;

	syscall_get_arguments(current, regs, registers);
	for (i = 0; i < TAPIR_SYSCALL_ARGUMENTS; i++)
		args[i] = narrow ? (u32)registers[i] : registers[i];
}

#endif
