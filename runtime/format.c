// SPDX-License-Identifier: GPL-2.0-or-later
/* printf and sprintf over the translator's tables. */
#include <tapir/tapir.h>
#include "handler.h"
#include "format_internal.h"

#define PAGE_BYTES 4096

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
		tapir_sink_pad(k, ' ', f->width - (s32)shown);
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
		tapir_sink_pad(k, ' ', f->width - (s32)shown);
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

		tapir_sink_put_inline(k, s, tapir_strlen(s, tapir_module.string_cap));
		return;
	}
	digits = tapir_digits(buffer, value.n < 0 ? 0 - (u64)value.n : (u64)value.n, 10, false);
	if (value.n < 0)
		tapir_sink_put_inline(k, "-", 1);
	tapir_sink_put_inline(k, digits, (u32)(buffer + TAPIR_DIGITS_MAX - digits));
}

static bool format_all(struct tapir_sink *k, const struct tapir_fmt *fmt, u32 nfmt, const union tapir_val *args,
		       const struct tapir_site *site)
{
	struct tapir_spec f;
	u32 i;

	f.site = site;
	for (i = 0; i < nfmt; i++, fmt++) {
		if (fmt->conv == TAPIR_CONV_LITERAL) {
			tapir_sink_put_inline(k, fmt->literal, fmt->literal_len);
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
	k.cut = 0;
	k.cap = cap;
	format_all(&k, fmt, nfmt, args, site);
	dst[k.length] = 0;
}
