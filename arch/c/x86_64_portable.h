/* SPDX-License-Identifier: GPL-2.0-or-later */
/* x86-64 for the portable runtime; see portable.h. */
#ifndef TAPIR_ARCH_X86_64_PORTABLE_H
#define TAPIR_ARCH_X86_64_PORTABLE_H

#include <tapir/types.h>

/* System V psABI, figure 3.36. The last is the return address column: the program counter. */
#define TAPIR_SAVED_LIST(X)                                                                                                        \
	X(0, 80, ax)                                                                                                               \
	X(1, 96, dx)                                                                                                               \
	X(2, 88, cx)                                                                                                               \
	X(3, 40, bx)                                                                                                               \
	X(4, 104, si)                                                                                                              \
	X(5, 112, di)                                                                                                              \
	X(6, 32, bp)                                                                                                               \
	X(7, 152, sp)                                                                                                              \
	X(8, 72, r8)                                                                                                               \
	X(9, 64, r9)                                                                                                               \
	X(10, 56, r10)                                                                                                             \
	X(11, 48, r11)                                                                                                             \
	X(12, 24, r12)                                                                                                             \
	X(13, 16, r13)                                                                                                             \
	X(14, 8, r14)                                                                                                              \
	X(15, 0, r15)                                                                                                              \
	X(16, 128, ip)
#define TAPIR_SAVED_REGISTERS 17
/* For embedded C that was written for SystemTap: members of struct pt_regs are called ax, not rax. */
#define STAPCONF_X86_UNIREGS 1
typedef u8 tapir_saved_offset;

/* rax rdx rcx rsi rdi r8 r9 */
#define TAPIR_ARGUMENT_REGISTERS 0x337u

#ifdef __bpf__
/* BPF changes words in memory by atomic instructions only. */
#define TAPIR_ATOMIC_WORDS 1
#else
/* One instruction each. No other CPU writes the word, so they need no lock prefix. */
static inline void tapir_percpu_add(u64 *word, u64 n)
{
	__asm__ __volatile__("addq %1, %0" : "+m"(*word) : "er"(n) : "cc");
}

/* Returns what the word was. */
static inline u64 tapir_percpu_fetch_add(u64 *word, u64 n)
{
	__asm__ __volatile__("xaddq %0, %1" : "+r"(n), "+m"(*word) : : "cc", "memory");
	return n;
}

static inline bool tapir_percpu_cmpxchg(u64 *word, u64 *expected, u64 n)
{
	u64 old = *expected;

	__asm__ __volatile__("cmpxchgq %2, %1" : "+a"(old), "+m"(*word) : "r"(n) : "cc");
	if (old == *expected)
		return true;
	*expected = old;
	return false;
}
#endif

#endif
