// SPDX-License-Identifier: GPL-2.0-or-later
/* A handler's output: collected in its context, handed on as whole records. */
#include <tapir/string_word.h>
#include <tapir/tapir.h>
#include "handler.h"
#include "format_internal.h"

static void put_header(struct tapir_ctx *c, u32 at, u32 length)
{
	*(tapir_any16 *)(c->out + at) = TAPIR_ITEM_TEXT;
	*(tapir_any16 *)(c->out + at + 2) = (u16)length;
}

/* The text that is being written among items is complete. */
static void end_text(struct tapir_ctx *c)
{
	u32 length = c->out_len - c->out_header - TAPIR_ITEM_TEXT_BYTES;

	if (length)
		put_header(c, c->out_header, length);
	else
		c->out_len = c->out_header;
	c->out_text = 0;
}

/* Hands on the first `length` bytes; what follows `kept` stays. */
static void emit_part(struct tapir_ctx *c, u32 length, u32 kept)
{
	tapir_work_add(c, length * (u64)TAPIR_WORK_BYTE);
	tapir_port_emit(c, c->out_items ? TAPIR_REC_PRINT : TAPIR_REC_DATA, c->out, length);
	c->out_len -= kept;
	__builtin_memmove(c->out, c->out + kept, c->out_len);
}

/* Where the last newline ends that is at `from` or behind it; `from` if there is none. */
static u32 behind_newline(const struct tapir_ctx *c, u32 from, u32 end)
{
	while (end > from && c->out[end - 1] != '\n')
		end--;
	return end;
}

/* Emits the items with whole lines. An item of text may be divided: the rest gets a header of its own. */
static void make_room_among_items(struct tapir_ctx *c)
{
	u32 at, bytes, found, whole = 0, in = 0, in_end = 0;

	for (at = 0; at < c->out_len; at += bytes) {
		u16 number = *(const tapir_any16 *)(c->out + at);

		bytes = tapir_item_bytes(tapir_module.formats, tapir_module.nformats, c->out + at, c->out_len - at);
		if (!bytes)
			break;
		if (number == TAPIR_ITEM_TEXT)
			found = behind_newline(c, at + TAPIR_ITEM_TEXT_BYTES, at + bytes);
		else
			found = at + (number >= TAPIR_ITEM_FORMATS || tapir_module.formats[number].ends_line ? bytes : 0);
		if (found > at + (number == TAPIR_ITEM_TEXT ? TAPIR_ITEM_TEXT_BYTES : 0)) {
			whole = found;
			in = at;
			in_end = at + bytes;
		}
	}
	if (!whole)
		whole = in_end = c->out_len;
	if (whole == in_end) {
		emit_part(c, whole, whole);
		return;
	}
	put_header(c, in, whole - in - TAPIR_ITEM_TEXT_BYTES);
	emit_part(c, whole, whole - TAPIR_ITEM_TEXT_BYTES);
	put_header(c, 0, in_end - whole);
}

void tapir_output_make_room(struct tapir_ctx *c)
{
	u32 whole;

	if (c->out_items) {
		if (c->out_text)
			end_text(c);
		make_room_among_items(c);
		c->out_items = c->out_len != 0;
		return;
	}
	whole = behind_newline(c, 0, c->out_len);
	if (!whole)
		whole = c->out_len;
	emit_part(c, whole, whole);
}

/* Text may be appended, and there is room for some. */
static void begin_text(struct tapir_ctx *c)
{
	while (c->out_items && c->out_len >= TAPIR_OUTPUT_MAX - TAPIR_ITEM_TEXT_BYTES)
		tapir_output_make_room(c);
	if (c->out_items) {
		c->out_header = c->out_len;
		c->out_len += TAPIR_ITEM_TEXT_BYTES;
	}
	c->out_text = 1;
}

void tapir_output_items(struct tapir_ctx *c)
{
	if (!c->out_text)
		return;
	if (c->out_items) {
		end_text(c);
		c->out_items = c->out_len != 0;
		return;
	}
	while (c->out_len > TAPIR_OUTPUT_MAX - TAPIR_ITEM_TEXT_BYTES)
		tapir_output_make_room(c);
	c->out_text = 0;
	if (!c->out_len)
		return;
	__builtin_memmove(c->out + TAPIR_ITEM_TEXT_BYTES, c->out, c->out_len);
	put_header(c, 0, c->out_len);
	c->out_len += TAPIR_ITEM_TEXT_BYTES;
	c->out_items = 1;
}

char *tapir_output_item(struct tapir_ctx *c, u32 bytes)
{
	char *item;

	tapir_output_items(c);
	while (c->out_len > TAPIR_OUTPUT_MAX - bytes)
		tapir_output_make_room(c);
	item = c->out + c->out_len;
	c->out_len += bytes;
	c->out_items = 1;
	return item;
}

void tapir_output_frames(struct tapir_ctx *c, u32 id, u16 form, u64 address)
{
	struct tapir_item_frames item = {.item = TAPIR_ITEM_FRAMES, .form = form, .id = id, .address = address};

	__builtin_memcpy(tapir_output_item(c, sizeof(item)), &item, sizeof(item));
}

void tapir_print_bytes(struct tapir_ctx *c, const void *p, u32 len)
{
	const char *bytes = p;

	if (!c->out_text)
		begin_text(c);
	while (TAPIR_UNLIKELY(len > TAPIR_OUTPUT_MAX - c->out_len)) {
		u32 part = TAPIR_OUTPUT_MAX - c->out_len;

		/* A text that does not fit behind the last whole line goes to the next record as one. */
		if (c->out_len && len <= TAPIR_OUTPUT_MAX / 2)
			part = 0;
		__builtin_memcpy(c->out + c->out_len, bytes, part);
		c->out_len += part;
		bytes += part;
		len -= part;
		tapir_output_make_room(c);
		if (!c->out_text)
			begin_text(c);
	}
	tapir_copy_short(c->out + c->out_len, bytes, len);
	c->out_len += len;
}

void tapir_output_open(struct tapir_ctx *c, struct tapir_sink *k)
{
	if (!c->out_text)
		begin_text(c);
	k->c = c;
	k->output = true;
	k->dst = c->out;
	k->length = c->out_len;
	k->limit = TAPIR_OUTPUT_MAX;
}

void tapir_output_close(struct tapir_sink *k)
{
	k->c->out_len = k->length;
}

void tapir_sink_full(struct tapir_sink *k, const char *bytes, u32 length)
{
	if (k->output) {
		k->c->out_len = k->length;
		tapir_print_bytes(k->c, bytes, length);
		k->length = k->c->out_len;
		return;
	}
	length = k->limit - k->length;
	__builtin_memcpy(k->dst + k->length, bytes, length);
	k->length += length;
	if (!k->cut)
		tapir_count_cut(TAPIR_CUT_STRING, k->limit + 1);
	k->cut = 1;
}

void tapir_print_string(struct tapir_ctx *c, const char *s)
{
	tapir_print_bytes(c, s, tapir_strlen(s, tapir_module.string_cap));
}

void tapir_output_flush(struct tapir_ctx *c)
{
	if (c->out_items && c->out_text)
		end_text(c);
	if (c->out_len)
		tapir_port_emit(c, c->out_items ? TAPIR_REC_PRINT : TAPIR_REC_DATA, c->out, c->out_len);
	c->out_len = 0;
	c->out_items = 0;
	c->out_text = 0;
}

void tapir_warn(struct tapir_ctx *c, const char *text)
{
	tapir_port_emit(c, TAPIR_REC_WARNING, text, tapir_strlen(text, TAPIR_OUTPUT_MAX));
}
