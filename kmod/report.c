// SPDX-License-Identifier: GPL-2.0-or-later
/* Messages of the session itself: see report.h. */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <tapir/port.h>
#include "relay.h"
#include "report.h"
#include "state.h"

static void tapir_session_report(u8 type, const char *format, va_list args)
{
	char *text = kvasprintf(GFP_KERNEL, format, args);

	if (!text)
		return;
	tapir_port_emit(tapir_session_context, type, text, min_t(size_t, strlen(text), TAPIR_RECORD_MAX));
	kfree(text);
}

void tapir_session_fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	tapir_session_report(TAPIR_REC_ERROR, format, args);
	va_end(args);
	tapir_session_set_failed();
}

void tapir_session_warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	tapir_session_report(TAPIR_REC_WARNING, format, args);
	va_end(args);
}

void tapir_session_note(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = kvasprintf(GFP_KERNEL, format, args);
	va_end(args);
	if (text)
		tapir_relay_note(TAPIR_REC_WARNING, text, strlen(text));
	kfree(text);
}
