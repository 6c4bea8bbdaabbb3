// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "items/json_lines.h"

#define ROOM_FIRST 4096u

void tapir_json_put(struct tapir_json *j, const char *text, size_t length)
{
	if (j->failed || !length)
		return;
	if (length > j->room - j->used) {
		size_t room = j->room ? 2 * j->room : ROOM_FIRST;
		char *grown;

		while (room - j->used < length)
			room *= 2;
		grown = realloc(j->text, room);
		if (!grown) {
			j->failed = true;
			return;
		}
		j->text = grown;
		j->room = room;
	}
	memcpy(j->text + j->used, text, length);
	j->used += length;
}

void tapir_json_puts(struct tapir_json *j, const char *text)
{
	tapir_json_put(j, text, strlen(text));
}

/* Bytes of the character of UTF-8 that begins here: 1 to 4; 0: it is none (RFC 3629). */
static u32 utf8_bytes(const char *text, size_t length)
{
	const unsigned char *at = (const unsigned char *)text;
	u32 bytes = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : at[0] < 0xf5 ? 4 : 0, i;

	if (!bytes || bytes > length)
		return 0;
	for (i = 1; i < bytes; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	}
	/* Longer forms of shorter ones, surrogates, and what is beyond U+10FFFF. */
	if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] >= 0xa0) || (at[0] == 0xf0 && at[1] < 0x90) ||
	    (at[0] == 0xf4 && at[1] >= 0x90))
		return 0;
	return bytes;
}

static void put_escaped(struct tapir_json *j, unsigned char byte)
{
	static const char letters[] = "\"\"\\\\\bb\ff\nn\rr\tt";
	char escape[8];
	u32 i;

	for (i = 0; i < sizeof(letters) - 1; i += 2) {
		if ((unsigned char)letters[i] == byte) {
			snprintf(escape, sizeof(escape), "\\%c", letters[i + 1]);
			tapir_json_puts(j, escape);
			return;
		}
	}
	snprintf(escape, sizeof(escape), "\\u%04x", byte);
	tapir_json_puts(j, escape);
}

static bool is_plain(unsigned char byte)
{
	return byte >= ' ' && byte < 0x7f && byte != '"' && byte != '\\';
}

void tapir_json_string(struct tapir_json *j, const char *text, size_t length)
{
	size_t at = 0, plain;
	u32 bytes;

	tapir_json_put(j, "\"", 1);
	while (at < length) {
		for (plain = at; plain < length && is_plain((unsigned char)text[plain]); plain++)
			;
		tapir_json_put(j, text + at, plain - at);
		at = plain;
		if (at == length)
			break;
		bytes = utf8_bytes(text + at, length - at);
		if (!bytes)
			j->is_odd = true;
		if (bytes > 1 && !j->is_latin1) {
			tapir_json_put(j, text + at, bytes);
			at += bytes;
			continue;
		}
		put_escaped(j, (unsigned char)text[at++]);
	}
	tapir_json_put(j, "\"", 1);
}

void tapir_json_number(struct tapir_json *j, s64 n)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%lld", (long long)n);
	tapir_json_puts(j, digits);
}

void tapir_json_unsigned(struct tapir_json *j, u64 n)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);
	tapir_json_puts(j, digits);
}

void tapir_json_member(struct tapir_json *j, const char *name)
{
	tapir_json_puts(j, ",\"");
	tapir_json_puts(j, name);
	tapir_json_puts(j, "\":");
}

void tapir_json_text_member(struct tapir_json *j, const char *name, const char *text)
{
	tapir_json_member(j, name);
	tapir_json_string(j, text, strlen(text));
}

void tapir_json_number_member(struct tapir_json *j, const char *name, s64 n)
{
	tapir_json_member(j, name);
	tapir_json_number(j, n);
}

void tapir_json_unsigned_member(struct tapir_json *j, const char *name, u64 n)
{
	tapir_json_member(j, name);
	tapir_json_unsigned(j, n);
}

void tapir_json_free(struct tapir_json *j)
{
	free(j->text);
	memset(j, 0, sizeof(*j));
}
