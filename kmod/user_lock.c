// SPDX-License-Identifier: GPL-2.0-or-later
/* Trying for the mmap_lock, and releasing it where the hit may not: see user_lock.h. */
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include "compat/user_stack.h"
#include "user_learn.h"
#include "user_lock.h"

/* An mmap_lock that this CPU holds and must release. */
struct tapir_mmap_held {
	struct irq_work work;
	unsigned long mm; /* 0: none; TAPIR_MMAP_TRYING while it is tried for: an NMI may come in between */
	bool ready;
};
#define TAPIR_MMAP_TRYING 1ul
static DEFINE_PER_CPU(struct tapir_mmap_held, tapir_mmap_held);

static void tapir_mmap_end(struct irq_work *work)
{
	struct tapir_mmap_held *held = container_of(work, struct tapir_mmap_held, work);
	struct mm_struct *mm = (struct mm_struct *)held->mm;

	smp_store_release(&held->mm, 0);
	tapir_mmap_give_back(mm);
}

/* With interrupts off. The lock is held until after they are on again. */
static bool tapir_mmap_hold(struct mm_struct *mm)
{
	struct tapir_mmap_held *held = this_cpu_ptr(&tapir_mmap_held);
	unsigned long before;

	/* Where threads handle interrupts, the lock might be held for long. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return false;
	before = cmpxchg(&held->mm, 0, TAPIR_MMAP_TRYING);
	if (before == (unsigned long)mm)
		tapir_mmap_use(mm);
	if (before)
		return before == (unsigned long)mm;
	if (!tapir_mmap_trylock(mm)) {
		WRITE_ONCE(held->mm, 0);
		return false;
	}
	if (!held->ready) {
		init_irq_work(&held->work, tapir_mmap_end);
		held->ready = true;
	}
	smp_store_release(&held->mm, (unsigned long)mm);
	irq_work_queue(&held->work);
	return true;
}

enum tapir_user_lock tapir_user_lock_try(struct mm_struct *mm)
{
	if (irqs_disabled() || in_nmi()) {
		if (tapir_mmap_hold(mm))
			return TAPIR_USER_LOCK_DEFERRED;
	} else if (tapir_in_snapshot() ? tapir_subject_lock(mm) : tapir_mmap_trylock(mm)) {
		return TAPIR_USER_LOCKED;
	}
	tapir_user_learn(mm);
	return TAPIR_USER_UNLOCKED;
}

void tapir_user_unlock(struct mm_struct *mm, enum tapir_user_lock lock)
{
	if (lock == TAPIR_USER_LOCKED)
		tapir_mmap_unlock(mm);
	else if (lock == TAPIR_USER_LOCK_DEFERRED)
		tapir_mmap_leave(mm);
}

static void tapir_locks_finish(void)
{
	int cpu;

	tapir_user_learn_finish();
	for_each_possible_cpu(cpu) {
		struct tapir_mmap_held *held = per_cpu_ptr(&tapir_mmap_held, cpu);

		if (held->ready)
			irq_work_sync(&held->work);
	}
}

void (*const tapir_user_locks_finish)(void) = tapir_locks_finish;
