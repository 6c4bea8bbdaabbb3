/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where in a function its tracing site is. */
#ifndef TAPIR_COMPAT_ENTRY_H
#define TAPIR_COMPAT_ENTRY_H

#include <linux/string.h>
#include <linux/types.h>
#include <linux/uaccess.h>

#ifdef CONFIG_X86_KERNEL_IBT
#define TAPIR_ENDBR_BYTES 4
/* ENDBR64, or what the kernel leaves where it removed one at boot (5.18: nopw; 6.14: a longer-lived NOP of the same size). */
static inline bool tapir_is_endbr(u32 instruction)
{
	return instruction == 0xfa1e0ff3u || instruction == 0x001f0f66u || instruction == 0xd6401f0fu;
}
#else
#define TAPIR_ENDBR_BYTES 0
static inline bool tapir_is_endbr(u32 instruction)
{
	return false;
}
#endif

/* The address ftrace reports for a hit of the function at `function`. */
static inline unsigned long tapir_entry_site(unsigned long function)
{
	u32 instruction;

	if (TAPIR_ENDBR_BYTES && !copy_from_kernel_nofault(&instruction, (void *)function, sizeof(instruction)) &&
	    tapir_is_endbr(instruction))
		return function + TAPIR_ENDBR_BYTES;
	return function;
}

/*
 * Can ftrace have a site at `site`? True where that cannot be told. On x86 it has the five-byte NOP that the kernel puts there, or
 * a call once somebody traces it, or a breakpoint while it is changed. Before 5.13 (a89dfde3dc3c) the NOP was 66 66 66 66 90 on
 * processors thought to be better off with that one.
 */
static inline bool tapir_may_have_site(unsigned long site)
{
#ifdef CONFIG_X86_64
	u8 bytes[5];

	if (copy_from_kernel_nofault(bytes, (void *)site, sizeof(bytes)))
		return false;
	return bytes[0] == 0xe8 || bytes[0] == 0xcc || !memcmp(bytes, "\x0f\x1f\x44\x00\x00", 5) ||
	       !memcmp(bytes, "\x66\x66\x66\x66\x90", 5);
#else
	return true;
#endif
}

/* The function whose entry kprobes call `address`: they step over ENDBR. */
static inline unsigned long tapir_entry_function(unsigned long address)
{
	u32 instruction;

	if (TAPIR_ENDBR_BYTES &&
	    !copy_from_kernel_nofault(&instruction, (void *)(address - TAPIR_ENDBR_BYTES), sizeof(instruction)) &&
	    tapir_is_endbr(instruction))
		return address - TAPIR_ENDBR_BYTES;
	return address;
}

#endif
