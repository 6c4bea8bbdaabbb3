// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Arrays grow while handlers run: see runtime/map_grow.c. A handler may have interrupted anything, even the page allocator. It only
 * queues an irq_work, which queues a work item, which allocates.
 */
#include <linux/errno.h>
#include <linux/irq_work.h>
#include <linux/workqueue.h>
#include <runtime/handler.h>
#include <tapir/port.h>
#include "arrays.h"
#include "state.h"

/* Pause after a refused allocation, in jiffies: without it, a script that runs out of elements would ask again at each hit. */
#define TAPIR_ARRAYS_PAUSE max(HZ / 50, 1)

static bool tapir_arrays_refused; /* the last request */

static void tapir_arrays_grow(struct work_struct *work)
{
	WRITE_ONCE(tapir_arrays_refused, !tapir_globals_grow());
	if (tapir_globals_pending())
		tapir_session_wake();
}

static DECLARE_DELAYED_WORK(tapir_arrays_work, tapir_arrays_grow);

/*
 * Handlers use up free elements while the work waits for a processor. So it has priority, and runs on any processor: that of the
 * handlers may have no time for anything else.
 */
static struct workqueue_struct *tapir_arrays_queue;

static void tapir_arrays_hurry(struct irq_work *work)
{
	queue_delayed_work(tapir_arrays_queue, &tapir_arrays_work, READ_ONCE(tapir_arrays_refused) ? TAPIR_ARRAYS_PAUSE : 0);
}

static struct irq_work tapir_arrays_irq;

int tapir_arrays_create(void)
{
	u32 i;

	for (i = 0; i < tapir_module.nglobals && tapir_module.globals[i].kind != TAPIR_GLOBAL_MAP; i++)
		;
	if (i == tapir_module.nglobals)
		return 0;
	init_irq_work(&tapir_arrays_irq, tapir_arrays_hurry);
	tapir_arrays_queue = alloc_workqueue("tapir", WQ_UNBOUND | WQ_HIGHPRI, 1);
	return tapir_arrays_queue ? 0 : -ENOMEM;
}

void tapir_arrays_destroy(void)
{
	if (!tapir_arrays_queue)
		return;
	irq_work_sync(&tapir_arrays_irq);
	cancel_delayed_work_sync(&tapir_arrays_work);
	destroy_workqueue(tapir_arrays_queue);
	tapir_arrays_queue = NULL;
}

void tapir_port_grow(void)
{
	irq_work_queue(&tapir_arrays_irq);
}

void tapir_port_grow_now(void)
{
	mod_delayed_work(tapir_arrays_queue, &tapir_arrays_work, 0);
	flush_delayed_work(&tapir_arrays_work);
}

void tapir_port_tend(void)
{
	tapir_session_wake();
}
