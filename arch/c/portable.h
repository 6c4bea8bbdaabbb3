/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts about the architecture for the portable runtime, in the kernel and in a process. Includes no kernel header. Each
 * ARCH_portable.h defines
 *
 *	TAPIR_SAVED_LIST(X)		X(number, offset, member) for each register that a hit saves, by DWARF number from 0 on:
 *					its offset in the kernel's struct pt_regs, and its name there
 *	TAPIR_SAVED_REGISTERS		how many these are
 *	tapir_saved_offset		a type that holds the offsets
 *	TAPIR_ARGUMENT_REGISTERS	those of a function's first arguments and of its result, as bits; below 32
 *	tapir_percpu_add(), tapir_percpu_fetch_add(), tapir_percpu_cmpxchg()
 *					change a word that only this CPU writes
 *
 * Other architectures have no known registers, and change words by the compiler's atomics.
 */
#ifndef TAPIR_ARCH_PORTABLE_H
#define TAPIR_ARCH_PORTABLE_H

#include <tapir/types.h>

#if defined(__x86_64__)
#include "x86_64_portable.h"
#elif defined(__aarch64__)
#include "aarch64_portable.h"
#else
#define TAPIR_SAVED_LIST(X)	 X(0, 0, none)
#define TAPIR_SAVED_REGISTERS	 0
#define TAPIR_ARGUMENT_REGISTERS 0u
typedef u8 tapir_saved_offset;
#define TAPIR_ATOMIC_WORDS	 1
#endif

#ifdef TAPIR_ATOMIC_WORDS
static inline void tapir_percpu_add(u64 *word, u64 n)
{
	(void)__atomic_fetch_add(word, n, __ATOMIC_RELAXED);
}

static inline u64 tapir_percpu_fetch_add(u64 *word, u64 n)
{
	return __atomic_fetch_add(word, n, __ATOMIC_RELAXED);
}

/* As __atomic_compare_exchange_n(): on false, *expected has the word's value. */
static inline bool tapir_percpu_cmpxchg(u64 *word, u64 *expected, u64 n)
{
	return __atomic_compare_exchange_n(word, expected, n, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
#endif

#define TAPIR_SAVED_OFFSET(number, offset, member) offset,
static const tapir_saved_offset tapir_saved_offsets[] = {TAPIR_SAVED_LIST(TAPIR_SAVED_OFFSET)};
#undef TAPIR_SAVED_OFFSET

#endif
