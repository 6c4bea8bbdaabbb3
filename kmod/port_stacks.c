// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The port API: memory for stacks as values. It is allocated in pieces, one ahead of need. A handler that begins the last piece
 * queues an irq_work, which queues a work item, which allocates the next.
 */
#include <linux/errno.h>
#include <linux/irq_work.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>
#include <tapir/stacks.h>
#include "port_memory.h"
#include "stack_store.h"

#define TAPIR_PIECE_BYTES (TAPIR_STACK_PIECE * sizeof(u64))

static struct workqueue_struct *tapir_stacks_queue;

static int tapir_stacks_grow(void)
{
	u64 *piece = tapir_port_affordable(TAPIR_PIECE_BYTES) ? vzalloc(TAPIR_PIECE_BYTES) : NULL;

	if (!piece)
		return -ENOMEM;
	tapir_stacks_add(piece);
	return 0;
}

static void tapir_stacks_work_do(struct work_struct *work)
{
	while (tapir_stacks_low() && !tapir_stacks_grow())
		;
}
static DECLARE_WORK(tapir_stacks_work, tapir_stacks_work_do);

static void tapir_stacks_hurry(struct irq_work *work)
{
	queue_work(tapir_stacks_queue, &tapir_stacks_work);
}
static struct irq_work tapir_stacks_irq;

void tapir_port_stacks_low(void)
{
	irq_work_queue(&tapir_stacks_irq);
}

void tapir_stacks_destroy(void)
{
	u32 i;

	if (tapir_stacks_queue) {
		irq_work_sync(&tapir_stacks_irq);
		destroy_workqueue(tapir_stacks_queue);
		tapir_stacks_queue = NULL;
	}
	for (i = 0; i < tapir_stacks.npieces; i++)
		vfree(tapir_stacks.pieces[i]);
	tapir_stacks.npieces = 0;
	vfree(tapir_stacks.slots);
	tapir_stacks.slots = NULL;
}

u64 tapir_stacks_least(u64 bytes)
{
	return tapir_stacks_slots(bytes) * sizeof(u64) + 2 * TAPIR_PIECE_BYTES;
}

int tapir_stacks_create(u64 bytes)
{
	u32 slots = tapir_stacks_slots(bytes);

	init_irq_work(&tapir_stacks_irq, tapir_stacks_hurry);
	tapir_stacks.slots = vzalloc(slots * sizeof(u64));
	if (!tapir_stacks.slots)
		return -ENOMEM;
	tapir_stacks.nslots = slots;
	tapir_stacks.most = bytes / TAPIR_PIECE_BYTES;
	tapir_stacks_queue = alloc_workqueue("tapir-stacks", WQ_UNBOUND | WQ_HIGHPRI, 1);
	if (!tapir_stacks_queue || tapir_stacks_grow()) {
		tapir_stacks_destroy();
		return -ENOMEM;
	}
	if (tapir_stacks_low())
		tapir_stacks_grow();
	return 0;
}

int tapir_stacks_count(struct tapir_ioc_stacks *count)
{
	u64 pieces = READ_ONCE(tapir_stacks.npieces) * (u64)TAPIR_PIECE_BYTES;

	memset(count, 0, sizeof(*count));
	count->kept = READ_ONCE(tapir_stacks.kept);
	count->refused = READ_ONCE(tapir_stacks.refused);
	count->used = min(READ_ONCE(tapir_stacks.used) * sizeof(u64), pieces);
	count->bytes = pieces + tapir_stacks.nslots * sizeof(u64);
	count->most = tapir_stacks.most * (u64)TAPIR_PIECE_BYTES;
	return 0;
}
