/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The system calls socketcall and ipc, which stand for others. */
#ifndef TAPIR_KMOD_SYSCALL_PARTS_H
#define TAPIR_KMOD_SYSCALL_PARTS_H

#include <tapir/abi.h>

/*
 * Returns the call that socketcall (or `ipc`) stands for, as in struct tapir_syscall_entry.part; 0: none. `args` are its
 * six arguments, and become those of the call that is meant, as far as the memory they are in can be read; the rest become 0. Any
 * context.
 */
u8 tapir_syscall_part(bool ipc, u64 *args);

#endif
