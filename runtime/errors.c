// SPDX-License-Identifier: GPL-2.0-or-later
/* Run-time errors: raising, unwinding, catching. handler.c reports what escapes. */
#include <tapir/tapir.h>
#include "handler.h"

static void raise(struct tapir_ctx *c, u32 failure, const struct tapir_site *site)
{
	c->failed = failure;
	c->site = site;
	c->trace_len = 0;
	c->exceeded = 0;
}

void tapir_error(struct tapir_ctx *c, const struct tapir_site *site, const char *message)
{
	if (c->failed)
		return;
	raise(c, TAPIR_FAIL_ERROR, site);
	tapir_format(c->message, sizeof(c->message), "%s", message);
}

void tapir_errorf(struct tapir_ctx *c, const struct tapir_site *site, const char *format, ...)
{
	__builtin_va_list arguments;

	if (c->failed)
		return;
	raise(c, TAPIR_FAIL_ERROR, site);
	__builtin_va_start(arguments, format);
	tapir_vformat(c->message, sizeof(c->message), format, arguments);
	__builtin_va_end(arguments);
}

void tapir_error_site(struct tapir_ctx *c, const struct tapir_site *site)
{
	if (c->failed && !c->site)
		c->site = site;
}

void tapir_error_frame(struct tapir_ctx *c, const struct tapir_site *call)
{
	if (c->failed && c->trace_len < TAPIR_TRACE_MAX)
		c->trace[c->trace_len++] = call;
}

void tapir_call_failed(struct tapir_ctx *c, const struct tapir_site *call)
{
	if (c->site)
		tapir_error_frame(c, call);
	else
		tapir_error_site(c, call);
}

bool tapir_error_catch(struct tapir_ctx *c, char *dst, u32 cap)
{
	if (c->failed != TAPIR_FAIL_ERROR)
		return false;
	if (dst)
		tapir_str_copy(dst, c->message, cap);
	c->failed = TAPIR_FAIL_NONE;
	return true;
}

void tapir_error_limit(struct tapir_ctx *c, u32 limit, u64 value)
{
	c->exceeded = limit + 1;
	c->exceeded_at = value;
}

void tapir_error_nesting(struct tapir_ctx *c, const struct tapir_site *site)
{
	if (c->failed)
		return;
	tapir_error(c, site, "MAXNESTING exceeded");
	/* A larger limit does not help where the machine's stack ends. */
	if (!tapir_port_stack_low(c))
		tapir_error_limit(c, TAPIR_LIMIT_MAXNESTING, c->nesting);
}

void tapir_error_div0(struct tapir_ctx *c, const struct tapir_site *site)
{
	tapir_error(c, site, "division by 0");
}

void tapir_exit(struct tapir_ctx *c)
{
	tapir_port_request_exit(c);
}

void tapir_abort(struct tapir_ctx *c)
{
	tapir_port_request_exit(c);
	c->aborted = 1;
	if (!c->failed)
		raise(c, TAPIR_FAIL_ABORT, NULL);
}
