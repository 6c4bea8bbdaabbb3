/* SPDX-License-Identifier: GPL-2.0-or-later */
/* __trace_puts(): exported by kernels with CONFIG_TRACING; those between 6.12, which does not, and 7.2 begin to take the size from
 * the text. */
#ifndef TAPIR_COMPAT_TRACE_PUTS_H
#define TAPIR_COMPAT_TRACE_PUTS_H

#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <tapir_kernel_features.h>

/* Bytes that were written; 0: tracing is off. */
static inline int tapir_trace_puts(const char *text)
{
#if TAPIR_HAVE_TRACE_PUTS_TEXT
	return __trace_puts(_THIS_IP_, text);
#elif TAPIR_HAVE_TRACE_PUTS
	return __trace_puts(_THIS_IP_, text, strlen(text));
#else
	return 0;
#endif
}

#endif
