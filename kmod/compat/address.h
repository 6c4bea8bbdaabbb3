/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What can be an address. */
#ifndef TAPIR_COMPAT_ADDRESS_H
#define TAPIR_COMPAT_ADDRESS_H

#include <linux/mm.h>
#include <linux/types.h>

/*
 * x86-64 raises a general protection fault where the bits that are not translated are not all alike, of which the kernel warns,
 * also when it expects a fault. How many those are depends on the levels of page tables.
 */
static inline bool tapir_is_address(u64 address)
{
#ifdef CONFIG_X86_64
	unsigned int unused = 63 - __VIRTUAL_MASK_SHIFT;

	return (u64)((s64)(address << unused) >> unused) == address;
#else
	return true;
#endif
}

#endif
