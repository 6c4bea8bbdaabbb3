/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hits that could not have the mmap_lock, as samples on PREEMPT_RT never can: a work item takes it soon after, and looks for those
 * that come next.
 */
#ifndef TAPIR_USER_LEARN_H
#define TAPIR_USER_LEARN_H

#include <linux/compiler.h>
#include <linux/mm_types.h>

/* `mm` is current->mm. Any context. */
void tapir_user_learn(struct mm_struct *mm);
/* No handler will run again: waits until nothing is looked at. Process context. */
void tapir_user_learn_finish(void);

/* Learns mappings for stacks, where it is linked. Process context; mmap_lock held for reading, mm->mm_users too. */
extern void (*const tapir_user_mappings_learn)(struct mm_struct *mm) __weak; /* user_mappings.c */

#endif
