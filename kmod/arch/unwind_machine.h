/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What unwind tables (tapir/unwind.h) and the walk over them need to know of the machines that tables can be of. Portable: the
 * loader makes tables, the module and tests walk over them. A table is never of a machine that is not known here.
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
