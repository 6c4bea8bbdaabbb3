// SPDX-License-Identifier: GPL-2.0-or-later
/* Searching, replacing, parsing and escaping strings: see tapir/text.h. */
#include <tapir/text.h>
#include <tapir/context.h>
#include <tapir/string.h>

static bool starts_with(const char *s, const char *prefix, u32 length)
{
	u32 i;

	for (i = 0; i < length; i++)
		if (s[i] != prefix[i])
			return false;
	return true;
}

s64 tapir_str_find(const char *s, const char *needle, u32 cap)
{
	u32 length = tapir_strlen(s, cap);
	u32 wanted = tapir_strlen(needle, cap);
	u32 i;

	for (i = 0; i + wanted <= length; i++)
		if (starts_with(s + i, needle, wanted))
			return i;
	return -1;
}

void tapir_str_replace(char *dst, const char *s, const char *from, const char *to, u32 cap)
{
	u32 length = tapir_strlen(s, cap);
	u32 wanted = tapir_strlen(from, cap);
	u32 out = 0;
	u32 i = 0;

	while (i < length && out + 1 < cap) {
		const char *t;

		if (!wanted || i + wanted > length || !starts_with(s + i, from, wanted)) {
			dst[out++] = s[i++];
			continue;
		}
		for (t = to; *t && out + 1 < cap; t++)
			dst[out++] = *t;
		i += wanted;
	}
	dst[out] = 0;
}

static u32 digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'Z')
		return c - 'A' + 10;
	return ~0u;
}

s64 tapir_str_to_long(const char *s, s64 base, u32 cap)
{
	const char *end = s + tapir_strlen(s, cap);
	const u64 most = ~0ull >> 1;
	bool negative = false;
	bool over = false;
	u64 value = 0;

	while (s < end && (*s == ' ' || (*s >= '\t' && *s <= '\r')))
		s++;
	if (s < end && (*s == '-' || *s == '+'))
		negative = *s++ == '-';
	if ((base == 0 || base == 16) && end - s > 2 && s[0] == '0' && (s[1] | 0x20) == 'x' && digit_value(s[2]) < 16) {
		s += 2;
		base = 16;
	} else if (base == 0) {
		base = s < end && *s == '0' ? 8 : 10;
	}
	if (base < 2 || base > 36)
		return 0;
	for (; s < end && digit_value(*s) < base; s++) {
		u32 digit = digit_value(*s);

		if (over || value > (most - digit) / base)
			over = true;
		else
			value = value * base + digit;
	}
	if (over)
		return negative ? -(s64)most - 1 : (s64)most;
	return negative ? -(s64)value : (s64)value;
}

/* Writes the escaped form of one byte and returns its length, 1..4. */
static u32 escape_byte(char *to, unsigned char c, bool quoted)
{
	static const char letters[] = "abtnvfr";

	to[0] = '\\';
	if (c == '\\' || (c == '"' && quoted)) {
		to[1] = c;
		return 2;
	}
	if (c >= ' ' && c < 0x7f) {
		to[0] = c;
		return 1;
	}
	if (c >= '\a' && c <= '\r') {
		to[1] = c == '\a' ? 'a' : letters[c - '\a'];
		return 2;
	}
	to[1] = '0' + (c >> 6);
	to[2] = '0' + ((c >> 3) & 7);
	to[3] = '0' + (c & 7);
	return 4;
}

void tapir_bytes_escape(char *dst, const char *s, u32 count, u32 cap, u32 limit, bool quoted)
{
	u32 tail = quoted ? 4 : 3; /* the closing quote and "..." always fit */
	bool cut = false;
	u32 out = 0;
	u32 i;

	if (cap < 8) {
		dst[0] = 0;
		return;
	}
	if (quoted)
		dst[out++] = '"';
	for (i = 0; i < count; i++) {
		char piece[4];
		u32 length = i < limit ? escape_byte(piece, s[i], quoted) : 0;
		bool last = i + 1 == count;
		u32 k;

		if (i >= limit || out + length + (last ? (quoted ? 1 : 0) : tail) >= cap) {
			cut = true;
			break;
		}
		for (k = 0; k < length; k++)
			dst[out++] = piece[k];
	}
	if (quoted)
		dst[out++] = '"';
	for (i = 0; cut && i < 3; i++)
		dst[out++] = '.';
	dst[out] = 0;
}

void tapir_str_escape(char *dst, const char *s, u32 cap, u32 limit, bool quoted)
{
	tapir_bytes_escape(dst, s, tapir_strlen(s, cap), cap, limit, quoted);
}

s64 tapir_str_span(const char *s, const char *set, u32 cap, bool in)
{
	u32 length = tapir_strlen(s, cap);
	u32 members = tapir_strlen(set, cap);
	u32 i, k;

	for (i = 0; i < length; i++) {
		bool found = false;

		for (k = 0; k < members && !found; k++)
			found = s[i] == set[k];
		if (found != in)
			break;
	}
	return i;
}

void tapir_error_fault(struct tapir_ctx *c, const char *what, u64 address)
{
	tapir_errorf(c, NULL, "%s fault [man error::fault] at 0x%llx", what, address);
}
