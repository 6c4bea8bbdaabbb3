/* SPDX-License-Identifier: GPL-2.0-or-later */
/* <asm/ptrace.h>: registers by name. What differs is the machine; from 5.10 to 7.2 the kernel has not changed. */
#ifndef TAPIR_COMPAT_REGS_H
#define TAPIR_COMPAT_REGS_H

#ifdef CONFIG_X86_64
#include <asm/fsgsbase.h>
#endif
#ifdef CONFIG_ARM64
#include <asm/sysreg.h>
#endif
#include <linux/compat.h>
#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <tapir/registers.h>
#include <asm/unistd.h>

struct tapir_register {
	const char *name;
	u16 offset; /* in struct pt_regs */
	u8 bytes;   /* 1, 2, 4 or 8 */
	u8 partial; /* also valid where only a function's arguments are saved */
};

#ifdef CONFIG_X86_64
#define TAPIR_REG_FAMILY(member, r64, r32, r16, partial)                                                                           \
	{r64, offsetof(struct pt_regs, member), 8, partial}, {r32, offsetof(struct pt_regs, member), 4, partial},                  \
	{                                                                                                                          \
		r16, offsetof(struct pt_regs, member), 2, partial                                                                  \
	}
static const struct tapir_register tapir_registers[] = {
    TAPIR_REG_FAMILY(ax, "rax", "eax", "ax", 1),
    TAPIR_REG_FAMILY(bx, "rbx", "ebx", "bx", 0),
    TAPIR_REG_FAMILY(cx, "rcx", "ecx", "cx", 1),
    TAPIR_REG_FAMILY(dx, "rdx", "edx", "dx", 1),
    TAPIR_REG_FAMILY(si, "rsi", "esi", "si", 1),
    TAPIR_REG_FAMILY(di, "rdi", "edi", "di", 1),
    TAPIR_REG_FAMILY(bp, "rbp", "ebp", "bp", 1),
    TAPIR_REG_FAMILY(sp, "rsp", "esp", "sp", 1),
    TAPIR_REG_FAMILY(r8, "r8", "r8d", "r8w", 1),
    TAPIR_REG_FAMILY(r9, "r9", "r9d", "r9w", 1),
    TAPIR_REG_FAMILY(r10, "r10", "r10d", "r10w", 0),
    TAPIR_REG_FAMILY(r11, "r11", "r11d", "r11w", 0),
    TAPIR_REG_FAMILY(r12, "r12", "r12d", "r12w", 0),
    TAPIR_REG_FAMILY(r13, "r13", "r13d", "r13w", 0),
    TAPIR_REG_FAMILY(r14, "r14", "r14d", "r14w", 0),
    TAPIR_REG_FAMILY(r15, "r15", "r15d", "r15w", 0),
    TAPIR_REG_FAMILY(ip, "rip", "eip", "ip", 1),
    TAPIR_REG_FAMILY(flags, "flags", "eflags", "rflags", 0),
    TAPIR_REG_FAMILY(orig_ax, "orig_ax", "orig_eax", "orig_rax", 0),
    {"cs", offsetof(struct pt_regs, cs), 8, 0},
    {"ss", offsetof(struct pt_regs, ss), 8, 0},
};
#define TAPIR_REGISTERS ARRAY_SIZE(tapir_registers)
#else
static const struct tapir_register tapir_registers[1];
#define TAPIR_REGISTERS 0
#endif

static inline const struct tapir_register *tapir_register_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < TAPIR_REGISTERS; i++)
		if (!strcmp(tapir_registers[i].name, name))
			return &tapir_registers[i];
	return NULL;
}

/* By DWARF number (System V psABI for x86-64, figure 3.36; AAPCS64, DWARF registers). */
struct tapir_dwarf_register {
	u16 offset;
	u8 partial; /* as above */
};
#ifdef CONFIG_X86_64
#define TAPIR_DWARF_REGISTER(member, partial)                                                                                      \
	{                                                                                                                          \
		offsetof(struct pt_regs, member), partial                                                                          \
	}
static const struct tapir_dwarf_register tapir_dwarf_registers[] = {
    TAPIR_DWARF_REGISTER(ax, 1),  TAPIR_DWARF_REGISTER(dx, 1),	TAPIR_DWARF_REGISTER(cx, 1),  TAPIR_DWARF_REGISTER(bx, 0),
    TAPIR_DWARF_REGISTER(si, 1),  TAPIR_DWARF_REGISTER(di, 1),	TAPIR_DWARF_REGISTER(bp, 1),  TAPIR_DWARF_REGISTER(sp, 1),
    TAPIR_DWARF_REGISTER(r8, 1),  TAPIR_DWARF_REGISTER(r9, 1),	TAPIR_DWARF_REGISTER(r10, 0), TAPIR_DWARF_REGISTER(r11, 0),
    TAPIR_DWARF_REGISTER(r12, 0), TAPIR_DWARF_REGISTER(r13, 0), TAPIR_DWARF_REGISTER(r14, 0), TAPIR_DWARF_REGISTER(r15, 0),
    TAPIR_DWARF_REGISTER(ip, 1),
};
#define TAPIR_DWARF_REGISTERS ARRAY_SIZE(tapir_dwarf_registers)
static_assert(TAPIR_DWARF_REGISTERS == TAPIR_SAVED_REGISTERS);
#else
static const struct tapir_dwarf_register tapir_dwarf_registers[1];
#define TAPIR_DWARF_REGISTERS 0
#endif

static inline u64 tapir_register_read(const struct tapir_register *reg, const struct pt_regs *regs)
{
	u64 value = 0;

	memcpy(&value, (const char *)regs + reg->offset, reg->bytes); /* little-endian, as the only table above */
	return value;
}

/* DWARF's numbers of the registers of integer arguments and of an integer result. */
#ifdef CONFIG_X86_64
static const u8 tapir_argument_registers[] = {5, 4, 1, 2, 8, 9};
#define TAPIR_ARGUMENT_REGISTER_COUNT ARRAY_SIZE(tapir_argument_registers)
#else
static const u8 tapir_argument_registers[1];
#define TAPIR_ARGUMENT_REGISTER_COUNT 0u
#endif
#define TAPIR_RETURN_REGISTER 0

/* How many integer arguments the calling convention passes in registers. */
#if defined(CONFIG_X86_64)
#define TAPIR_REGISTER_ARGUMENTS 6
#elif defined(CONFIG_ARM64)
#define TAPIR_REGISTER_ARGUMENTS 8
#else
#define TAPIR_REGISTER_ARGUMENTS 0
#endif

/* Argument n, 0 .. TAPIR_REGISTER_ARGUMENTS - 1, at a function's entry. */
static inline u64 tapir_register_argument(struct pt_regs *regs, unsigned int n)
{
#ifdef CONFIG_HAVE_FUNCTION_ARG_ACCESS_API
	return regs_get_kernel_argument(regs, n);
#else
	return 0;
#endif
}

/* Is the system call that the current task is in one of 32 bits? */
static inline bool tapir_syscall_is_32bit(void)
{
#ifdef CONFIG_X86
	return in_ia32_syscall();
#else
	return in_compat_syscall();
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

/* At the first instruction of a function: what its caller's stack pointer is when it has returned. */
static inline unsigned long tapir_caller_stack_at_entry(struct pt_regs *regs)
{
#ifdef CONFIG_X86
	/* Above the return address. */
	return user_stack_pointer(regs) + (user_64bit_mode(regs) ? sizeof(u64) : sizeof(u32));
#else
	return user_stack_pointer(regs);
#endif
}

/* Does the 64-bit calling convention hold in this user mode? */
static inline bool tapir_user_is_64bit(struct pt_regs *regs)
{
#ifdef CONFIG_X86_64
	return user_64bit_mode(regs);
#else
	return IS_ENABLED(CONFIG_64BIT);
#endif
}

/* DWARF's number of the register that thread-local variables of user mode are found by. */
#define TAPIR_THREAD_POINTER (IS_ENABLED(CONFIG_ARM64) ? 36u : 58u)

/* That of the current task. False: this machine's is not known. */
static inline bool tapir_thread_pointer(u64 *value)
{
#if defined(CONFIG_X86_64)
	*value = x86_fsbase_read_cpu();
	return true;
#elif defined(CONFIG_ARM64)
	*value = read_sysreg(tpidr_el0);
	return true;
#else
	return false;
#endif
}

#endif
