/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Addresses of the kernel symbols the script names. Process context, serialised by the caller. */
#ifndef TAPIR_SYMBOLS_H
#define TAPIR_SYMBOLS_H

#include <linux/types.h>

/* At module init and exit. -ENOMEM. */
int tapir_symbols_create(void);
void tapir_symbols_destroy(void);
/* -EINVAL: no such symbol. 0 = not found. */
int tapir_symbol_set(u32 index, u64 address);
/* Returns the entry address of the function, or 0. Searches the kernel for symbols that were not set. */
unsigned long tapir_symbol_address(u32 index);

/* Returns the address of any symbol of the kernel, or 0. Takes some milliseconds. */
unsigned long tapir_symbol_find(const char *name);

#endif
