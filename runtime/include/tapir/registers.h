/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the registers of a hit are saved, by DWARF number: the layout of the kernel's struct pt_regs. */
#ifndef TAPIR_REGISTERS_H
#define TAPIR_REGISTERS_H

#include <tapir/types.h>
#include "../../../arch/c/portable.h"

/* A register that every hit of the probe's kind has; see union tapir_leaf. */
static inline s64 tapir_leaf_register(const void *registers, u32 number)
{
	return *(const s64 *)((const char *)registers + tapir_saved_offsets[number]);
}

#endif
