/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the users of conversions: printf of scripts (format.c) and of C (message.c). The conversions are in sink.c. */
#ifndef TAPIR_FORMAT_INTERNAL_H
#define TAPIR_FORMAT_INTERNAL_H

#include <tapir/format.h>
#include <tapir/tapir.h>
#include "handler.h"

/* Where characters go: a handler's output, or a buffer (then `c` is only for errors and may be NULL). */
struct tapir_sink {
	struct tapir_ctx *c;
	char *dst; /* NULL: the output */
	u32 length;
	u32 cut; /* something did not fit: counted, or not to be */
	u32 cap;
};

struct tapir_spec { /* one conversion, complete */
	u32 conv, flags;
	s32 width, precision; /* width >= 0; precision TAPIR_FMT_UNSET if none */
	const struct tapir_site *site;
};

/* Buffers are cut at cap - 1. */
__attribute__((__cold__)) void tapir_sink_cut(struct tapir_sink *k);
void tapir_sink_put(struct tapir_sink *k, const char *bytes, u32 length);
/* The same, for what is most of a format. */
static inline void tapir_sink_put_inline(struct tapir_sink *k, const char *bytes, u32 length)
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
	if (TAPIR_UNLIKELY(length > room)) {
		length = room;
		tapir_sink_cut(k);
	}
	tapir_copy_short(k->dst + k->length, bytes, length);
	k->length += length;
}

/* `n` times `mark`; none if it is negative. */
void tapir_sink_pad(struct tapir_sink *k, char mark, s32 n);
void tapir_sink_number(struct tapir_sink *k, const struct tapir_spec *f, u64 n);
void tapir_sink_char(struct tapir_sink *k, const struct tapir_spec *f, s64 n);
/* At most `limit` - 1 bytes of the string; NULL prints as <NULL>. */
void tapir_sink_string(struct tapir_sink *k, const struct tapir_spec *f, const char *s, u32 limit);

#endif
