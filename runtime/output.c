// SPDX-License-Identifier: GPL-2.0-or-later
/* A handler's output: collected in its context, handed on as whole records. */
#include <tapir/tapir.h>
#include "handler.h"

/* Makes room: emits what is complete, up to the last newline, so that lines stay whole; everything if there is no newline. */
static void make_room(struct tapir_ctx *c)
{
	u32 length = c->out_len;

	while (length > 0 && c->out[length - 1] != '\n')
		length--;
	if (!length)
		length = c->out_len;
	tapir_port_emit(c, TAPIR_REC_DATA, c->out, length);
	c->out_len -= length;
	__builtin_memmove(c->out, c->out + length, c->out_len);
}

void tapir_print_bytes(struct tapir_ctx *c, const void *p, u32 len)
{
	const char *bytes = p;

	while (TAPIR_UNLIKELY(len > TAPIR_OUTPUT_MAX - c->out_len)) {
		u32 part = TAPIR_OUTPUT_MAX - c->out_len;

		/* A text that does not fit behind the last whole line goes to the next record as one. */
		if (c->out_len && len <= TAPIR_OUTPUT_MAX / 2)
			part = 0;
		__builtin_memcpy(c->out + c->out_len, bytes, part);
		c->out_len += part;
		bytes += part;
		len -= part;
		make_room(c);
	}
	tapir_copy_short(c->out + c->out_len, bytes, len);
	c->out_len += len;
}

void tapir_print_string(struct tapir_ctx *c, const char *s)
{
	tapir_print_bytes(c, s, tapir_strlen(s, tapir_module.string_cap));
}

void tapir_output_flush(struct tapir_ctx *c)
{
	if (!c->out_len)
		return;
	tapir_port_emit(c, TAPIR_REC_DATA, c->out, c->out_len);
	c->out_len = 0;
}

void tapir_warn(struct tapir_ctx *c, const char *text)
{
	tapir_port_emit(c, TAPIR_REC_WARNING, text, tapir_strlen(text, TAPIR_OUTPUT_MAX));
}
