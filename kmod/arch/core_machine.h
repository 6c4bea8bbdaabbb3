/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What core files of this machine need to be read: they are analysed on a machine of their own architecture. Portable.
 *
 *	TAPIR_CORE_MACHINE		e_machine of ELF files; 0: cores cannot be read here
 *	TAPIR_CORE_MACHINES		the name of the architecture, for messages
 *	TAPIR_CORE_WORDS		words of registers in NT_PRSTATUS, which begin like struct pt_regs
 *	TAPIR_CORE_THREAD_POINTER	which of them is the thread pointer, and ...
 *	TAPIR_CORE_PLACE		... the program counter
 *	TAPIR_CORE_THREAD_POINTER_NUMBER the thread pointer's DWARF number
 */
#ifndef TAPIR_ARCH_CORE_MACHINE_H
#define TAPIR_ARCH_CORE_MACHINE_H

#include <sys/procfs.h>
#include "portable.h"

#if defined(__x86_64__)
#define TAPIR_CORE_MACHINE		 62
#define TAPIR_CORE_MACHINES		 "x86-64"
#define TAPIR_CORE_WORDS		 27
#define TAPIR_CORE_THREAD_POINTER	 21
#define TAPIR_CORE_PLACE		 16
#define TAPIR_CORE_THREAD_POINTER_NUMBER 58u
#else
#define TAPIR_CORE_MACHINE		 0
#define TAPIR_CORE_MACHINES		 "no architecture but x86-64"
#define TAPIR_CORE_WORDS		 (sizeof(elf_gregset_t) / 8)
#define TAPIR_CORE_THREAD_POINTER	 0
#define TAPIR_CORE_PLACE		 0
#define TAPIR_CORE_THREAD_POINTER_NUMBER 0u
#endif

#endif
