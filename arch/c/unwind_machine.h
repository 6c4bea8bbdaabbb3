/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts about the machines of unwind tables (tapir/unwind.h), for their makers and for the walk. Portable: the loader makes tables;
 * the module and tests walk over them. Every table is of a machine that is known here.
 */
#ifndef TAPIR_ARCH_UNWIND_MACHINE_H
#define TAPIR_ARCH_UNWIND_MACHINE_H

#include <tapir/types.h>

/* e_machine of ELF files */
enum tapir_unwind_machine { TAPIR_UNWIND_X86_64 = 62, TAPIR_UNWIND_AARCH64 = 183 };

static inline bool tapir_unwind_is_machine(u32 machine)
{
	return machine == TAPIR_UNWIND_X86_64 || machine == TAPIR_UNWIND_AARCH64;
}

/* The DWARF number whose rule gives the return address: rip's, x30. */
static inline u8 tapir_unwind_return_register(u32 machine)
{
	return machine == TAPIR_UNWIND_X86_64 ? 16 : 30;
}

/* The stack pointer. */
static inline u8 tapir_unwind_stack_register(u32 machine)
{
	return machine == TAPIR_UNWIND_X86_64 ? 7 : 31;
}

/* The one that may be counted from in its place. */
static inline u8 tapir_unwind_frame_register(u32 machine)
{
	return machine == TAPIR_UNWIND_X86_64 ? 6 : 29;
}

/* Is this the number of the program counter in the frame that is running? On AArch64 rules never speak of it. */
static inline bool tapir_unwind_is_pc(u32 machine, u32 number)
{
	return machine == TAPIR_UNWIND_X86_64 && number == 16;
}

/* Does a call put its return address onto the stack, so that a frame is never empty? */
static inline bool tapir_unwind_call_pushes(u32 machine)
{
	return machine == TAPIR_UNWIND_X86_64;
}

/* Do these 8 bytes of code, the lowest first, end with an instruction that calls? */
static inline bool tapir_unwind_after_call(u32 machine, u64 before)
{
	u32 length;

	if (machine == TAPIR_UNWIND_AARCH64) /* bl, blr and its forms that check signatures */
		return before >> 58 == 0x25 || (before >> 32 & 0xfefff000) == 0xd63f0000;
	if (machine != TAPIR_UNWIND_X86_64)
		return false;
	if ((before >> 24 & 255) == 0xe8) /* call rel32 */
		return true;
	/* call r/m64: ff /2, with ModRM and, by it, SIB and a displacement */
	for (length = 2; length <= 7; length++) {
		u64 bytes = before >> (64 - 8 * length);
		u32 modrm = bytes >> 8 & 255, mod = modrm >> 6, rm = modrm & 7, sib = rm == 4 && mod != 3;
		u32 displacement = mod == 1 ? 1 : mod == 2 || (mod == 0 && (rm == 5 || (sib && (bytes >> 16 & 7) == 5))) ? 4 : 0;

		if ((bytes & 255) == 0xff && (modrm >> 3 & 7) == 2 && 2 + sib + displacement == length)
			return true;
	}
	return false;
}

/* ---- code that no table describes; words are of its memory, the lowest byte first. Where calls push their return addresses. ----
 */

/* Returns the target of a direct call that ends at `address`; `before` has the 8 bytes before it. 0 if the call is indirect: only
 * registers or memory give its target. */
static inline u64 tapir_unwind_call_target(u32 machine, u64 before, u64 address)
{
	return machine == TAPIR_UNWIND_X86_64 && (before >> 24 & 255) == 0xe8 ? address + (u64)(s64)(s32)(before >> 32) : 0;
}

/* "push %rbp; mov %rsp, %rbp" in one of its two forms, at the beginning of these bytes */
static inline bool tapir_unwind_is_prologue(u64 bytes)
{
	return (bytes & 0xffffffff) == 0xe5894855 || (bytes & 0xffffffff) == 0xec8b4855;
}

/* Is there an instruction in a word, or across its boundary with the one before, with which a frame is made, and that ends within
 * the first `most` bytes of the word? */
static inline bool tapir_unwind_makes_frame(u32 machine, u64 last, u64 word, u64 most)
{
	s32 i;

	if (machine != TAPIR_UNWIND_X86_64)
		return false;
	for (i = -3; i <= 4 && (u64)(i + 4) <= most; i++)
		if (tapir_unwind_is_prologue(i < 0 ? last >> (64 + 8 * i) | word << (-8 * i) : word >> (8 * i)))
			return true;
	return false;
}

/* Returns the number of words between the stack pointer and the return address where the function's frame is not set up. `before`
 * and `behind` have the 8 bytes on each side of the place. 0 before a frame pointer is pushed and at a return; 1 right after the
 * push. -1 if the frame is set up, or if these bytes do not decide. */
static inline s32 tapir_unwind_words_on_top(u32 machine, u64 before, u64 behind)
{
	u32 next = behind & 255;

	if (machine != TAPIR_UNWIND_X86_64)
		return -1;
	if (tapir_unwind_is_prologue(before >> 56 | behind << 8))
		return 1;
	return next == 0x55 || next == 0xc3 || next == 0xc2 ? 0 : -1;
}

/* The registers that functions leave as they were, a bit for each DWARF number: rbx, rbp and r12 to r15; x19 to x29. */
static inline u64 tapir_unwind_preserved(u32 machine)
{
	return machine == TAPIR_UNWIND_X86_64 ? 0xf048 : 0x3ff80000;
}

/* May return addresses be signed? Their signature is in bits that no user address has. */
static inline bool tapir_unwind_signs_returns(u32 machine)
{
	return machine == TAPIR_UNWIND_AARCH64;
}

/* A return address without its signature. */
static inline u64 tapir_unwind_plain_address(u32 machine, u64 address)
{
	return tapir_unwind_signs_returns(machine) ? address & ((1ull << 52) - 1) : address;
}

#endif
