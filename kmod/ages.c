// SPDX-License-Identifier: GPL-2.0-or-later
/* When elements of arrays have passed their age: see runtime/map_age.c. */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <runtime/handler.h>
#include "ages.h"

static u64 tapir_ages_due; /* ns; 0: elements of no array age */

void tapir_ages_begin(void)
{
	tapir_ages_due = tapir_globals_age(ktime_get_ns());
}

void tapir_ages_tend(void)
{
	if (tapir_ages_due && ktime_get_ns() >= tapir_ages_due)
		tapir_ages_begin();
}

#define TAPIR_AGES_PAUSE_MS 3600000u /* at most, to stay within what is a number of ms */

long tapir_ages_next(void)
{
	u64 now = ktime_get_ns();

	if (!tapir_ages_due)
		return MAX_SCHEDULE_TIMEOUT;
	if (now >= tapir_ages_due)
		return 0;
	return (long)msecs_to_jiffies((u32)min_t(u64, div_u64(tapir_ages_due - now, NSEC_PER_MSEC), TAPIR_AGES_PAUSE_MS)) + 1;
}
