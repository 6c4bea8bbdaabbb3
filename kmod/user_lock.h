/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mmap_lock of the current process, for reading, in any context. A hit only tries for it, because it may have interrupted its
 * owner. With interrupts off, an irq_work releases it: waking waiters takes locks that the hit may have interrupted, too.
 */
#ifndef TAPIR_USER_LOCK_H
#define TAPIR_USER_LOCK_H

#include <linux/compiler.h>
#include <linux/mm_types.h>

enum tapir_user_lock {
	TAPIR_USER_UNLOCKED,
	TAPIR_USER_LOCKED,
	TAPIR_USER_LOCK_DEFERRED,
	TAPIR_USER_LOCK_EACH, /* of snapshots, which may print and so wait meanwhile: it is taken for each look,
				 tapir_subject_lock() */
};

/* `mm` is current->mm. UNLOCKED: it could not be had; what hits look for is learned soon after (user_learn.h). */
enum tapir_user_lock tapir_user_lock_try(struct mm_struct *mm);
/* Afterwards the mappings may change, unless the lock is DEFERRED. */
void tapir_user_unlock(struct mm_struct *mm, enum tapir_user_lock lock);
/* No handler will run again: waits until every lock is released. Process context. main.c finds it where it is linked. */
extern void (*const tapir_user_locks_finish)(void) __weak;

#endif
