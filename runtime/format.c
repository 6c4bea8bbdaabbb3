// SPDX-License-Identifier: GPL-2.0-or-later
/* printf and sprintf over the translator's tables. */
#include <tapir/tapir.h>
#include "handler.h"
#include "format_internal.h"

#define PAGE_BYTES 4096

static inline void put(struct tapir_sink *k, const char *bytes, u32 length)
{
	u32 room;

	if (!k->dst) {
		struct tapir_ctx *c = k->c;

		if (TAPIR_UNLIKELY(length > TAPIR_OUTPUT_MAX - c->out_len)) {
			tapir_print_bytes(c, bytes, length);
			return;
		}
		tapir_copy_short(c->out + c->out_len, bytes, length);
		c->out_len += length;
		return;
	}
	room = k->cap - 1 - k->length;
	if (length > room)
		length = room;
	tapir_copy_short(k->dst + k->length, bytes, length);
	k->length += length;
}

void tapir_sink_put(struct tapir_sink *k, const char *bytes, u32 length)
{
	put(k, bytes, length);
}

static void pad(struct tapir_sink *k, char mark, s32 n)
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
		pad(k, ' ', width - (s32)length);
	tapir_sink_put(k, text, length);
	if (left)
		pad(k, ' ', width - (s32)length);
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
	/* A precision from an argument may be any number: what is shown is bounded. */
	zeros = f->precision > TAPIR_OUTPUT_MAX ? TAPIR_OUTPUT_MAX : f->precision > length ? f->precision - length : 0;
	if ((f->flags & TAPIR_FMT_ZERO) && !(f->flags & TAPIR_FMT_LEFT) && f->precision < 0 &&
	    f->width > length + (s32)prefix_length)
		zeros = f->width - length - (s32)prefix_length;
	total = (s32)prefix_length + zeros + length;
	if (!(f->flags & TAPIR_FMT_LEFT))
		pad(k, ' ', f->width - total);
	tapir_sink_put(k, prefix, prefix_length);
	pad(k, '0', zeros);
	tapir_sink_put(k, digits, (u32)length);
	if (f->flags & TAPIR_FMT_LEFT)
		pad(k, ' ', f->width - total);
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

void tapir_sink_string(struct tapir_sink *k, const struct tapir_spec *f, const char *s, u32 limit)
{
	if (!s)
		s = "<NULL>";
	if (f->precision >= 0 && (u32)f->precision < limit - 1)
		limit = (u32)f->precision + 1;
	put_field(k, s, tapir_strlen(s, limit), f->width, f->flags & TAPIR_FMT_LEFT);
}

/* The low 1, 2, 4 or 8 bytes, as the width says, in the machine's order. */
static void put_binary(struct tapir_sink *k, const struct tapir_spec *f, s64 n)
{
	u32 length = f->width == 1 || f->width == 2 || f->width == 4 ? (u32)f->width : 8;

	tapir_sink_put(k, (const char *)&n, length);
}

static bool put_memory(struct tapir_sink *k, const struct tapir_spec *f, u64 address)
{
	static const char digits[] = "0123456789abcdef";
	s64 bytes = f->precision < 0 ? 1 : f->precision;
	s64 shown = f->conv == TAPIR_CONV_MEMORY_HEX ? 2 * bytes : bytes;
	char chunk[64], hex[128];
	u32 i, part;

	if (bytes > PAGE_BYTES) {
		tapir_errorf(k->c, f->site, "%lld is too many bytes for a memory dump", (long long)bytes);
		return false;
	}
	if (!(f->flags & TAPIR_FMT_LEFT))
		pad(k, ' ', f->width - (s32)shown);
	for (; bytes > 0; bytes -= part, address += part) {
		part = bytes < (s64)sizeof(chunk) ? (u32)bytes : (u32)sizeof(chunk);
		if (f->flags & TAPIR_FMT_ALTERNATE ? tapir_port_read_user(chunk, address, part)
						   : tapir_port_read_kernel(chunk, address, part)) {
			tapir_errorf(k->c, f->site, "read fault [man error::fault] at 0x%llx", (unsigned long long)address);
			return false;
		}
		for (i = 0; i < part; i++) {
			hex[2 * i] = digits[(unsigned char)chunk[i] >> 4];
			hex[2 * i + 1] = digits[(unsigned char)chunk[i] & 15];
		}
		if (f->conv == TAPIR_CONV_MEMORY_HEX)
			tapir_sink_put(k, hex, 2 * part);
		else
			tapir_sink_put(k, chunk, part);
	}
	if (f->flags & TAPIR_FMT_LEFT)
		pad(k, ' ', f->width - (s32)shown);
	return true;
}

static s32 clamp(s64 n, s32 low, s32 high)
{
	return n < low ? low : n > high ? high : (s32)n;
}

/* Reads the * arguments: a negative width means left-justified, a negative precision none, as in C. */
static const union tapir_val *read_stars(struct tapir_spec *f, const struct tapir_fmt *fmt, const union tapir_val *args)
{
	f->conv = fmt->conv;
	f->flags = fmt->flags;
	f->width = clamp(fmt->width, 0, TAPIR_OUTPUT_MAX);
	f->precision = clamp(fmt->precision, TAPIR_FMT_UNSET, PAGE_BYTES + 1);
	if (fmt->precision > PAGE_BYTES)
		f->precision = fmt->precision;
	if (fmt->flags & TAPIR_FMT_WIDTH_ARG) {
		s64 n = (args++)->n;

		if (n < 0) {
			f->flags |= TAPIR_FMT_LEFT;
			n = n < -TAPIR_OUTPUT_MAX ? TAPIR_OUTPUT_MAX : -n;
		}
		f->width = clamp(n, 0, TAPIR_OUTPUT_MAX);
	}
	if (fmt->flags & TAPIR_FMT_PRECISION_ARG)
		f->precision = clamp((args++)->n, TAPIR_FMT_UNSET, 0x7fffffff);
	return args;
}

static bool convert(struct tapir_sink *k, const struct tapir_spec *f, union tapir_val value)
{
	switch (f->conv) {
	case TAPIR_CONV_STRING:
		tapir_sink_string(k, f, value.s, tapir_module.string_cap);
		return true;
	case TAPIR_CONV_CHAR:
		tapir_sink_char(k, f, value.n);
		return true;
	case TAPIR_CONV_BINARY:
		put_binary(k, f, value.n);
		return true;
	case TAPIR_CONV_MEMORY:
	case TAPIR_CONV_MEMORY_HEX:
		return put_memory(k, f, (u64)value.n);
	default:
		tapir_sink_number(k, f, (u64)value.n);
		return true;
	}
}

/* %d and %s without any decoration, what most formats consist of. */
static inline bool is_plain(const struct tapir_fmt *fmt)
{
	return !fmt->flags && fmt->width < 0 && fmt->precision < 0 &&
	       (fmt->conv == TAPIR_CONV_DECIMAL || fmt->conv == TAPIR_CONV_STRING);
}

static void put_plain(struct tapir_sink *k, u32 conv, union tapir_val value)
{
	char buffer[TAPIR_DIGITS_MAX];
	const char *digits;

	if (conv == TAPIR_CONV_STRING) {
		const char *s = value.s ? value.s : "<NULL>";

		put(k, s, tapir_strlen(s, tapir_module.string_cap));
		return;
	}
	digits = tapir_digits(buffer, value.n < 0 ? 0 - (u64)value.n : (u64)value.n, 10, false);
	if (value.n < 0)
		put(k, "-", 1);
	put(k, digits, (u32)(buffer + TAPIR_DIGITS_MAX - digits));
}

static bool format_all(struct tapir_sink *k, const struct tapir_fmt *fmt, u32 nfmt, const union tapir_val *args,
		       const struct tapir_site *site)
{
	struct tapir_spec f;
	u32 i;

	f.site = site;
	for (i = 0; i < nfmt; i++, fmt++) {
		if (fmt->conv == TAPIR_CONV_LITERAL) {
			put(k, fmt->literal, fmt->literal_len);
			continue;
		}
		if (is_plain(fmt)) {
			put_plain(k, fmt->conv, *args++);
			continue;
		}
		args = read_stars(&f, fmt, args);
		if (!convert(k, &f, *args++))
			return false;
	}
	return true;
}

void tapir_printf(struct tapir_ctx *c, const struct tapir_fmt *fmt, u32 nfmt, const union tapir_val *args,
		  const struct tapir_site *site)
{
	struct tapir_sink k;

	k.c = c;
	k.dst = NULL;
	k.length = 0;
	k.cap = 0;
	format_all(&k, fmt, nfmt, args, site);
}

void tapir_sprintf(struct tapir_ctx *c, char *dst, u32 cap, const struct tapir_fmt *fmt, u32 nfmt, const union tapir_val *args,
		   const struct tapir_site *site)
{
	struct tapir_sink k;

	k.c = c;
	k.dst = dst;
	k.length = 0;
	k.cap = cap;
	format_all(&k, fmt, nfmt, args, site);
	dst[k.length] = 0;
}
