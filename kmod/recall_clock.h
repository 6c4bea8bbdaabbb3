/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The clock of events of @recall, and the thread that one is of. Any context. */
#ifndef TAPIR_RECALL_CLOCK_H
#define TAPIR_RECALL_CLOCK_H

#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <linux/timex.h>
#include <runtime/recall_write.h>

extern bool tapir_recall_counts_cycles;

/* Reading the counter of cycles is one instruction, a clock in ns some 40. Rings know both at their start. */
static __always_inline u64 tapir_recall_clock(void)
{
	return likely(tapir_recall_counts_cycles) ? get_cycles() : ktime_get_mono_fast_ns();
}

static __always_inline u32 tapir_recall_thread(const struct task_struct *task)
{
	return likely(task->pid) ? task->pid : TAPIR_RECALL_IDLE | raw_smp_processor_id();
}

#endif
