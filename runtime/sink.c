// SPDX-License-Identifier: GPL-2.0-or-later
/* Where the characters of a conversion go, and the conversions that printf of scripts and that of C share. */
#include <tapir/tapir.h>
#include "handler.h"
#include "format_internal.h"

const char *tapir_digits(char *buffer, u64 n, u32 base, bool upper)
{
	static const char pairs[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
				    "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
				    "8081828384858687888990919293949596979899";
	const char *digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
	char *p = buffer + TAPIR_DIGITS_MAX;

	if (base == 10) {
		for (; n >= 100; n /= 100) {
			p -= 2;
			__builtin_memcpy(p, pairs + 2 * (n % 100), 2);
		}
		if (n < 10) {
			*--p = (char)('0' + n);
			return p;
		}
		p -= 2;
		__builtin_memcpy(p, pairs + 2 * n, 2);
		return p;
	}
	if (base == 8) {
		do {
			*--p = digits[n & 7];
			n >>= 3;
		} while (n);
		return p;
	}
	do {
		*--p = digits[n & 15];
		n >>= 4;
	} while (n);
	return p;
}

void tapir_sink_put(struct tapir_sink *k, const char *bytes, u32 length)
{
	tapir_sink_put_inline(k, bytes, length);
}

void tapir_sink_pad(struct tapir_sink *k, char mark, s32 n)
{
	char marks[16];

	if (n <= 0)
		return;
	__builtin_memset(marks, mark, sizeof(marks));
	for (; n > (s32)sizeof(marks); n -= (s32)sizeof(marks))
		tapir_sink_put(k, marks, sizeof(marks));
	tapir_sink_put(k, marks, (u32)n);
}

/* Text in its field. */
static void put_field(struct tapir_sink *k, const char *text, u32 length, s32 width, bool left)
{
	if (!left)
		tapir_sink_pad(k, ' ', width - (s32)length);
	tapir_sink_put(k, text, length);
	if (left)
		tapir_sink_pad(k, ' ', width - (s32)length);
}

static const char *sign_or_prefix(const struct tapir_spec *f, u64 n)
{
	if (f->conv == TAPIR_CONV_DECIMAL) {
		if ((s64)n < 0)
			return "-";
		return f->flags & TAPIR_FMT_PLUS ? "+" : f->flags & TAPIR_FMT_SPACE ? " " : "";
	}
	if (f->conv == TAPIR_CONV_POINTER)
		return "0x";
	if (!(f->flags & TAPIR_FMT_ALTERNATE))
		return "";
	if (f->conv == TAPIR_CONV_HEX)
		return "0x";
	if (f->conv == TAPIR_CONV_HEX_UPPER)
		return "0X";
	return f->conv == TAPIR_CONV_OCTAL && n ? "0" : "";
}

void tapir_sink_number(struct tapir_sink *k, const struct tapir_spec *f, u64 n)
{
	const char *prefix = sign_or_prefix(f, n);
	u32 prefix_length = prefix[0] ? prefix[1] ? 2 : 1 : 0;
	u32 base = f->conv == TAPIR_CONV_DECIMAL || f->conv == TAPIR_CONV_UNSIGNED ? 10 : f->conv == TAPIR_CONV_OCTAL ? 8 : 16;
	char buffer[TAPIR_DIGITS_MAX];
	const char *digits;
	s32 length, zeros, total;

	if (f->conv == TAPIR_CONV_DECIMAL && (s64)n < 0)
		n = 0 - n;
	digits = tapir_digits(buffer, n, base, f->conv == TAPIR_CONV_HEX_UPPER);
	length = (s32)(buffer + TAPIR_DIGITS_MAX - digits);
	if (!n && f->precision == 0)
		length = 0;
	/* A precision from an argument may be any number, so the output is bounded. */
	zeros = f->precision > TAPIR_OUTPUT_MAX ? TAPIR_OUTPUT_MAX : f->precision > length ? f->precision - length : 0;
	if ((f->flags & TAPIR_FMT_ZERO) && !(f->flags & TAPIR_FMT_LEFT) && f->width > zeros + length + (s32)prefix_length)
		zeros = f->width - length - (s32)prefix_length;
	total = (s32)prefix_length + zeros + length;
	if (!(f->flags & TAPIR_FMT_LEFT))
		tapir_sink_pad(k, ' ', f->width - total);
	tapir_sink_put(k, prefix, prefix_length);
	tapir_sink_pad(k, '0', zeros);
	tapir_sink_put(k, digits, (u32)length);
	if (f->flags & TAPIR_FMT_LEFT)
		tapir_sink_pad(k, ' ', f->width - total);
}

/* %#c: as it would be written in a C character constant. Returns the length. */
static u32 escape_char(char *dst, unsigned char ch)
{
	static const char plain[] = "\a\b\t\n\v\f\r'\\", letters[] = "abtnvfr'\\";
	u32 i;

	for (i = 0; i < sizeof(plain) - 1; i++) {
		if (ch == (unsigned char)plain[i]) {
			dst[0] = '\\';
			dst[1] = letters[i];
			return 2;
		}
	}
	if (ch >= 0x20 && ch < 0x7f) {
		dst[0] = (char)ch;
		return 1;
	}
	dst[0] = '\\';
	dst[1] = (char)('0' + (ch >> 6));
	dst[2] = (char)('0' + (ch >> 3 & 7));
	dst[3] = (char)('0' + (ch & 7));
	return 4;
}

void tapir_sink_char(struct tapir_sink *k, const struct tapir_spec *f, s64 n)
{
	char text[4];
	u32 length = 1;

	if (f->flags & TAPIR_FMT_ALTERNATE)
		length = escape_char(text, (unsigned char)n);
	else
		text[0] = (char)n;
	put_field(k, text, length, f->width, f->flags & TAPIR_FMT_LEFT);
}

void tapir_sink_decimal(struct tapir_sink *k, s64 n)
{
	char buffer[TAPIR_DIGITS_MAX];
	const char *digits = tapir_digits(buffer, n < 0 ? 0 - (u64)n : (u64)n, 10, false);

	if (n < 0)
		tapir_sink_put_inline(k, "-", 1);
	tapir_sink_put_inline(k, digits, (u32)(buffer + TAPIR_DIGITS_MAX - digits));
}

/* 0 for a number of bytes that %b has no value of. */
static u32 binary_size(s32 bytes)
{
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 ? (u32)bytes : 0;
}

void tapir_sink_binary(struct tapir_sink *k, const struct tapir_spec *f, s64 n)
{
	const u32 by_width = binary_size(f->width) ? binary_size(f->width) : 8;
	const u32 bytes = binary_size(f->precision) ? binary_size(f->precision) : by_width;
	const s32 padding = f->width - (s32)bytes;

	if (!(f->flags & TAPIR_FMT_LEFT))
		tapir_sink_pad(k, '\0', padding);
	tapir_sink_put(k, (const char *)&n, bytes);
	if (f->flags & TAPIR_FMT_LEFT)
		tapir_sink_pad(k, '\0', padding);
}

void tapir_sink_string(struct tapir_sink *k, const struct tapir_spec *f, const char *s, u32 length)
{
	if (f->precision >= 0 && (u32)f->precision < length)
		length = (u32)f->precision;
	put_field(k, s, length, f->width, f->flags & TAPIR_FMT_LEFT);
}
