// SPDX-License-Identifier: GPL-2.0-or-later
/* Arrays of strings and sets of descriptors in user memory. */
#include "syscall_internal.h"

#define TAPIR_ENVIRONMENT_MOST 1024
#define TAPIR_DESCRIPTORS_MOST 1024

static bool tapir_read_pointer(u64 *value, u64 address, u32 index, bool narrow)
{
	u32 size = narrow ? 4 : 8;

	*value = 0;
	return !tapir_port_read_user(value, address + (u64)index * size, size);
}

bool tapir_show_strings(struct tapir_text *t, u64 address, bool narrow)
{
	u64 string;
	u32 i;

	tapir_text_char(t, '[');
	for (i = 0; !tapir_text_full(t); i++) {
		if (!tapir_read_pointer(&string, address, i, narrow))
			return false;
		if (!string)
			break;
		if (i)
			tapir_text_add(t, ", ");
		if (i == TAPIR_SHOW_ITEMS) {
			tapir_text_add(t, "...");
			break;
		}
		if (!tapir_text_string(t, string))
			tapir_text_address(t, string);
	}
	tapir_text_char(t, ']');
	return true;
}

void tapir_show_environment(struct tapir_text *t, u64 address, bool narrow)
{
	u64 string;
	u32 n;

	tapir_text_address(t, address);
	for (n = 0; n < TAPIR_ENVIRONMENT_MOST; n++) {
		if (!tapir_read_pointer(&string, address, n, narrow))
			return;
		if (!string)
			break;
	}
	tapir_text_add(t, " /* ");
	tapir_text_unsigned(t, n);
	tapir_text_add(t, n == TAPIR_ENVIRONMENT_MOST ? " or more vars */" : n == 1 ? " var */" : " vars */");
}

bool tapir_show_fdset(struct tapir_text *t, u64 address, s64 descriptors)
{
	u32 most = descriptors < 0 ? 0 : descriptors > TAPIR_DESCRIPTORS_MOST ? TAPIR_DESCRIPTORS_MOST : descriptors;
	bool any = false;
	u8 byte = 0;
	u32 i;

	tapir_text_char(t, '[');
	for (i = 0; i < most && !tapir_text_full(t); i++) {
		if (!(i & 7) && tapir_port_read_user(&byte, address + i / 8, 1))
			return false;
		if (!(byte >> (i & 7) & 1))
			continue;
		if (any)
			tapir_text_char(t, ' ');
		tapir_text_unsigned(t, i);
		any = true;
	}
	tapir_text_char(t, ']');
	return true;
}
