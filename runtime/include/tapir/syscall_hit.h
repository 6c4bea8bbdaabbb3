/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The system call of a kernel.syscall probe, for the tapset library. At other probes, and for calls that the module's table does
 * not have, texts are "" and numbers 0. `dst` is a string buffer of `cap` bytes. Any context.
 */
#ifndef TAPIR_SYSCALL_HIT_H
#define TAPIR_SYSCALL_HIT_H

#include <tapir/abi.h>
#include <tapir/context.h>
#include <tapir/syscall.h>

static inline const struct tapir_syscall_entry *tapir_syscall_here(const struct tapir_ctx *c)
{
	return c->probe->kind == &tapir_kind_syscall ? (const struct tapir_syscall_entry *)c->place : NULL;
}

/* As `name` has it. */
static inline const char *tapir_syscall_name(const struct tapir_syscall_entry *entry)
{
	return entry ? entry->call.name : "";
}

/* As the kernel has it. */
static inline const char *tapir_syscall_kernel_name(const struct tapir_syscall_entry *entry)
{
	return entry->name ? entry->name : entry->call.name;
}

void tapir_syscall_here_argstr(struct tapir_ctx *c, char *dst, u32 cap);
/* `index` is of the arguments as argstr shows them. */
void tapir_syscall_here_text(struct tapir_ctx *c, s64 index, char *dst, u32 cap);
void tapir_syscall_here_unquoted(struct tapir_ctx *c, s64 index, char *dst, u32 cap);
s64 tapir_syscall_here_number(const struct tapir_ctx *c, s64 index);
/* At returns. */
void tapir_syscall_here_retstr(const struct tapir_ctx *c, char *dst, u32 cap);

/* Returns the kernel's name of a number; "" if the module's table does not have it. */
const char *tapir_syscall_name_of(s64 number, bool narrow);
/* Returns the number of a call by its name in the kernel, or -1. */
s64 tapir_syscall_number_of(const char *name, bool narrow);

#endif
