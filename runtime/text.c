// SPDX-License-Identifier: GPL-2.0-or-later
/* Searching, replacing, parsing and escaping strings: see tapir/text.h. */
#include <tapir/text.h>
#include <tapir/context.h>
#include <tapir/string.h>
#include <tapir/work.h>

/*
 * A text that is searched for, split where its two parts are compared from: M. Crochemore, D. Perrin, "Two-way string-matching",
 * Journal of the ACM 38 (1991). Takes time in proportion to both texts, and no memory.
 */
struct pattern {
	const char *text;
	u32 length;
	u32 critical; /* the right part begins here */
	u32 shift;    /* behind a place where the right part was found */
	u32 kept;     /* bytes known to agree after that shift: > 0 if the text repeats itself */
};

/* Where the last suffix in the order of bytes begins, or in the reverse order; and how soon it repeats itself. */
static u32 last_suffix(const char *text, u32 length, bool reverse, u32 *period)
{
	u32 suffix = 0, rival = 1, agree = 0;

	*period = 1;
	while (rival + agree < length) {
		const u8 a = (u8)text[rival + agree], b = (u8)text[suffix + agree];

		if (a == b) {
			if (++agree == *period) {
				rival += *period;
				agree = 0;
			}
		} else if ((a < b) != reverse) {
			rival += agree + 1;
			agree = 0;
			*period = rival - suffix;
		} else {
			suffix = rival++;
			agree = 0;
			*period = 1;
		}
	}
	return suffix;
}

/* The text is not empty. */
static void pattern_split(struct pattern *p, const char *text, u32 length)
{
	u32 period, reverse_period, i;
	const u32 forward = last_suffix(text, length, false, &period);
	const u32 reverse = last_suffix(text, length, true, &reverse_period);

	p->text = text;
	p->length = length;
	p->critical = forward;
	if (reverse > forward) {
		p->critical = reverse;
		period = reverse_period;
	}
	for (i = 0; i < p->critical && text[i] == text[period + i];)
		i++;
	if (i == p->critical) {
		p->shift = period;
		p->kept = length - period;
	} else {
		p->shift = (p->critical > length - p->critical ? p->critical : length - p->critical) + 1;
		p->kept = 0;
	}
}

/* The first place from `at` on, or ~0u. */
static u32 pattern_find(const struct pattern *p, const char *s, u32 length, u32 at)
{
	u32 known = 0, i;

	while (p->length <= length && at <= length - p->length) {
		const char *here = s + at;

		for (i = known > p->critical ? known : p->critical; i < p->length && p->text[i] == here[i];)
			i++;
		if (i < p->length) {
			at += i - p->critical + 1;
			known = 0;
			continue;
		}
		for (i = p->critical; i > known && p->text[i - 1] == here[i - 1];)
			i--;
		if (i <= known)
			return at;
		at += p->shift;
		known = p->kept;
	}
	return ~0u;
}

s64 tapir_str_find(struct tapir_ctx *c, const char *s, const char *needle, u32 cap)
{
	const u32 wanted = tapir_strlen(needle, cap), length = tapir_strlen(s, cap);
	struct pattern p;
	u32 at;

	if (!wanted || !tapir_work(c, (length + wanted) * (u64)TAPIR_WORK_BYTE_LOOKED))
		return 0;
	pattern_split(&p, needle, wanted);
	at = pattern_find(&p, s, length, 0);
	return at == ~0u ? -1 : (s64)at;
}

void tapir_str_replace(struct tapir_ctx *c, char *dst, const char *s, const char *from, const char *to, u32 cap)
{
	const u32 length = tapir_strlen(s, cap), wanted = tapir_strlen(from, cap);
	struct pattern p;
	u32 out = 0, i = 0, found = ~0u;

	dst[0] = 0;
	if (!tapir_work(c, (length + wanted) * (u64)TAPIR_WORK_BYTE_LOOKED))
		return;
	if (wanted) {
		pattern_split(&p, from, wanted);
		found = pattern_find(&p, s, length, 0);
	}
	while (i < length) {
		const char *t;

		if (i != found) {
			if (out + 1 == cap)
				break;
			dst[out++] = s[i++];
			continue;
		}
		for (t = to; *t && out + 1 < cap; t++)
			dst[out++] = *t;
		if (*t)
			break;
		i += wanted;
		found = pattern_find(&p, s, length, i);
	}
	dst[out] = 0;
	tapir_work(c, out * (u64)TAPIR_WORK_BYTE_WRITTEN);
	if (i < length)
		tapir_count_cut(TAPIR_CUT_STRING, cap);
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
	const bool negative = *s == '-';
	u64 value = 0;

	if (negative)
		s++;
	if ((base == 0 || base == 16) && end - s > 2 && s[0] == '0' && (s[1] | 0x20) == 'x' && digit_value(s[2]) < 16) {
		s += 2;
		base = 16;
	} else if (base == 0) {
		base = s < end && *s == '0' ? 8 : 10;
	}
	if (base < 2 || base > 36)
		return 0;
	for (; s < end && digit_value(*s) < base; s++)
		value = value * base + digit_value(*s);
	return (s64)(negative ? -value : value);
}

/* The character at `s`, and how many of the `left` bytes it takes: a byte that begins no UTF-8 character stands for itself. */
static u32 decode_utf8(const char *s, u32 left, u32 *code)
{
	static const u32 least[] = {0, 0, 0x80, 0x800, 0x10000};
	const u8 first = (u8)s[0];
	const u32 bytes = first >= 0xf0 && first < 0xf8 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
	u32 value = first & (0xff >> (bytes + 1)), i;

	*code = first;
	if (bytes == 1 || first >= 0xf8 || bytes > left)
		return 1;
	for (i = 1; i < bytes; i++) {
		if (((u8)s[i] & 0xc0) != 0x80)
			return 1;
		value = value << 6 | ((u8)s[i] & 0x3f);
	}
	if (value < least[bytes] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
		return 1;
	*code = value;
	return bytes;
}

#define ESCAPE_MAX 10 /* bytes of a character's escaped form */

/* Writes the escaped form of a character that takes `bytes` and returns its length. */
static u32 escape_character(char *to, u32 c, u32 bytes)
{
	static const char letters[] = "abtnvfr";
	u32 digits, i;

	to[0] = '\\';
	if (bytes > 1) {
		digits = c > 0xffff ? 8 : 4;
		to[1] = digits == 8 ? 'U' : 'u';
		for (i = 0; i < digits; i++)
			to[2 + i] = "0123456789ABCDEF"[c >> (4 * (digits - 1 - i)) & 15];
		return 2 + digits;
	}
	if (c == '\\' || c == '"') {
		to[1] = (char)c;
		return 2;
	}
	if (c >= ' ' && c < 0x7f) {
		to[0] = (char)c;
		return 1;
	}
	if (c >= '\a' && c <= '\r') {
		to[1] = letters[c - '\a'];
		return 2;
	}
	to[1] = (char)('0' + (c >> 6));
	to[2] = (char)('0' + ((c >> 3) & 7));
	to[3] = (char)('0' + (c & 7));
	return 4;
}

void tapir_bytes_escape(char *dst, const char *s, u32 count, u32 cap, u32 limit, bool quoted)
{
	/* The quotes take two, and three dots have to fit behind them: five bytes at least. */
	const u32 room = !quoted ? cap - 1 : (cap < 6 ? 5 : cap - 1) - 2;
	char *const start = dst + (quoted ? 1 : 0);
	u32 i, k, code, bytes, length, out = 0, kept = 0;
	char piece[ESCAPE_MAX];

	for (i = 0; i < count && i < limit; i += bytes) {
		bytes = decode_utf8(s + i, (count < limit ? count : limit) - i, &code);
		length = escape_character(piece, code, bytes);
		if (length > room - out) {
			tapir_count_cut(TAPIR_CUT_STRING, cap);
			break;
		}
		for (k = 0; k < length; k++)
			start[out++] = piece[k];
		if (out + 3 <= room)
			kept = out;
	}
	if (!quoted) {
		dst[out] = 0;
		return;
	}
	dst[0] = '"';
	if (i < count)
		out = kept;
	start[out++] = '"';
	for (k = 0; i < count && k < 3; k++)
		start[out++] = '.';
	start[out] = 0;
}

void tapir_str_escape(char *dst, const char *s, u32 cap, bool quoted)
{
	const u32 count = tapir_strlen(s, tapir_module.string_cap);

	tapir_bytes_escape(dst, s, count, cap, count, quoted);
}

s64 tapir_str_span(const char *s, const char *set, u32 cap, bool in)
{
	const u32 length = tapir_strlen(s, cap), members = tapir_strlen(set, cap);
	u64 is_member[256 / 64] = {0};
	u32 i;

	for (i = 0; i < members; i++)
		is_member[(u8)set[i] / 64] |= 1ull << ((u8)set[i] % 64);
	for (i = 0; i < length; i++)
		if ((is_member[(u8)s[i] / 64] >> ((u8)s[i] % 64) & 1) != in)
			break;
	return i;
}

void tapir_text_goes_on(u64 address, u32 cap, bool user)
{
	char next;

	if (!(user ? tapir_port_read_user(&next, address, 1) : tapir_port_read_kernel(&next, address, 1)) && next)
		tapir_count_cut(TAPIR_CUT_STRING, cap);
}

void tapir_error_fault(struct tapir_ctx *c, const char *what, u64 address)
{
	tapir_errorf(c, NULL, "%s fault [man error::fault] at 0x%llx", what, address);
}
