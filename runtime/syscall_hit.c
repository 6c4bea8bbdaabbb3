// SPDX-License-Identifier: GPL-2.0-or-later
/* The system call that was hit, as text: see tapir/syscall_hit.h. */
#include <tapir/string.h>
#include <tapir/syscall_hit.h>
#include <tapir/work.h>

static const u64 *arguments(const struct tapir_ctx *c)
{
	return c->args + TAPIR_SYSCALL_FIRST;
}

void tapir_syscall_here_argstr(struct tapir_ctx *c, char *dst, u32 cap)
{
	const struct tapir_syscall_entry *entry = tapir_syscall_here(c);

	tapir_str_copy(dst, "", cap);
	if (entry)
		tapir_syscall_argstr(&entry->call, arguments(c), entry->narrow, dst, cap);
	tapir_work_text(c, dst, TAPIR_WORK_BYTE_LOOKED);
}

void tapir_syscall_here_text(struct tapir_ctx *c, s64 index, char *dst, u32 cap)
{
	const struct tapir_syscall_entry *entry = tapir_syscall_here(c);

	tapir_str_copy(dst, "", cap);
	if (entry && index >= 0 && index < entry->call.nargs)
		tapir_syscall_text(&entry->call, arguments(c), entry->narrow, (u32)index, dst, cap);
	tapir_work_text(c, dst, TAPIR_WORK_BYTE_LOOKED);
}

void tapir_syscall_here_unquoted(struct tapir_ctx *c, s64 index, char *dst, u32 cap)
{
	const struct tapir_syscall_entry *entry = tapir_syscall_here(c);

	tapir_str_copy(dst, "", cap);
	if (entry && index >= 0 && index < entry->call.nargs)
		tapir_syscall_unquoted(&entry->call, arguments(c), entry->narrow, (u32)index, dst, cap);
	tapir_work_text(c, dst, TAPIR_WORK_BYTE_LOOKED);
}

s64 tapir_syscall_here_number(const struct tapir_ctx *c, s64 index)
{
	const struct tapir_syscall_entry *entry = tapir_syscall_here(c);

	if (!entry || index < 0 || index >= entry->call.nargs)
		return 0;
	return tapir_syscall_number(&entry->call, arguments(c), entry->narrow, (u32)index);
}

void tapir_syscall_here_retstr(const struct tapir_ctx *c, char *dst, u32 cap)
{
	const struct tapir_syscall_entry *entry = tapir_syscall_here(c);

	tapir_str_copy(dst, "", cap);
	if (c->probe->kind == &tapir_kind_syscall)
		tapir_syscall_retstr(entry ? &entry->call : NULL, (s64)c->args[TAPIR_SYSCALL_RESULT], dst, cap);
}
