/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The architecture that a module is compiled for, and the only place of kmod/ that knows registers
 * and instructions. compat/ has the differences between kernels of one architecture.
 * arch/arch.h is for user space.
 *
 * A new architecture needs ARCH.h and arch/c/ARCH_portable.h, and a line here and in portable.h and
 * unwind_machine.h of arch/c/. Below is what ARCH.h defines, by what works with it. Nothing in it may sleep
 * but tapir_return_address(), and all the rest may be called in an NMI.
 *
 * kprobes: functions and statements of the kernel
 *   TAPIR_LANDING_BYTES, tapir_is_landing()
 *	the instruction at a function's start that indirect calls must land on; 0 bytes if the architecture has none
 *   TAPIR_SITE_BYTES		from behind it to the address that ftrace reports
 *   TAPIR_KPROBES_SKIP_LANDING	the kernel moves a kprobe of a function behind that instruction
 *   tapir_may_have_site()	whether the instructions at a place may be a site of ftrace
 *   TAPIR_FTRACE_REGS_ARE_PT_REGS	struct ftrace_regs begins like struct pt_regs
 *   tapir_is_kernel_range()	whether all addresses from the first to the last are the kernel's, and an access to them
 *				can end in no fault but that of an address that is not mapped
 *   tapir_register_names[]	names for register() and u_register()
 *   TAPIR_PARTIAL_REGISTERS	by DWARF number, those that are valid where only arguments are saved
 *
 * $vars: variables by DWARF locations
 *   TAPIR_SAVED_LIST		in arch/c/ARCH_portable.h; checked here against struct pt_regs
 *   TAPIR_THREAD_POINTER, tapir_thread_pointer()
 *	DWARF number of the register that thread-local variables are found by, and its value
 *   tapir_vector_register()	the low 64 bits of a vector register of the program that a breakpoint has stopped, by DWARF
 *				number; false: none, or it cannot be read
 *   TAPIR_REGISTER_ARGUMENTS, tapir_argument_registers[]
 *	the registers of integer arguments
 *   tapir_syscall_is_32bit(), tapir_syscall_wide_argument()
 *	system calls
 *   tapir_owns_processor()	whether it sees no hypervisor that could give its time to others
 *   tapir_cycles_are_time()	whether get_cycles() counts at one rate, on all processors alike, and reads no more than a register
 *   tapir_user_is_64bit()	whether user mode has the calling convention of 64 bits
 *
 * returns
 *   TAPIR_RETURN_REGISTER	the register of an integer result
 *   TAPIR_CALL_PUSHES		bytes that a 64-bit call puts onto the stack
 *   tapir_caller_stack_at_entry()	the caller's stack pointer once the function has returned
 *   tapir_return_address()	of a program, at a return instruction; false: it cannot be read. May sleep
 *   tapir_user_jump()		sets the program counter and the stack pointer
 *   TAPIR_RETURN_BYTES, tapir_return_pops()
 *	the bytes of arguments that a return instruction of so many bytes takes from the stack
 *   tapir_goroutine()		the goroutine, in a function of Go that has it in a register
 *
 * marks: nothing more
 *
 * stacks of programs; the kernel's own unwinder walks those of the kernel (compat/unwind.h)
 *   TAPIR_STACK_REGISTER, TAPIR_FRAME_REGISTER
 *	by DWARF number
 *   TAPIR_THIS_UNWIND_MACHINE	the machine of unwind tables
 *   tapir_user_frame()		the frame in which user mode was left
 *   TAPIR_UPROBE_BYTES		how long the copy of a probed instruction can be
 *   TAPIR_TRAMPOLINE_BYTES, TAPIR_TRAMPOLINE_WORDS
 *	where the return trampoline of uprobes calls the kernel, and words it has pushed by then
 *
 * guests: nothing
 */
#ifndef TAPIR_THIS_ARCH_H
#define TAPIR_THIS_ARCH_H

#include <linux/bits.h>
#include <linux/compat.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>
#include <asm/syscall.h>
#include <asm/unistd.h>
#include <tapir/registers.h>
#include <tapir/unwind.h>

struct tapir_register {
	const char *name;
	u16 offset; /* in struct pt_regs */
	u8 bytes;   /* 1, 2, 4 or 8: the low ones of eight */
	u8 partial; /* also valid where only a function's arguments are saved */
};

#if defined(CONFIG_X86_64)
#include "x86_64.h"
#elif defined(CONFIG_ARM64)
#include "aarch64.h"
#else
#error "No description of this architecture: kmod/arch/this_arch.h says what one has"
#endif

#define TAPIR_CHECK_SAVED(number, offset, member) static_assert(offsetof(struct pt_regs, member) == (offset));
TAPIR_SAVED_LIST(TAPIR_CHECK_SAVED)
#undef TAPIR_CHECK_SAVED
static_assert(ARRAY_SIZE(tapir_saved_offsets) == TAPIR_SAVED_REGISTERS);
static_assert(ARRAY_SIZE(tapir_argument_registers) == TAPIR_REGISTER_ARGUMENTS);

/* ---- registers ---- */

static inline const struct tapir_register *tapir_register_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tapir_register_names); i++)
		if (!strcmp(tapir_register_names[i].name, name))
			return &tapir_register_names[i];
	return NULL;
}

static inline u64 tapir_register_read(const struct tapir_register *reg, const struct pt_regs *regs)
{
	return *(const u64 *)((const char *)regs + reg->offset) & ~0ull >> (64 - 8 * reg->bytes);
}

/* Returns where a register is saved, by its DWARF number, or NULL. */
static inline u64 *tapir_saved_register(struct pt_regs *regs, u32 number)
{
	return number < TAPIR_SAVED_REGISTERS ? (u64 *)((char *)regs + tapir_saved_offsets[number]) : NULL;
}

/* Argument n, 0 .. TAPIR_REGISTER_ARGUMENTS - 1, at a function's entry. */
static inline u64 tapir_register_argument(struct pt_regs *regs, unsigned int n)
{
#ifdef CONFIG_HAVE_FUNCTION_ARG_ACCESS_API
	return regs_get_kernel_argument(regs, n);
#else
	return 0;
#endif
}

/* The number that a system call has in the table of its ABI. */
static inline unsigned long tapir_syscall_plain_number(unsigned long number, bool narrow)
{
#ifdef __X32_SYSCALL_BIT
	/* x32 programs use the numbers of 64-bit ones. */
	if (!narrow && (long)number > 0)
		number &= ~(unsigned long)__X32_SYSCALL_BIT;
#endif
	return number;
}

/* Returns the stack pointer at function entry, given the CFA of a 64-bit call. */
static inline unsigned long tapir_stack_at_entry(u64 cfa)
{
	return cfa - TAPIR_CALL_PUSHES;
}

/* ---- where in a function its tracing site is ---- */

static inline bool tapir_has_landing(unsigned long address)
{
	u32 instruction;

	return TAPIR_LANDING_BYTES && !copy_from_kernel_nofault(&instruction, (void *)address, sizeof(instruction)) &&
	       tapir_is_landing(instruction);
}

/* The address ftrace reports for a hit of the function at `function`. */
static inline unsigned long tapir_entry_site(unsigned long function)
{
	return function + (tapir_has_landing(function) ? TAPIR_LANDING_BYTES : 0) + TAPIR_SITE_BYTES;
}

/* The function whose entry kprobes call `address`. */
static inline unsigned long tapir_entry_function(unsigned long address)
{
	return TAPIR_KPROBES_SKIP_LANDING && tapir_has_landing(address - TAPIR_LANDING_BYTES) ? address - TAPIR_LANDING_BYTES
											      : address;
}

#endif
