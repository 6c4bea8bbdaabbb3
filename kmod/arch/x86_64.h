/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86-64 for the kernel side; this_arch.h explains each item. It is the same for kernels from 5.10 to 7.2. */
#ifndef TAPIR_ARCH_X86_64_H
#define TAPIR_ARCH_X86_64_H

#include <linux/irqflags.h>
#include <asm/cpufeature.h>
#include <asm/fpu/types.h>
#include <asm/fsgsbase.h>
#include <asm/tsc.h>
#include <asm/vsyscall.h>
#include <tapir_kernel_features.h>

/* ---- registers ---- */

#define TAPIR_REG_FAMILY(member, r64, r32, r16, partial)                                                                           \
	{r64, offsetof(struct pt_regs, member), 8, partial}, {r32, offsetof(struct pt_regs, member), 4, partial},                  \
	{                                                                                                                          \
		r16, offsetof(struct pt_regs, member), 2, partial                                                                  \
	}
static const struct tapir_register tapir_register_names[] = {
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
#undef TAPIR_REG_FAMILY

/* rax rdx rcx, rsi to r9, rip */
#define TAPIR_PARTIAL_REGISTERS 0x103f7ull

/* rdi rsi rdx rcx r8 r9; rax */
#define TAPIR_REGISTER_ARGUMENTS 6
static const u8 tapir_argument_registers[] = {5, 4, 1, 2, 8, 9};
#define TAPIR_RETURN_REGISTER 0

/* The return address. */
#define TAPIR_CALL_PUSHES sizeof(u64)

/* No hypervisor is known to take the processor away. */
static inline bool tapir_owns_processor(void)
{
	return !boot_cpu_has(X86_FEATURE_HYPERVISOR);
}

/* The kernel does not doubt it. It may do so later, which makes times of a session wrong, and nothing else. */
static inline bool tapir_cycles_are_time(void)
{
	return boot_cpu_has(X86_FEATURE_TSC) && !check_tsc_unstable();
}

/* Is the system call that the current task is in one of 32 bits? */
static inline bool tapir_syscall_is_32bit(void)
{
	return in_ia32_syscall();
}

/* Argument `n` of a system call that is not of 32 bits, as it is entered. With a constant, no more than a load. */
static __always_inline u64 tapir_syscall_wide_argument(struct pt_regs *regs, u32 n)
{
	return n == 0 ? regs->di : n == 1 ? regs->si : n == 2 ? regs->dx : n == 3 ? regs->r10 : n == 4 ? regs->r8 : regs->r9;
}

/* ---- entries of functions ---- */

#ifdef CONFIG_X86_KERNEL_IBT
#define TAPIR_LANDING_BYTES 4
/* ENDBR64, or the kernel's replacement where it removed one at boot (5.18: nopw; 6.14: a longer-lived NOP of the same size). */
static inline bool tapir_is_landing(u32 instruction)
{
	return instruction == 0xfa1e0ff3u || instruction == 0x001f0f66u || instruction == 0xd6401f0fu;
}
#else
#define TAPIR_LANDING_BYTES 0
static inline bool tapir_is_landing(u32 instruction)
{
	return false;
}
#endif
#define TAPIR_SITE_BYTES	   0
#define TAPIR_KPROBES_SKIP_LANDING 1

/*
 * ftrace's site is the five-byte NOP that the kernel puts there, or a call once somebody traces it, or a breakpoint while it is
 * changed. Before 5.13 (a89dfde3dc3c) the NOP was 66 66 66 66 90 on processors thought to be better off with that one.
 */
static inline bool tapir_may_have_site(unsigned long site)
{
	u8 bytes[5];

	if (copy_from_kernel_nofault(bytes, (void *)site, sizeof(bytes)))
		return false;
	return bytes[0] == 0xe8 || bytes[0] == 0xcc || !memcmp(bytes, "\x0f\x1f\x44\x00\x00", 5) ||
	       !memcmp(bytes, "\x66\x66\x66\x66\x90", 5);
}

#define TAPIR_FTRACE_REGS_ARE_PT_REGS 1

/* ---- addresses ---- */

/*
 * A non-canonical address raises a general protection fault. The kernel warns of that fault even where it expects one. Which
 * addresses are canonical depends on the levels of page tables in use; the kernel's own check before a read goes by what the
 * processor could do. No code of the kernel expects a fault in the vsyscall page, which belongs to the program.
 */
static inline bool tapir_is_kernel_range(u64 first, u64 last)
{
	return first >= ~0ull << __VIRTUAL_MASK_SHIFT && first <= last &&
	       (last < VSYSCALL_ADDR || first >= VSYSCALL_ADDR + PAGE_SIZE);
}

/* ---- user mode ---- */

static inline bool tapir_user_is_64bit(struct pt_regs *regs)
{
	return user_64bit_mode(regs);
}

/* At the first instruction of a function; the return address lies below the caller's stack. */
static inline unsigned long tapir_caller_stack_at_entry(struct pt_regs *regs)
{
	return user_stack_pointer(regs) + (user_64bit_mode(regs) ? sizeof(u64) : sizeof(u32));
}

/* Where the return instruction goes that is about to be run. */
static inline bool tapir_return_address(const struct pt_regs *regs, unsigned long *address)
{
	*address = 0;
	return !copy_from_user(address, (const void __user *)regs->sp,
			       user_64bit_mode((struct pt_regs *)regs) ? sizeof(u64) : sizeof(u32));
}

static inline void tapir_user_jump(struct pt_regs *regs, unsigned long ip, unsigned long sp)
{
	regs->ip = ip;
	regs->sp = sp;
}

/* c2 iw, perhaps behind "bnd" or "rep" */
#define TAPIR_RETURN_BYTES 4
static inline u32 tapir_return_pops(const u8 *instruction)
{
	if (*instruction == 0xf2 || *instruction == 0xf3)
		instruction++;
	return *instruction == 0xc2 ? instruction[1] | instruction[2] << 8 : 0;
}

static inline unsigned long tapir_goroutine(const struct pt_regs *regs)
{
	return regs->r14;
}

/* fs_base */
#define TAPIR_THREAD_POINTER 58u

/* The thread pointer of the current task. */
static inline u64 tapir_thread_pointer(void)
{
	return x86_fsbase_read_cpu();
}

/* The thread pointer of a task that does not run. */
static inline u64 tapir_saved_thread_pointer(const struct task_struct *task)
{
	return task->thread.fsbase;
}

/* ---- vector registers ---- */

/*
 * The saved vector registers of the current task while other code uses the registers. 5.16 (87d0e5be0fac) put a pointer between.
 * 6.16 (cb7ca40a3882) moved the state from struct thread_struct to behind struct task_struct. Its accessor x86_task_fpu() is a
 * macro, but with CONFIG_X86_DEBUG_FPU a function that is not exported.
 */
#if TAPIR_HAVE_TASK_FPU
#define TAPIR_SAVED_VECTORS (&((struct fpu *)(current + 1))->fpstate->regs)
#elif TAPIR_HAVE_THREAD_FPSTATE
#define TAPIR_SAVED_VECTORS (&current->thread.fpu.fpstate->regs)
#elif TAPIR_HAVE_THREAD_FPU_STATE
#define TAPIR_SAVED_VECTORS (&current->thread.fpu.state)
#endif

#define TAPIR_FIRST_VECTOR 17u /* xmm0 to xmm15 */
#define TAPIR_VECTORS	   16u

#ifdef TAPIR_SAVED_VECTORS
/* Reads a saved register. XSAVE does not write a component that is in its initial state. */
static inline u64 tapir_saved_vector(u32 n)
{
	const union fpregs_state *saved = TAPIR_SAVED_VECTORS;
	u64 value = 0;

	if (!boot_cpu_has(X86_FEATURE_XSAVE) || saved->xsave.header.xfeatures & XFEATURE_MASK_SSE)
		memcpy(&value, (const char *)saved->fxsave.xmm_space + 16 * n, sizeof(value));
	return value;
}

/* Reads a live register. */
static inline u64 tapir_live_vector(u32 n)
{
	u64 value = 0;

#define TAPIR_LIVE_VECTOR(n)                                                                                                       \
	case n:                                                                                                                    \
		asm volatile("movq %%xmm" #n ", %0" : "=r"(value));                                                                \
		break;
	switch (n) {
		TAPIR_LIVE_VECTOR(0)
		TAPIR_LIVE_VECTOR(1)
		TAPIR_LIVE_VECTOR(2)
		TAPIR_LIVE_VECTOR(3)
		TAPIR_LIVE_VECTOR(4)
		TAPIR_LIVE_VECTOR(5)
		TAPIR_LIVE_VECTOR(6)
		TAPIR_LIVE_VECTOR(7)
		TAPIR_LIVE_VECTOR(8)
		TAPIR_LIVE_VECTOR(9)
		TAPIR_LIVE_VECTOR(10)
		TAPIR_LIVE_VECTOR(11)
		TAPIR_LIVE_VECTOR(12)
		TAPIR_LIVE_VECTOR(13)
		TAPIR_LIVE_VECTOR(14)
		TAPIR_LIVE_VECTOR(15)
	}
#undef TAPIR_LIVE_VECTOR
	return value;
}
#endif

/*
 * The kernel handles a breakpoint with the program's values in the registers, until it switches to another task or a softirq uses
 * them: they are saved then, and a flag of the task says so. With interrupts off neither happens between the two looks.
 */
static inline bool tapir_vector_register(u32 number, u64 *value)
{
#ifdef TAPIR_SAVED_VECTORS
	u32 n = number - TAPIR_FIRST_VECTOR;
	unsigned long flags;

	if (n >= TAPIR_VECTORS)
		return false;
	local_irq_save(flags);
	*value = test_thread_flag(TIF_NEED_FPU_LOAD) ? tapir_saved_vector(n) : tapir_live_vector(n);
	local_irq_restore(flags);
	return true;
#else
	return false;
#endif
}

/* ---- stacks of programs ---- */

#define TAPIR_STACK_REGISTER	  7
#define TAPIR_FRAME_REGISTER	  6
#define TAPIR_THIS_UNWIND_MACHINE TAPIR_UNWIND_X86_64

/* False: user mode is not of 64 bits. */
static inline bool tapir_user_frame(const struct pt_regs *regs, struct tapir_unwind_frame *f)
{
	if (!user_64bit_mode((struct pt_regs *)regs))
		return false;
	/* As tapir_saved_offsets says; each hit whose stack is asked for does this. */
	f->regs[0] = regs->ax;
	f->regs[1] = regs->dx;
	f->regs[2] = regs->cx;
	f->regs[3] = regs->bx;
	f->regs[4] = regs->si;
	f->regs[5] = regs->di;
	f->regs[6] = regs->bp;
	f->regs[7] = regs->sp;
	f->regs[8] = regs->r8;
	f->regs[9] = regs->r9;
	f->regs[10] = regs->r10;
	f->regs[11] = regs->r11;
	f->regs[12] = regs->r12;
	f->regs[13] = regs->r13;
	f->regs[14] = regs->r14;
	f->regs[15] = regs->r15;
	f->regs[16] = regs->ip;
	f->pc = regs->ip;
	return true;
}

#define TAPIR_UPROBE_BYTES MAX_UINSN_BYTES

/* Since 6.11 (ff474a78cef5) the trampoline pushes rax, rcx and r11, and makes a system call. */
#define TAPIR_TRAMPOLINE_BYTES 64
#define TAPIR_TRAMPOLINE_WORDS 3

#endif
