// SPDX-License-Identifier: GPL-2.0-or-later
/* printf and sprintf over the translator's tables. */
#include <tapir/string_word.h>
#include <tapir/tapir.h>
#include "handler.h"
#include "format_internal.h"

#define PAGE_BYTES 4096

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
	if (bytes > 0)
		tapir_work(k->c, (u64)shown * TAPIR_WORK_BYTE_WRITTEN);
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

/* The number of bytes that are shown of a string. */
static u32 string_length(const char *s, s32 precision)
{
	u32 cap = tapir_module.string_cap;

	return tapir_strlen(s, precision >= 0 && (u32)precision < cap - 1 ? (u32)precision + 1 : cap);
}

static bool convert(struct tapir_sink *k, const struct tapir_spec *f, union tapir_val value)
{
	const char *s;

	switch (f->conv) {
	case TAPIR_CONV_STRING:
		s = value.s ? value.s : "<NULL>";
		tapir_sink_string(k, f, s, string_length(s, f->precision));
		return true;
	case TAPIR_CONV_MEMORY:
	case TAPIR_CONV_MEMORY_HEX:
		return put_memory(k, f, (u64)value.n);
	default:
		tapir_sink_value(k, f, value.n);
		return true;
	}
}

static void put_plain(struct tapir_sink *k, u32 conv, union tapir_val value)
{
	if (conv == TAPIR_CONV_STRING) {
		const char *s = value.s ? value.s : "<NULL>";

		tapir_sink_put_inline(k, s, string_length(s, TAPIR_FMT_UNSET));
		return;
	}
	tapir_sink_decimal(k, value.n);
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
		if (tapir_fmt_is_plain(fmt)) {
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

	tapir_output_open(c, &k);
	format_all(&k, fmt, nfmt, args, site);
	tapir_output_close(&k);
}

void tapir_print_long(struct tapir_ctx *c, s64 n)
{
	struct tapir_sink k;

	tapir_output_open(c, &k);
	tapir_sink_decimal(&k, n);
	tapir_output_close(&k);
}

void tapir_sprintf(struct tapir_ctx *c, char *dst, u32 cap, const struct tapir_fmt *fmt, u32 nfmt, const union tapir_val *args,
		   const struct tapir_site *site)
{
	struct tapir_sink k;

	k.c = c;
	k.output = false;
	k.dst = dst;
	k.length = 0;
	k.limit = cap - 1;
	k.cut = 0;
	format_all(&k, fmt, nfmt, args, site);
	dst[k.length] = 0;
	tapir_work_add(c, k.length * (u64)TAPIR_WORK_BYTE);
}

static __attribute__((__always_inline__)) inline char *copy_text(char *p, const char *s, const char *end, bool aligned)
{
	const char *stop = p + tapir_module.string_cap;

	while (p < stop) {
		u64 word, zeros;

		if (TAPIR_UNLIKELY(p > end))
			return NULL;
		word = aligned ? tapir_word_aligned(s) : tapir_word_any(s);
		*(tapir_any64 *)p = word;
		zeros = tapir_word_zeros(word);
		if (zeros)
			return p + tapir_word_length(zeros) + 1;
		p += 8;
		s += 8;
	}
	p[-1] = 0;
	return p;
}

char *tapir_item_put_text(char *p, const char *s, const char *end)
{
	if (!s)
		s = "<NULL>";
	return (unsigned long)s % 8 ? copy_text(p, s, end, false) : copy_text(p, s, end, true);
}

/* Appends the item to the output. Nothing is appended if it does not fit. */
static bool put_item(struct tapir_ctx *c, const struct tapir_item_format *f, const union tapir_val *args)
{
	u32 strings = f->strings, left = f->nargs;
	const char *end;
	char *p;

	if (!tapir_item_open(c, f->number, f->nargs, &p, &end))
		return false;
	for (; left; left--, args++, strings >>= 1)
		if (!(strings & 1 ? tapir_item_add_text(&p, args->s, end) : tapir_item_add_number(&p, args->n)))
			return false;
	return tapir_item_close(c, p);
}

/* A row of a table, or a trigger, that is larger than a record: its texts are cut. The output is empty. */
static void put_cut_row(struct tapir_ctx *c, const struct tapir_item_format *f, const union tapir_val *args)
{
	/* As if each argument were a text. */
	const u32 most = (TAPIR_OUTPUT_MAX - (u32)sizeof(u16)) / f->nargs - 1;
	char *p = c->out;
	u32 i, length;

	*(tapir_any16 *)p = f->number;
	p += sizeof(u16);
	for (i = 0; i < f->nargs; i++) {
		if (!(f->strings >> i & 1)) {
			tapir_item_add_number(&p, args[i].n);
			continue;
		}
		length = tapir_strlen(args[i].s, most);
		__builtin_memcpy(p, args[i].s, length);
		p[length] = 0;
		p += length + 1;
		if (length == most)
			tapir_count_cut(TAPIR_CUT_STRING, most + 1);
	}
	tapir_item_close(c, p);
}

/* There is text in front of the item, or not enough room. */
static __attribute__((__cold__, __noinline__)) void print_slowly(struct tapir_ctx *c, const struct tapir_item_format *f,
								 const union tapir_val *args)
{
	tapir_output_items(c);
	if (put_item(c, f, args))
		return;
	tapir_output_make_room(c);
	if (put_item(c, f, args))
		return;
	tapir_output_flush(c);
	if (put_item(c, f, args))
		return;
	if (f->pieces->conv == TAPIR_CONV_LITERAL && f->pieces->flags & (TAPIR_FMT_TABLE | TAPIR_FMT_TRIGGER))
		put_cut_row(c, f, args);
	else
		tapir_printf(c, f->pieces, f->npieces, args, NULL);
}

void tapir_print(struct tapir_ctx *c, const struct tapir_item_format *f, const union tapir_val *args)
{
	if (TAPIR_UNLIKELY(!put_item(c, f, args)))
		print_slowly(c, f, args);
}
