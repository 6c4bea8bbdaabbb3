/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the users of conversions: printf of scripts (format.c) and of C (message.c). And by the
 * loader, which makes text of items (items/item_text.c). The conversions are in sink.c.
 */
#ifndef TAPIR_FORMAT_INTERNAL_H
#define TAPIR_FORMAT_INTERNAL_H

#include <tapir/format.h>
#include <tapir/string_word.h>
#include <tapir/tapir.h>
#include "handler.h"

/* Where characters go: a handler's output, or a buffer. */
struct tapir_sink {
	char *dst;
	u32 length, limit;   /* of the bytes that dst has room for */
	u32 cut;	     /* a buffer's: something did not fit, which is counted, or is not to be */
	struct tapir_ctx *c; /* whose output it is; NULL: a buffer. Buffers use it for errors only */
	bool output;
};

struct tapir_spec { /* one conversion, complete */
	u32 conv, flags;
	s32 width, precision; /* width >= 0; precision TAPIR_FMT_UNSET if none */
	const struct tapir_site *site;
};

/* Puts what does not fit: into the next record of the output; buffers are cut at their limit. */
__attribute__((__cold__)) void tapir_sink_full(struct tapir_sink *k, const char *bytes, u32 length);
void tapir_sink_put(struct tapir_sink *k, const char *bytes, u32 length);
/* The same, for what is most of a format. */
static inline void tapir_sink_put_inline(struct tapir_sink *k, const char *bytes, u32 length)
{
	if (TAPIR_UNLIKELY(length > k->limit - k->length)) {
		tapir_sink_full(k, bytes, length);
		return;
	}
	tapir_copy_short(k->dst + k->length, bytes, length);
	k->length += length;
}

/* The output as a sink, from open to close; nothing else may print meanwhile. */
void tapir_output_open(struct tapir_ctx *c, struct tapir_sink *k);
void tapir_output_close(struct tapir_sink *k);
/* Items may be appended, if there is room: text in front of them becomes one. */
void tapir_output_items(struct tapir_ctx *c);
/* Room for an item of at most TAPIR_OUTPUT_MAX bytes, all of which the caller has to write. */
char *tapir_output_item(struct tapir_ctx *c, u32 bytes);
/* Appends an item of TAPIR_ITEM_FRAMES. */
void tapir_output_frames(struct tapir_ctx *c, u32 id, u16 form, u64 address);
/* Hands on what is complete, up to the last newline, so that lines stay whole; everything if there is no newline. */
void tapir_output_make_room(struct tapir_ctx *c);

/* `n` times `mark`; none if it is negative. */
void tapir_sink_pad(struct tapir_sink *k, char mark, s32 n);
void tapir_sink_number(struct tapir_sink *k, const struct tapir_spec *f, u64 n);
void tapir_sink_char(struct tapir_sink *k, const struct tapir_spec *f, s64 n);
/* Writes `n` as %d without flags, width and precision does. */
void tapir_sink_decimal(struct tapir_sink *k, s64 n);
/* As many of the string's bytes as the precision says. */
void tapir_sink_string(struct tapir_sink *k, const struct tapir_spec *f, const char *s, u32 length);
/* The low 1, 2, 4 or 8 bytes, as the precision or else the width says, in the machine's order. NULs fill the width. */
void tapir_sink_binary(struct tapir_sink *k, const struct tapir_spec *f, s64 n);

/* A conversion of a number, other than of memory at an address. */
static inline void tapir_sink_value(struct tapir_sink *k, const struct tapir_spec *f, s64 n)
{
	if (f->conv == TAPIR_CONV_CHAR)
		tapir_sink_char(k, f, n);
	else if (f->conv == TAPIR_CONV_BINARY)
		tapir_sink_binary(k, f, n);
	else
		tapir_sink_number(k, f, (u64)n);
}

/* %d and %s without any decoration, what most formats consist of. */
static inline bool tapir_fmt_is_plain(const struct tapir_fmt *fmt)
{
	return !fmt->flags && fmt->width < 0 && fmt->precision < 0 &&
	       (fmt->conv == TAPIR_CONV_DECIMAL || fmt->conv == TAPIR_CONV_STRING);
}

#endif
