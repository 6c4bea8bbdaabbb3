/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the registers of a hit are saved: the layout of the kernel's struct pt_regs, by DWARF number (System V psABI, figure 3.36).
 */
#ifndef TAPIR_REGISTERS_H
#define TAPIR_REGISTERS_H

#include <tapir/types.h>

#ifdef __x86_64__
#define TAPIR_SAVED_REGISTERS 17 /* rax rdx rcx rbx rsi rdi rbp rsp r8 to r15 and the return address, rip */
static const u8 tapir_saved_offsets[TAPIR_SAVED_REGISTERS] = {80, 96, 88, 40, 104, 112, 32, 152, 72, 64, 56, 48, 24, 16, 8, 0, 128};
/* Those that a function's first arguments and its result are in, as bits: rax rdx rcx rsi rdi r8 r9. */
#define TAPIR_ARGUMENT_REGISTERS 0x337u
#else
#define TAPIR_SAVED_REGISTERS	 0
#define TAPIR_ARGUMENT_REGISTERS 0u
static const u8 tapir_saved_offsets[1];
#endif

/* A register that every hit of the probe's kind has; see union tapir_leaf. */
static inline s64 tapir_leaf_register(const void *registers, u32 number)
{
	return *(const s64 *)((const char *)registers + tapir_saved_offsets[number]);
}

#endif
