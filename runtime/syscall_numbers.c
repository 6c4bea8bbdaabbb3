// SPDX-License-Identifier: GPL-2.0-or-later
/* Names and numbers of system calls, by the module's table. */
#include <tapir/string.h>
#include <tapir/syscall_hit.h>

static bool is_before(const struct tapir_syscall_entry *entry, s64 number, bool narrow)
{
	return entry->narrow != narrow ? entry->narrow < narrow : entry->number < number;
}

const char *tapir_syscall_name_of(s64 number, bool narrow)
{
	u32 low = 0, high = tapir_module.nsyscalls;
	const struct tapir_syscall_entry *found;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (is_before(&tapir_module.syscalls[middle], number, narrow))
			low = middle + 1;
		else
			high = middle;
	}
	found = &tapir_module.syscalls[low];
	return low < tapir_module.nsyscalls && found->number == number && found->narrow == narrow ? tapir_syscall_kernel_name(found)
												  : "";
}

s64 tapir_syscall_number_of(const char *name, bool narrow)
{
	u32 i;

	for (i = 0; i < tapir_module.nsyscalls; i++) {
		const struct tapir_syscall_entry *entry = &tapir_module.syscalls[i];

		if (entry->narrow == narrow && !entry->part &&
		    !tapir_str_compare(tapir_syscall_kernel_name(entry), name, tapir_module.string_cap))
			return entry->number;
	}
	return -1;
}
