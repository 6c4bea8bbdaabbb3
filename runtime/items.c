// SPDX-License-Identifier: GPL-2.0-or-later
/* The code for items and formats that the module and the loader share: see tapir/items.h. */
#include <tapir/items.h>
#include <tapir/wire.h>

u32 tapir_item_bytes(const struct tapir_item_format *formats, u32 nformats, const char *item, u32 room)
{
	const struct tapir_item_format *f;
	u16 head[2];
	u32 at, n;

	if (room < sizeof(head[0]))
		return 0;
	__builtin_memcpy(head, item, sizeof(head[0]));
	if (head[0] == TAPIR_ITEM_TEXT) {
		if (room < TAPIR_ITEM_TEXT_BYTES)
			return 0;
		__builtin_memcpy(head, item, sizeof(head));
		return room - TAPIR_ITEM_TEXT_BYTES < head[1] ? 0 : TAPIR_ITEM_TEXT_BYTES + head[1];
	}
	if (head[0] == TAPIR_ITEM_FRAMES)
		return room < sizeof(struct tapir_item_frames) ? 0 : sizeof(struct tapir_item_frames);
	if (head[0] == TAPIR_ITEM_HISTOGRAM) {
		if (room < sizeof(struct tapir_item_histogram))
			return 0;
		__builtin_memcpy(head, item, sizeof(head));
		return head[1] < sizeof(struct tapir_item_histogram) || head[1] > room ? 0 : head[1];
	}
	if (head[0] >= nformats)
		return 0;
	f = &formats[head[0]];
	for (at = sizeof(head[0]), n = 0; n < f->nargs; n++) {
		if (!(f->strings >> n & 1)) {
			at += 8;
			continue;
		}
		while (at < room && item[at])
			at++;
		at++;
	}
	return at > room ? 0 : at;
}

u32 tapir_format_bytes(const struct tapir_item_format *f)
{
	u32 bytes = 0, i;

	for (i = 0; i < f->npieces; i++)
		bytes += (u32)sizeof(struct tapir_piece) + f->pieces[i].literal_len;
	return bytes;
}

void tapir_format_describe(const struct tapir_item_format *f, char *dst)
{
	u32 i;

	for (i = 0; i < f->npieces; i++) {
		const struct tapir_fmt *fmt = &f->pieces[i];
		struct tapir_piece piece = {.conv = fmt->conv, .flags = fmt->flags};

		piece.width = fmt->width;
		piece.precision = fmt->precision;
		piece.literal = fmt->literal_len;
		__builtin_memcpy(dst, &piece, sizeof(piece));
		dst += sizeof(piece);
		if (fmt->literal_len)
			__builtin_memcpy(dst, fmt->literal, fmt->literal_len);
		dst += fmt->literal_len;
	}
}
