/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RCU's grace periods while many things are unregistered. */
#ifndef TAPIR_COMPAT_GRACE_PERIOD_H
#define TAPIR_COMPAT_GRACE_PERIOD_H

#include <linux/rcupdate.h>
#include <tapir_kernel_features.h>

/*
 * Between the two all of the kernel's waits for a grace period take the short way, which interrupts processors that are busy. Those
 * within unregister_kprobes() cannot be asked for one by one. Exported since 4.1 (0d39482c3db1), and declared for RCU itself only.
 * The kernel does not do it where that was ruled out (rcupdate.rcu_normal, PREEMPT_RT).
 */
#if TAPIR_HAVE_RCU_EXPEDITE_GP
void rcu_expedite_gp(void);
void rcu_unexpedite_gp(void);

static inline void tapir_grace_periods_hurry(void)
{
	rcu_expedite_gp();
}

static inline void tapir_grace_periods_hurry_no_more(void)
{
	rcu_unexpedite_gp();
}
#else
static inline void tapir_grace_periods_hurry(void)
{
}

static inline void tapir_grace_periods_hurry_no_more(void)
{
}
#endif

#endif
