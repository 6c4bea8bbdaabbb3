/* SPDX-License-Identifier: GPL-2.0-or-later */
/* <linux/tracepoint.h>: in what state probes are called. */
#ifndef TAPIR_COMPAT_TRACEPOINT_H
#define TAPIR_COMPAT_TRACEPOINT_H

#include <linux/preempt.h>
#include <linux/tracepoint.h>

/*
 * Up to 6.12, the macro __DO_TRACE turns preemption off around the probes of every tracepoint. Its successors do so for some
 * tracepoints, and in 7.2 (a46023d5616e) for none. Then we do it ourselves.
 */
static __always_inline void tapir_tracepoint_enter(void)
{
#ifndef __DO_TRACE
	preempt_disable_notrace();
#endif
}

static __always_inline void tapir_tracepoint_leave(void)
{
#ifndef __DO_TRACE
	preempt_enable_notrace();
#endif
}

#endif
