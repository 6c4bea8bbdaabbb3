/* SPDX-License-Identifier: GPL-2.0-or-later */
/* <linux/timer.h> and <linux/hrtimer.h>: set-up and deletion were renamed, in 6.13 (908a1d775422) and 6.2 (9b13df3fb64e);
 * the old names of both are gone in 7.2. */
#ifndef TAPIR_COMPAT_TIMER_H
#define TAPIR_COMPAT_TIMER_H

#include <linux/hrtimer.h>
#include <linux/timer.h>
#include <tapir_kernel_features.h>

static inline void tapir_hrtimer_setup(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *))
{
#if TAPIR_HAVE_HRTIMER_SETUP
	hrtimer_setup(timer, function, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	timer->function = function;
#endif
}

/* Waits for a running callback; it must not re-arm itself any more. */
static inline void tapir_timer_delete_sync(struct timer_list *timer)
{
#if TAPIR_HAVE_TIMER_DELETE_SYNC
	timer_delete_sync(timer);
#else
	del_timer_sync(timer);
#endif
}

#endif
