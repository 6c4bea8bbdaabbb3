/* SPDX-License-Identifier: GPL-2.0-or-later */
/* AArch64 for the kernel side; this_arch.h explains each item. It is compiled (testsuite/matrix/compile-arm64.sh), and was not run.
 */
#ifndef TAPIR_ARCH_AARCH64_H
#define TAPIR_ARCH_AARCH64_H

#include <asm/compat.h>
#include <asm/sysreg.h>

/* AArch64 does not show whether there is a hypervisor, so this assumes one. */
static inline bool tapir_owns_processor(void)
{
	return false;
}

/* get_cycles() reads the architecture's timer. */
static inline bool tapir_cycles_are_time(void)
{
	return true;
}

/* ---- registers ---- */

#define TAPIR_REG_PAIR(number, partial)                                                                                            \
	{"x" #number, offsetof(struct pt_regs, regs[number]), 8, partial},                                                         \
	{                                                                                                                          \
		"w" #number, offsetof(struct pt_regs, regs[number]), 4, partial                                                    \
	}
static const struct tapir_register tapir_register_names[] = {
    TAPIR_REG_PAIR(0, 1),
    TAPIR_REG_PAIR(1, 1),
    TAPIR_REG_PAIR(2, 1),
    TAPIR_REG_PAIR(3, 1),
    TAPIR_REG_PAIR(4, 1),
    TAPIR_REG_PAIR(5, 1),
    TAPIR_REG_PAIR(6, 1),
    TAPIR_REG_PAIR(7, 1),
    TAPIR_REG_PAIR(8, 1),
    TAPIR_REG_PAIR(9, 0),
    TAPIR_REG_PAIR(10, 0),
    TAPIR_REG_PAIR(11, 0),
    TAPIR_REG_PAIR(12, 0),
    TAPIR_REG_PAIR(13, 0),
    TAPIR_REG_PAIR(14, 0),
    TAPIR_REG_PAIR(15, 0),
    TAPIR_REG_PAIR(16, 0),
    TAPIR_REG_PAIR(17, 0),
    TAPIR_REG_PAIR(18, 0),
    TAPIR_REG_PAIR(19, 0),
    TAPIR_REG_PAIR(20, 0),
    TAPIR_REG_PAIR(21, 0),
    TAPIR_REG_PAIR(22, 0),
    TAPIR_REG_PAIR(23, 0),
    TAPIR_REG_PAIR(24, 0),
    TAPIR_REG_PAIR(25, 0),
    TAPIR_REG_PAIR(26, 0),
    TAPIR_REG_PAIR(27, 0),
    TAPIR_REG_PAIR(28, 0),
    TAPIR_REG_PAIR(29, 1),
    TAPIR_REG_PAIR(30, 1),
    {"fp", offsetof(struct pt_regs, regs[29]), 8, 1},
    {"lr", offsetof(struct pt_regs, regs[30]), 8, 1},
    {"sp", offsetof(struct pt_regs, sp), 8, 1},
    {"pc", offsetof(struct pt_regs, pc), 8, 1},
    {"pstate", offsetof(struct pt_regs, pstate), 8, 0},
    {"orig_x0", offsetof(struct pt_regs, orig_x0), 8, 0},
};
#undef TAPIR_REG_PAIR

/* x0 to x8, x29, x30, sp, pc */
#define TAPIR_PARTIAL_REGISTERS 0x1e00001ffull

/* x0 to x7; x0 */
#define TAPIR_REGISTER_ARGUMENTS 8
static const u8 tapir_argument_registers[] = {0, 1, 2, 3, 4, 5, 6, 7};
#define TAPIR_RETURN_REGISTER 0

/* The return address is in x30. */
#define TAPIR_CALL_PUSHES 0

/* Is the system call that the current task is in one of 32 bits? */
static inline bool tapir_syscall_is_32bit(void)
{
	return in_compat_syscall();
}

/* Argument `n` of a system call that is not of 32 bits. x0 will be the result's. */
static __always_inline u64 tapir_syscall_wide_argument(struct pt_regs *regs, u32 n)
{
	return n ? regs->regs[n] : regs->orig_x0;
}

/* ---- entries of functions ---- */

/* BTI C: there in kernels with CONFIG_ARM64_BTI_KERNEL, and asked of the instruction. */
#define TAPIR_LANDING_BYTES 4
static inline bool tapir_is_landing(u32 instruction)
{
	return instruction == 0xd503245fu;
}
/* The first of the two instructions that the compiler leaves room for saves x30; the site is the second. */
#if defined(CONFIG_DYNAMIC_FTRACE_WITH_REGS) || defined(CONFIG_DYNAMIC_FTRACE_WITH_ARGS)
#define TAPIR_SITE_BYTES 4
#else
#define TAPIR_SITE_BYTES 0
#endif
#define TAPIR_KPROBES_SKIP_LANDING 0

/* ftrace's site is a NOP, or BL once somebody traces it. */
static inline bool tapir_may_have_site(unsigned long site)
{
	u32 instruction;

	if (copy_from_kernel_nofault(&instruction, (void *)site, sizeof(instruction)))
		return false;
	return instruction == 0xd503201fu || (instruction & 0xfc000000u) == 0x94000000u;
}

#define TAPIR_FTRACE_REGS_ARE_PT_REGS 0

/* ---- addresses ---- */

/* Every other number faults as an address that is not mapped does. */
static inline bool tapir_is_kernel_range(u64 first, u64 last)
{
	return first >= TASK_SIZE_MAX && first <= last;
}

/* ---- user mode ---- */

static inline bool tapir_user_is_64bit(struct pt_regs *regs)
{
	return !compat_user_mode(regs);
}

/* At the first instruction of a function. */
static inline unsigned long tapir_caller_stack_at_entry(struct pt_regs *regs)
{
	return user_stack_pointer(regs);
}

/* Without the signature of a pointer that is yet to be authenticated, by the return itself. */
static inline bool tapir_return_address(const struct pt_regs *regs, unsigned long *address)
{
	*address = regs->regs[30] & (TASK_SIZE_MAX - 1);
	return true;
}

static inline void tapir_user_jump(struct pt_regs *regs, unsigned long ip, unsigned long sp)
{
	regs->pc = ip;
	regs->sp = sp;
}

/* None of the instructions does. */
#define TAPIR_RETURN_BYTES 4
static inline u32 tapir_return_pops(const u8 *instruction)
{
	return 0;
}

static inline unsigned long tapir_goroutine(const struct pt_regs *regs)
{
	return regs->regs[28];
}

/* TPIDR_EL0 */
#define TAPIR_THREAD_POINTER 36u

static inline bool tapir_vector_register(u32 number, u64 *value)
{
	return false;
}

/* The thread pointer of the current task. */
static inline u64 tapir_thread_pointer(void)
{
	return read_sysreg(tpidr_el0);
}

/* The thread pointer of a task that does not run. */
static inline u64 tapir_saved_thread_pointer(const struct task_struct *task)
{
	return task->thread.uw.tp_value;
}

/* ---- stacks of programs ---- */

#define TAPIR_STACK_REGISTER	  31
#define TAPIR_FRAME_REGISTER	  29
#define TAPIR_THIS_UNWIND_MACHINE TAPIR_UNWIND_AARCH64

/* False: user mode is not of 64 bits. */
static inline bool tapir_user_frame(const struct pt_regs *regs, struct tapir_unwind_frame *f)
{
	u32 i;

	if (compat_user_mode(regs))
		return false;
	for (i = 0; i < TAPIR_SAVED_REGISTERS; i++)
		f->regs[i] = *(const u64 *)((const char *)regs + tapir_saved_offsets[i]);
	f->pc = regs->pc;
	return true;
}

#define TAPIR_UPROBE_BYTES UPROBE_XOL_SLOT_BYTES

/* The trampoline is a breakpoint, which pushes nothing. */
#define TAPIR_TRAMPOLINE_BYTES 64
#define TAPIR_TRAMPOLINE_WORDS 0

#endif
