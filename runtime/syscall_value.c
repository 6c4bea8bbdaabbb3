// SPDX-License-Identifier: GPL-2.0-or-later
/* Flags, values of enumerations, permissions. */
#include "syscall_internal.h"

static void tapir_show_unknown(struct tapir_text *t, const struct tapir_names *names, u64 value, u64 bits)
{
	if (names->plain) {
		tapir_text_signed(t, value);
		return;
	}
	tapir_text_hex(t, value & bits);
	if (!names->unknown)
		return;
	tapir_text_add(t, " /* ");
	tapir_text_add(t, names->unknown);
	tapir_text_add(t, " */");
}

void tapir_show_flags(struct tapir_text *t, const struct tapir_names *names, u64 value, u64 bits)
{
	u64 left = value & bits, taken = 0;
	bool any = false;
	u32 i;

	for (i = 0; i < names->count && !tapir_text_full(t); i++) {
		const struct tapir_name *n = &names->names[i];
		u64 mask = n->mask & bits;

		/* A name of value 0 fits only if its bits are 0 and no other name has used them. */
		if (n->value ? !mask || (left & mask) != (n->value & bits) : ((value | taken) & mask) != 0)
			continue;
		if (any)
			tapir_text_char(t, '|');
		tapir_text_add(t, n->name);
		left &= ~mask;
		taken |= mask;
		any = true;
	}
	if ((left || !any) && names->permissions) {
		if (any)
			tapir_text_char(t, '|');
		tapir_text_octal(t, left, 3);
	} else if (any && left) {
		tapir_text_char(t, '|');
		tapir_text_hex(t, left);
	} else if (left) {
		tapir_show_unknown(t, names, left, bits);
	} else if (!any) {
		tapir_text_char(t, '0');
	}
}

void tapir_show_enum(struct tapir_text *t, const struct tapir_names *names, u64 value, u64 bits)
{
	u32 i;

	for (i = 0; i < names->count; i++) {
		const struct tapir_name *n = &names->names[i];

		if (!((value ^ n->value) & n->mask & bits)) {
			tapir_text_add(t, n->name);
			return;
		}
	}
	tapir_show_unknown(t, names, value, bits);
}

void tapir_show_mode(struct tapir_text *t, u64 mode)
{
	static const struct tapir_name types[] = {
	    {0140000, 0170000, "S_IFSOCK"}, {0120000, 0170000, "S_IFLNK"}, {0100000, 0170000, "S_IFREG"},
	    {0060000, 0170000, "S_IFBLK"},  {0040000, 0170000, "S_IFDIR"}, {0020000, 0170000, "S_IFCHR"},
	    {0010000, 0170000, "S_IFIFO"},  {04000, 04000, "S_ISUID"},	   {02000, 02000, "S_ISGID"},
	    {01000, 01000, "S_ISVTX"},
	};
	u64 left = mode;
	u32 i;

	for (i = 0; i < sizeof(types) / sizeof(*types); i++)
		if ((left & types[i].mask) == types[i].value) {
			tapir_text_add(t, types[i].name);
			tapir_text_char(t, '|');
			left &= ~types[i].mask;
		}
	tapir_text_octal(t, left, 3);
}
