// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * timer.*: high-resolution timers in hard interrupt context for periods in ns, the kernel's timer wheel for periods in jiffies.
 *
 * A timer cannot storm the machine. Periods have a lower bound, missed periods are skipped instead of made up for, and after a
 * handler the CPU is left alone for at least as long as the handler took. The kernel runs all timers that are due in one interrupt.
 * So that many timers of one period do not add up, those that find the CPU taken for long wait until it had as long for itself.
 *
 * The timer of a report only says that it is due. The session thread runs the handler, and starts the timer again.
 */
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <asm/irq_regs.h>
#include <tapir/port.h>
#include "compat/timer.h"
#include "condition.h"
#include "hit.h"
#include "kind.h"
#include "report.h"

#define TAPIR_TIMER_MIN_NS 50000u
/* So long may handlers run one after the other until others must wait. */
#define TAPIR_TIMER_STRETCH_NS 500000u

struct tapir_timer {
	struct tapir_hook hook;
	bool armed;	 /* the session thread's */
	bool stop;	 /* keeps a running callback from starting the timer again */
	bool report_due; /* set by the callback: the session thread is to run the report; the timer does not run */
	const struct tapir_timer_arg *arg;
	ktime_t due; /* of hr, while it waits for the CPU; 0: it does not */
	struct hrtimer hr;
	struct timer_list wheel;
};
static struct tapir_timer *tapir_timers;
static u32 tapir_ntimers;

/* The load of timers on a CPU. Used only in hard interrupts of hrtimers, which do not nest. Times are CLOCK_MONOTONIC, in ns. */
struct tapir_timer_load {
	u64 took;     /* ns of the handlers that ran without a rest between */
	u64 rests_to; /* until then the CPU rests from handlers, as long as they took */
};
static DEFINE_PER_CPU(struct tapir_timer_load, tapir_timer_loads);

/* The next period: period +- randomize. */
static u64 tapir_timer_period(const struct tapir_timer *t)
{
	u64 period = t->arg->period, randomize = min(t->arg->randomize, t->arg->period);

	if (randomize)
		period += (u64)tapir_port_random(2 * randomize + 1) - randomize;
	return t->arg->jiffies ? clamp_t(u64, period, 1, MAX_JIFFY_OFFSET) : clamp_t(u64, period, TAPIR_TIMER_MIN_NS, KTIME_MAX);
}

static void tapir_timer_hit(const struct tapir_timer *t)
{
	struct pt_regs *regs = get_irq_regs();

	tapir_hit(&t->hook, regs, regs ? instruction_pointer(regs) : 0);
}

/* Handles the timer of a report. Returns false if it does not count as a hit. */
static bool tapir_timer_report_due(struct tapir_timer *t)
{
	const struct tapir_probe *probe = t->hook.probe;

	if (READ_ONCE(tapir_session.mode) == TAPIR_MODE_OFF) {
		tapir_hit_skip(&t->hook, TAPIR_SKIP_STATE);
		return false;
	}
	if (probe->condition && !probe->condition->holds())
		return false;
	WRITE_ONCE(t->report_due, true);
	tapir_session_report_due();
	return true;
}

/* Handles an expired timer. Returns false if it must not continue, for the time being. */
static bool tapir_timer_fired(struct tapir_timer *t)
{
	if (t->hook.probe->report)
		return !tapir_timer_report_due(t);
	tapir_timer_hit(t);
	return true;
}

static enum hrtimer_restart tapir_hrtimer_fired(struct hrtimer *hr)
{
	struct tapir_timer *t = container_of(hr, struct tapir_timer, hr);
	struct tapir_timer_load *load = this_cpu_ptr(&tapir_timer_loads);
	u64 before = ktime_get_mono_fast_ns(), after;
	ktime_t earliest;

	if (READ_ONCE(t->stop))
		return HRTIMER_NORESTART;
	if (before >= load->rests_to) {
		load->took = 0;
	} else if (load->took >= TAPIR_TIMER_STRETCH_NS) {
		if (!t->due)
			t->due = hrtimer_get_expires(hr);
		hrtimer_set_expires(hr, ns_to_ktime(load->rests_to));
		return HRTIMER_RESTART;
	}
	if (t->due) {
		hrtimer_set_expires(hr, t->due);
		t->due = 0;
	}
	if (!tapir_timer_fired(t))
		return HRTIMER_NORESTART;
	after = ktime_get_mono_fast_ns();
	load->took += after - before;
	load->rests_to = after + load->took;
	earliest = ktime_add_ns(hrtimer_cb_get_time(hr), after - before);
	hrtimer_forward(hr, earliest, ns_to_ktime(tapir_timer_period(t)));
	return HRTIMER_RESTART;
}

/* When it fires again; it is a callback's or has just fired. */
static unsigned long tapir_wheel_next(const struct tapir_timer *t)
{
	unsigned long expires = t->wheel.expires + (unsigned long)tapir_timer_period(t);

	return time_before_eq(expires, jiffies) ? jiffies + 1 : expires;
}

static void tapir_wheel_fired(struct timer_list *wheel)
{
	struct tapir_timer *t = container_of(wheel, struct tapir_timer, wheel);
	bool goes_on;

	/* Threads run these timers on PREEMPT_RT. */
	preempt_disable();
	goes_on = tapir_timer_fired(t);
	preempt_enable();
	if (goes_on && !READ_ONCE(t->stop))
		mod_timer(wheel, tapir_wheel_next(t));
}

static void tapir_timer_start(struct tapir_timer *t)
{
	WRITE_ONCE(t->stop, false);
	t->armed = true;
	t->due = 0;
	if (t->arg->jiffies)
		mod_timer(&t->wheel, jiffies + (unsigned long)tapir_timer_period(t));
	else
		hrtimer_start(&t->hr, ns_to_ktime(tapir_timer_period(t)), HRTIMER_MODE_REL_HARD);
}

static void tapir_timer_cancel(struct tapir_timer *t)
{
	WRITE_ONCE(t->stop, true);
	t->armed = false;
	if (t->arg->jiffies)
		tapir_timer_delete_sync(&t->wheel);
	else
		hrtimer_cancel(&t->hr);
	/* The condition of a report that is due does not hold any more, or the session ends. */
	if (READ_ONCE(tapir_session.mode) == TAPIR_MODE_OFF && t->report_due)
		tapir_hit_skip(&t->hook, TAPIR_SKIP_STATE);
	t->report_due = false;
}

/* Its report has run, and the callback has ended or does nothing more. Missed periods are skipped here, too. */
static void tapir_timer_go_on(struct tapir_timer *t)
{
	if (t->arg->jiffies) {
		mod_timer(&t->wheel, tapir_wheel_next(t));
		return;
	}
	hrtimer_forward(&t->hr, hrtimer_cb_get_time(&t->hr), ns_to_ktime(tapir_timer_period(t)));
	hrtimer_start_expires(&t->hr, HRTIMER_MODE_ABS_HARD);
}

static void tapir_timer_report(void)
{
	u32 i;

	for (i = 0; i < tapir_ntimers && !tapir_session_ending(); i++) {
		struct tapir_timer *t = &tapir_timers[i];

		if (!READ_ONCE(t->report_due))
			continue;
		WRITE_ONCE(t->report_due, false);
		tapir_report_run(&t->hook);
		tapir_timer_go_on(t);
	}
}

static void tapir_timer_rearm(void)
{
	u32 i;

	for (i = 0; i < tapir_ntimers; i++) {
		struct tapir_timer *t = &tapir_timers[i];
		bool wanted = tapir_probe_wanted(t->hook.probe - tapir_module.probes);

		if (wanted && !t->armed)
			tapir_timer_start(t);
		else if (!wanted && t->armed)
			tapir_timer_cancel(t);
	}
}

static void tapir_timer_disarm(void)
{
	u32 i;

	for (i = 0; i < tapir_ntimers; i++)
		WRITE_ONCE(tapir_timers[i].stop, true);
	for (i = 0; i < tapir_ntimers; i++)
		if (tapir_timers[i].armed)
			tapir_timer_cancel(&tapir_timers[i]);
	kfree(tapir_timers);
	tapir_timers = NULL;
	tapir_ntimers = 0;
}

static int tapir_timer_arm(void)
{
	u32 i, count = tapir_kind_probes(&tapir_kind_timer);

	tapir_timers = kcalloc(count, sizeof(*tapir_timers), GFP_KERNEL);
	if (!tapir_timers) {
		tapir_session_fail(TAPIR_TEXT(NoMemoryTimers), count);
		return -ENOMEM;
	}
	for (i = 0; i < tapir_module.nprobes; i++) {
		struct tapir_timer *t = &tapir_timers[tapir_ntimers];

		if (tapir_module.probes[i].kind != &tapir_kind_timer)
			continue;
		t->hook = tapir_hook_of(i);
		t->arg = t->hook.probe->arg;
		if (t->arg->jiffies)
			timer_setup(&t->wheel, tapir_wheel_fired, 0);
		else
			tapir_hrtimer_setup(&t->hr, tapir_hrtimer_fired);
		tapir_ntimers++;
		tapir_ledger_add_attached(i, 1);
	}
	tapir_timer_rearm();
	return 0;
}

const struct tapir_kind_ops tapir_kind_timer = {
    TAPIR_KIND_LISTED(timer),	  TAPIR_KIND_WAY(Timer),	.arm = tapir_timer_arm, .rearm = tapir_timer_rearm,
    .disarm = tapir_timer_disarm, .report = tapir_timer_report, .any_task = true,
};
