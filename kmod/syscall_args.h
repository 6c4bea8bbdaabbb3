/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The system call that the current task is in, as the tracepoints sys_enter and sys_exit find it. */
#ifndef TAPIR_KMOD_SYSCALL_ARGS_H
#define TAPIR_KMOD_SYSCALL_ARGS_H

#include <linux/sched.h>
#include <asm/syscall.h>
#include <tapir/syscall.h>
#include "compat/regs.h"

/* Its arguments; those of a 32-bit program (`narrow`) zero-extended. */
static __always_inline void tapir_syscall_arguments(struct pt_regs *regs, bool narrow, u64 *args)
{
	unsigned long registers[TAPIR_SYSCALL_ARGUMENTS] = {0};
	u32 i;

	syscall_get_arguments(current, regs, registers);
	for (i = 0; i < TAPIR_SYSCALL_ARGUMENTS; i++)
		args[i] = narrow ? (u32)registers[i] : registers[i];
}

#endif
