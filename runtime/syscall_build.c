// SPDX-License-Identifier: GPL-2.0-or-later
/* Texts piece by piece. */
#include <tapir/tapir.h>
#include "handler.h"
#include "syscall_internal.h"

#define TAPIR_TEXT_CHUNK 64

void tapir_text_cut(struct tapir_text *t, u32 length)
{
	t->length = length;
	t->dst[length] = 0;
	t->cut = false;
}

void tapir_text_char(struct tapir_text *t, char c)
{
	if (tapir_text_full(t)) {
		t->cut = true;
		return;
	}
	t->dst[t->length++] = c;
	t->dst[t->length] = 0;
}

void tapir_text_add(struct tapir_text *t, const char *s)
{
	for (; *s && !tapir_text_full(t); s++)
		t->dst[t->length++] = *s;
	t->dst[t->length] = 0;
	if (*s)
		t->cut = true;
}

void tapir_text_digits(struct tapir_text *t, u64 n, u32 base)
{
	char buffer[TAPIR_DIGITS_MAX + 1];

	buffer[TAPIR_DIGITS_MAX] = 0;
	tapir_text_add(t, tapir_digits(buffer, n, base, false));
}

void tapir_text_unsigned(struct tapir_text *t, u64 n)
{
	tapir_text_digits(t, n, 10);
}

void tapir_text_signed(struct tapir_text *t, s64 n)
{
	if (n < 0)
		tapir_text_char(t, '-');
	tapir_text_unsigned(t, n < 0 ? 0 - (u64)n : (u64)n);
}

void tapir_text_hex(struct tapir_text *t, u64 n)
{
	if (n)
		tapir_text_add(t, "0x");
	tapir_text_digits(t, n, 16);
}

void tapir_text_octal(struct tapir_text *t, u64 n, u32 digits)
{
	char buffer[TAPIR_DIGITS_MAX + 1];
	const char *text = tapir_digits(buffer, n, 8, false);
	u32 length = buffer + TAPIR_DIGITS_MAX - text;
	u32 zeros = digits > length ? digits - length : n != 0;

	buffer[TAPIR_DIGITS_MAX] = 0;
	while (zeros--)
		tapir_text_char(t, '0');
	tapir_text_add(t, text);
}

void tapir_text_address(struct tapir_text *t, u64 address)
{
	if (address)
		tapir_text_hex(t, address);
	else
		tapir_text_add(t, "NULL");
}

/* One byte in C's notation: a letter if it has one, else octal with as few digits as the next byte allows; a digit if that is
 * unknown. */
static void tapir_text_escaped(struct tapir_text *t, u8 c, u8 next)
{
	static const char letters[] = "tnvfr";

	if (c == '"' || c == '\\') {
		tapir_text_char(t, '\\');
		tapir_text_char(t, c);
	} else if (c >= ' ' && c < 0x7f) {
		tapir_text_char(t, c);
	} else if (c >= '\t' && c <= '\r') {
		tapir_text_char(t, '\\');
		tapir_text_char(t, letters[c - '\t']);
	} else {
		bool digit = next >= '0' && next <= '7';

		tapir_text_char(t, '\\');
		if (digit || c >= 0100)
			tapir_text_char(t, '0' + (c >> 6));
		if (digit || c >= 010)
			tapir_text_char(t, '0' + (c >> 3 & 7));
		tapir_text_char(t, '0' + (c & 7));
	}
}

bool tapir_text_bytes(struct tapir_text *t, u64 address, u64 count, u32 limit)
{
	u32 start = t->length, i, k, n;
	u8 chunk[TAPIR_TEXT_CHUNK + 1];
	u32 shown = count < limit ? count : limit;

	tapir_text_char(t, '"');
	for (i = 0; i < shown && !tapir_text_full(t); i += n) {
		n = shown - i < TAPIR_TEXT_CHUNK ? shown - i : TAPIR_TEXT_CHUNK;
		if (tapir_port_read_user(chunk, address + i, n)) {
			tapir_text_cut(t, start);
			return false;
		}
		chunk[n] = i + n < shown ? '0' : 0;
		for (k = 0; k < n; k++)
			tapir_text_escaped(t, chunk[k], chunk[k + 1]);
	}
	tapir_text_char(t, '"');
	if (count > shown)
		tapir_text_add(t, "...");
	return true;
}

bool tapir_text_string(struct tapir_text *t, u64 address)
{
	char chunk[TAPIR_TEXT_CHUNK + 1];
	u32 start = t->length;
	int length, k;

	tapir_text_char(t, '"');
	do {
		length = tapir_port_read_user_string(chunk, address, sizeof(chunk));
		if (length < 0) {
			tapir_text_cut(t, start);
			return false;
		}
		if (length == TAPIR_TEXT_CHUNK)
			chunk[length] = '0';
		for (k = 0; k < length; k++)
			tapir_text_escaped(t, chunk[k], chunk[k + 1]);
		address += length;
	} while (length == TAPIR_TEXT_CHUNK && !tapir_text_full(t));
	tapir_text_char(t, '"');
	return true;
}
