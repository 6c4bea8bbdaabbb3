// SPDX-License-Identifier: GPL-2.0-or-later
/* UTF-16 and UTF-32 in memory, as UTF-8. */
#include <tapir/port.h>
#include <tapir/string.h>
#include <tapir/text.h>

#define REPLACEMENT 0xfffdu /* for invalid characters */

/* UTF-8; at most four bytes. */
static u32 put_character(char *to, u32 c)
{
	u32 length = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4, i;
	static const u8 marks[] = {0, 0, 0xc0, 0xe0, 0xf0};

	for (i = length - 1; i > 0; i--, c >>= 6)
		to[i] = (char)(0x80 | (c & 0x3f));
	to[0] = (char)(marks[length] | c);
	return length;
}

static bool is_surrogate(u32 c)
{
	return c >= 0xd800 && c < 0xe000;
}

/* One unit, or -14. */
static int read_unit(u32 *unit, u64 address, u32 bytes, bool user)
{
	*unit = 0;
	return user ? tapir_port_read_user(unit, address, bytes) : tapir_port_read_kernel(unit, address, bytes);
}

int tapir_read_wide_text(char *dst, u64 address, u32 cap, u32 bytes, bool user)
{
	return tapir_read_wide_units(dst, address, cap, bytes, ~0u, user);
}

void tapir_wide_character(char *dst, u32 cap, u32 c)
{
	u32 count = 0;

	if (cap > 4)
		count = put_character(dst, is_surrogate(c) || c > 0x10ffff ? REPLACEMENT : c);
	dst[count] = 0;
}

int tapir_read_wide_units(char *dst, u64 address, u32 cap, u32 bytes, u32 units, bool user)
{
	u32 length = 0, c, low;
	char piece[4];

	dst[0] = 0;
	for (; units; address += bytes, units--) {
		u32 i, count;

		if (read_unit(&c, address, bytes, user)) {
			dst[0] = 0;
			return -14;
		}
		if (!c)
			break;
		/* A pair of UTF-16. A high one without its low one stands alone. */
		if (bytes == 2 && c >= 0xd800 && c < 0xdc00 && units > 1 && !read_unit(&low, address + 2, 2, user) &&
		    low >= 0xdc00 && low < 0xe000) {
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
			address += 2;
			units--;
		}
		count = put_character(piece, is_surrogate(c) || c > 0x10ffff ? REPLACEMENT : c);
		if (length + count >= cap) {
			tapir_count_cut(TAPIR_CUT_STRING, cap);
			break;
		}
		for (i = 0; i < count; i++)
			dst[length++] = piece[i];
	}
	dst[length] = 0;
	return (int)length;
}
