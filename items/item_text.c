// SPDX-License-Identifier: GPL-2.0-or-later
/* The text of items: see item_text.h. The conversions are those of handlers (sink.c), so the text is the same. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format_internal.h"
#include "items/event_text.h"
#include "items/item_text.h"

/* Bytes of text that a conversion adds to those of a string. */
static u32 spread_of(const struct tapir_fmt *fmt)
{
	u32 width = fmt->width > 0 ? (u32)fmt->width : 0, precision = fmt->precision > 0 ? (u32)fmt->precision : 0;

	if (fmt->conv == TAPIR_CONV_LITERAL)
		return fmt->flags & TAPIR_FMT_TABLE			     ? 0
		       : fmt->flags & (TAPIR_FMT_TRIGGER | TAPIR_FMT_RECALL) ? TAPIR_EVENT_SPREAD
									     : fmt->literal_len;
	if (fmt->conv == TAPIR_CONV_STRING)
		return width;
	return width > precision + TAPIR_ITEM_DIGITS ? width : precision + TAPIR_ITEM_DIGITS;
}

static bool is_sound(const struct tapir_piece *piece)
{
	const s32 most = (s32)TAPIR_ITEM_SPREAD;

	return piece->conv < TAPIR_CONV_MEMORY && !(piece->flags & (TAPIR_FMT_WIDTH_ARG | TAPIR_FMT_PRECISION_ARG)) &&
	       piece->width >= TAPIR_FMT_UNSET && piece->width <= most && piece->precision >= TAPIR_FMT_UNSET &&
	       (piece->precision <= most || piece->conv == TAPIR_CONV_STRING) &&
	       (!piece->literal || piece->conv == TAPIR_CONV_LITERAL);
}

/* Takes the next piece off the description. */
static bool read_piece(const char **at, const char *end, struct tapir_fmt *fmt)
{
	struct tapir_piece piece;

	if ((size_t)(end - *at) < sizeof(piece))
		return false;
	memcpy(&piece, *at, sizeof(piece));
	*at += sizeof(piece);
	if (!is_sound(&piece) || (size_t)(end - *at) < piece.literal)
		return false;
	fmt->conv = piece.conv;
	fmt->flags = piece.flags;
	fmt->width = piece.width;
	fmt->precision = piece.precision;
	fmt->literal = *at;
	fmt->literal_len = piece.literal;
	*at += piece.literal;
	return true;
}

int tapir_format_read(const char *description, u32 length, struct tapir_item_format *f)
{
	const char *at = description, *end = description + length;
	struct tapir_fmt *pieces = calloc(length / sizeof(struct tapir_piece) + 1, sizeof(*pieces));
	u32 spread = 0, n = 0, nargs = 0;

	memset(f, 0, sizeof(*f));
	if (!pieces)
		return -ENOMEM;
	while (at < end) {
		struct tapir_fmt *piece = &pieces[n++];

		if (n > 0xffff || !read_piece(&at, end, piece) || (spread += spread_of(piece)) > TAPIR_ITEM_SPREAD)
			goto bad;
		f->ends_line = piece->literal_len && piece->literal[piece->literal_len - 1] == '\n';
		if (piece->conv == TAPIR_CONV_LITERAL)
			continue;
		if (nargs == TAPIR_ITEM_ARGS)
			goto bad;
		if (piece->conv == TAPIR_CONV_STRING)
			f->strings |= 1u << nargs;
		nargs++;
	}
	f->pieces = pieces;
	f->npieces = (u16)n;
	f->nargs = (u8)nargs;
	return 0;
bad:
	free(pieces);
	return -EINVAL;
}

void tapir_format_free(struct tapir_item_format *f)
{
	free((void *)f->pieces);
	f->pieces = NULL;
	f->npieces = 0;
}

u32 tapir_item_text_most(const struct tapir_item_format *f, u32 bytes)
{
	return f ? TAPIR_ITEM_SPREAD + bytes : bytes + TAPIR_ITEM_DIGITS;
}

/* A number, or where a string is; `at` then is behind it. */
static s64 next_number(const char **at)
{
	s64 n;

	memcpy(&n, *at, sizeof(n));
	*at += sizeof(n);
	return n;
}

static void put_conversion(struct tapir_sink *k, const struct tapir_fmt *fmt, const char **at)
{
	struct tapir_spec spec = {.conv = fmt->conv, .flags = fmt->flags};
	const char *s = *at;
	u32 length;

	spec.width = fmt->width > 0 ? fmt->width : 0;
	spec.precision = fmt->precision;
	if (fmt->conv != TAPIR_CONV_STRING) {
		tapir_sink_value(k, &spec, next_number(at));
		return;
	}
	length = (u32)strlen(s);
	*at += length + 1;
	tapir_sink_string(k, &spec, s, length);
}

/* From a piece of the format on; `at`: its argument. */
static void put_pieces(struct tapir_sink *k, const struct tapir_item_format *f, u32 from, const char *at)
{
	const struct tapir_fmt *fmt;

	for (fmt = f->pieces + from; fmt < f->pieces + f->npieces; fmt++) {
		if (fmt->conv == TAPIR_CONV_LITERAL && fmt->flags & TAPIR_FMT_TABLE) {
			continue;
		} else if (fmt->conv == TAPIR_CONV_LITERAL) {
			tapir_sink_put_inline(k, fmt->literal, fmt->literal_len);
		} else if (tapir_fmt_is_plain(fmt) && fmt->conv == TAPIR_CONV_DECIMAL) {
			tapir_sink_decimal(k, next_number(&at));
		} else {
			put_conversion(k, fmt, &at);
		}
	}
}

u32 tapir_item_text(const struct tapir_item_format *f, const char *item, u32 bytes, char *dst, u32 room)
{
	struct tapir_sink k = {.dst = dst, .limit = room, .cut = 1};
	char frame[TAPIR_EVENT_FRAME];
	struct tapir_item_frames frames;
	struct tapir_event event;
	u32 length;

	if (!f && bytes == sizeof(frames) && memcmp(item, &(u16){TAPIR_ITEM_FRAMES}, sizeof(u16)) == 0) {
		memcpy(&frames, item, sizeof(frames));
		return (u32)snprintf(dst, room, "%s0x%llx\n", frames.form == TAPIR_FRAMES_BRIEF ? "" : " ",
				     (unsigned long long)frames.address);
	}
	if (!f) {
		length = bytes - TAPIR_ITEM_TEXT_BYTES;
		tapir_sink_put(&k, item + TAPIR_ITEM_TEXT_BYTES, length);
		return k.length;
	}
	if (tapir_event_read(&event, f, item)) {
		tapir_sink_put(&k, frame, tapir_event_front(&event, frame));
		put_pieces(&k, f, event.piece, event.at);
		tapir_sink_put(&k, frame, tapir_event_back(&event, frame));
		return k.length;
	}
	put_pieces(&k, f, 0, item + sizeof(u16));
	return k.length;
}
