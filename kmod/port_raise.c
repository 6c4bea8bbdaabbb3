// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The port API: a signal for the current task. Sending takes locks that the hit may have interrupted the owner of; so it is done
 * from an irq_work, which runs as soon as interrupts are on, and where threads handle interrupts soon after that.
 */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <tapir/port.h>
#include "port_raise.h"
#include "subject.h"

struct tapir_raised {
	struct irq_work work;
	struct task_struct *task; /* NULL: free */
	int signal;
	bool ready;
};
#define TAPIR_RAISED_MAX 16 /* of one CPU's, until interrupts are on */
static DEFINE_PER_CPU(struct tapir_raised[TAPIR_RAISED_MAX], tapir_raised);

static void tapir_raise(struct irq_work *work)
{
	struct tapir_raised *raised = container_of(work, struct tapir_raised, work);
	struct task_struct *task = raised->task;
	int signal = raised->signal;

	smp_store_release(&raised->task, NULL);
	send_sig(signal, task, 1);
	put_task_struct(task);
}

int tapir_port_raise(s64 signal)
{
	struct tapir_raised *raised = raw_cpu_ptr(tapir_raised);
	struct task_struct *task = tapir_subject_task();
	u32 i;

	if (signal < 1 || signal > _NSIG)
		return -EINVAL;
	for (i = 0; i < TAPIR_RAISED_MAX; i++, raised++) {
		/* Between this and irq_work_queue() an NMI may come, and take the next one. */
		if (cmpxchg(&raised->task, NULL, task))
			continue;
		get_task_struct(task);
		raised->signal = signal;
		if (!raised->ready) {
			init_irq_work(&raised->work, tapir_raise);
			raised->ready = true;
		}
		irq_work_queue(&raised->work);
		return 0;
	}
	return -EAGAIN;
}

static void tapir_signals_wait(void)
{
	u32 cpu, i;

	for_each_possible_cpu(cpu) {
		for (i = 0; i < TAPIR_RAISED_MAX; i++) {
			struct tapir_raised *raised = per_cpu_ptr(tapir_raised, cpu) + i;

			if (raised->ready)
				irq_work_sync(&raised->work);
		}
	}
}

void (*const tapir_signals_finish)(void) = tapir_signals_wait;
