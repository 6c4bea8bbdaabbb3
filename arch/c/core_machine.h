/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts for reading core files, on a machine of their own architecture. Portable.
 *
 *	TAPIR_CORE_MACHINE		e_machine of ELF files; 0: this build reads no cores
 *	TAPIR_CORE_MACHINES		the name of the architecture, for messages
 *	TAPIR_KDUMP_MACHINE		the same as uname(1) has it, in the header of dumps of the kernel
 *	TAPIR_CORE_WORDS		words of registers in NT_PRSTATUS, which begin like struct pt_regs
 *	TAPIR_CORE_THREAD_POINTER	which of them is the thread pointer, and ...
 *	TAPIR_CORE_PLACE		... the program counter
 *	TAPIR_CORE_THREAD_POINTER_NUMBER, TAPIR_CORE_STACK_NUMBER, TAPIR_CORE_FRAME_NUMBER, TAPIR_CORE_PLACE_NUMBER
 *					DWARF numbers: of the thread pointer, the stack pointer, the frame pointer,
 *					the program counter
 *	tapir_core_register()		a register by its name in scripts: its DWARF number and its width in bytes; -1 and 0 if
 *unknown
 */
#ifndef TAPIR_ARCH_CORE_MACHINE_H
#define TAPIR_ARCH_CORE_MACHINE_H

#include <sys/procfs.h>
#include "portable.h"

#if defined(__x86_64__)
#define TAPIR_CORE_MACHINE		 62
#define TAPIR_CORE_MACHINES		 "x86-64"
#define TAPIR_KDUMP_MACHINE		 "x86_64"
#define TAPIR_CORE_WORDS		 27
#define TAPIR_CORE_THREAD_POINTER	 21
#define TAPIR_CORE_PLACE		 16
#define TAPIR_CORE_THREAD_POINTER_NUMBER 58u
#define TAPIR_CORE_STACK_NUMBER		 7u
#define TAPIR_CORE_FRAME_NUMBER		 6u
#define TAPIR_CORE_PLACE_NUMBER		 16u

static inline s32 tapir_core_register(const char *name, u32 *bytes)
{
#define TAPIR_NAMED(number, offset, member) {number, #member},
	static const struct {
		s32 number;
		char name[4];
	} list[] = {TAPIR_SAVED_LIST(TAPIR_NAMED)};
#undef TAPIR_NAMED
	u32 i;

	/* "ax" and "rax" are the same; "eax" is its lower half. Those with numbers have one name. */
	*bytes = name[0] == 'e' ? 4 : 8;
	if (name[0] == 'e' || (name[0] == 'r' && !(name[1] >= '0' && name[1] <= '9')))
		name++;
	for (i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		if (!__builtin_strcmp(list[i].name, name) && (*bytes == 8 || list[i].name[0] != 'r'))
			return list[i].number;
	}
	*bytes = 0;
	return -1;
}
#else
#define TAPIR_CORE_MACHINE		 0
#define TAPIR_CORE_MACHINES		 "no architecture but x86-64"
#define TAPIR_KDUMP_MACHINE		 ""
#define TAPIR_CORE_WORDS		 (sizeof(elf_gregset_t) / 8)
#define TAPIR_CORE_THREAD_POINTER	 0
#define TAPIR_CORE_PLACE		 0
#define TAPIR_CORE_THREAD_POINTER_NUMBER 0u
#define TAPIR_CORE_STACK_NUMBER		 0u
#define TAPIR_CORE_FRAME_NUMBER		 0u
#define TAPIR_CORE_PLACE_NUMBER		 0u

static inline s32 tapir_core_register(const char *name, u32 *bytes)
{
	(void)name;
	*bytes = 0;
	return -1;
}
#endif

#endif
