// SPDX-License-Identifier: GPL-2.0-or-later
/* Looking at address spaces in a work item: see user_learn.h. */
#include <linux/hash.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/workqueue.h>
#include "compat/user_stack.h"
#include "program_places.h"
#include "user_learn.h"

#define TAPIR_LEARN_BITS 6
/* One address space is not looked at more often: a sample may be in code that never gets a table. */
#define TAPIR_LEARN_TICKS (HZ / 50)
#define TAPIR_LEARN_WAIT  2u /* ticks */

/* One address space to look at: `mm` has a reference (mmgrab). `of` is the address space looked at last, at `looked`. */
struct tapir_learned {
	struct mm_struct *mm;
	unsigned long of, looked;
};
static struct tapir_learned tapir_learned[1u << TAPIR_LEARN_BITS];

static void tapir_learn_one(struct mm_struct *mm)
{
	if (!mmget_not_zero(mm))
		return;
	/* Where it is not to be had, the next hit asks for another look. */
	if (tapir_mmap_lock_within(mm, TAPIR_LEARN_WAIT)) {
		if (&tapir_user_mappings_learn)
			tapir_user_mappings_learn(mm);
		tapir_program_places_learn(mm);
		tapir_mmap_unlock(mm);
	}
	mmput(mm);
}

static void tapir_learn_all(struct work_struct *work)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(tapir_learned); i++) {
		struct tapir_learned *slot = &tapir_learned[i];
		struct mm_struct *mm = smp_load_acquire(&slot->mm);

		if (!mm)
			continue;
		tapir_learn_one(mm);
		WRITE_ONCE(slot->of, (unsigned long)mm);
		WRITE_ONCE(slot->looked, jiffies);
		smp_store_release(&slot->mm, NULL);
		mmdrop(mm);
		cond_resched();
	}
}
static DECLARE_WORK(tapir_learn_work, tapir_learn_all);

/* A hit may have interrupted the code that queues work; an irq_work has not. */
static void tapir_learn_soon(struct irq_work *work)
{
	schedule_work(&tapir_learn_work);
}
static DEFINE_IRQ_WORK(tapir_learn_irq, tapir_learn_soon);

void tapir_user_learn(struct mm_struct *mm)
{
	struct tapir_learned *slot = &tapir_learned[hash_ptr(mm, TAPIR_LEARN_BITS)];

	if (READ_ONCE(slot->mm) ||
	    (READ_ONCE(slot->of) == (unsigned long)mm && time_before(jiffies, READ_ONCE(slot->looked) + TAPIR_LEARN_TICKS)))
		return;
	mmgrab(mm);
	if (cmpxchg(&slot->mm, NULL, mm)) {
		/* Not the last one: the current process has another. */
		mmdrop(mm);
		return;
	}
	irq_work_queue(&tapir_learn_irq);
}

void tapir_user_learn_finish(void)
{
	u32 i;

	irq_work_sync(&tapir_learn_irq);
	cancel_work_sync(&tapir_learn_work);
	for (i = 0; i < ARRAY_SIZE(tapir_learned); i++) {
		if (tapir_learned[i].mm)
			mmdrop(tapir_learned[i].mm);
		tapir_learned[i].mm = NULL;
	}
}
