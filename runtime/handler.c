// SPDX-License-Identifier: GPL-2.0-or-later
/* The end of a handler: its output is flushed, and an error that escaped it is reported. */
#include <tapir/tapir.h>
#include "handler.h"

static u32 limit_text(struct tapir_ctx *c, char *dst, u32 cap)
{
	switch (c->exceeded) {
	case TAPIR_LIMIT_MAXACTION + 1:
		return tapir_format(dst, cap, " (a handler may run %llu statements)", c->exceeded_at);
	case TAPIR_LIMIT_MAXTIME + 1:
		return tapir_format(dst, cap, " (a handler may take %llu us)", c->exceeded_at);
	case TAPIR_LIMIT_MAXNESTING + 1:
		return tapir_format(dst, cap, " (%llu calls may be nested)", c->exceeded_at);
	case TAPIR_LIMIT_MAXMAPENTRIES + 1:
		return tapir_format(dst, cap, " (an array has room for %llu elements)", c->exceeded_at);
	case TAPIR_EXCEEDED_SHARE + 1:
		return tapir_format(dst, cap, " (all arrays take %llu MB; they may take a quarter of the available memory)",
				    c->exceeded_at);
	case TAPIR_EXCEEDED_MEMORY + 1:
		return tapir_format(dst, cap, " (the machine has no memory to spare; all arrays take %llu MB)", c->exceeded_at);
	case TAPIR_EXCEEDED_GROWTH + 1:
		return tapir_format(dst, cap, " (it has %llu and grows, but too many were new at once)", c->exceeded_at);
	default:
		return 0;
	}
}

/*
 * "<message> near <token> at <file>:<line>:<column> (called from <token> at <place>)... in probe <point>", cut like any string. The
 * output buffer is free at this time and serves as scratch memory. The value of a limit follows whole.
 */
static void report(struct tapir_ctx *c)
{
	u32 cap = tapir_module.string_cap < TAPIR_OUTPUT_MAX ? tapir_module.string_cap : TAPIR_OUTPUT_MAX;
	u32 i, length;

	length = tapir_format(c->out, cap, "%s", c->message);
	if (c->site)
		length += tapir_format(c->out + length, cap - length, " near %s", c->site->text);
	for (i = 0; i < c->trace_len; i++)
		length += tapir_format(c->out + length, cap - length, " (called from %s)", c->trace[i]->text);
	length += tapir_format(c->out + length, cap - length, " in probe ");
	tapir_port_pp(c, c->out + length, TAPIR_OUTPUT_MAX - length);
	length += tapir_strlen(c->out + length, TAPIR_OUTPUT_MAX - length);
	if (length >= cap)
		length = cap - 1;
	length += limit_text(c, c->out + length, TAPIR_OUTPUT_MAX - length);
	tapir_port_emit(c, TAPIR_REC_ERROR, c->out, length);
}

void tapir_handler_failed(struct tapir_ctx *c)
{
	if (c->failed == TAPIR_FAIL_ERROR || c->failed == TAPIR_FAIL_ACTIONS) {
		if (tapir_port_count_error(c))
			report(c);
	}
}
