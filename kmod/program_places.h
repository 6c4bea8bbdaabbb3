/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the code of the script's programs is in processes. Any context, but for what says otherwise. */
#ifndef TAPIR_PROGRAM_PLACES_H
#define TAPIR_PROGRAM_PLACES_H

#include <linux/mm_types.h>
#include <linux/types.h>

struct inode;

/* The page of the program's file that its code begins in. */
pgoff_t tapir_program_page(u32 program);

/*
 * Returns the slot for a program in a process: the address of that page, or the mark that it is not mapped. Another process may
 * share the slot and write it at any time.
 */
unsigned long *tapir_program_place(const struct mm_struct *mm, u32 program);

/* TAPIR_PROGRAM_MAPPED, with the page's address in `place`, which says where to look first; or why not. The mmap_lock is held. */
u32 tapir_program_search(struct mm_struct *mm, const struct inode *inode, pgoff_t page, unsigned long *place);
/* Returns whether the remembered `place` still holds for the current process. Without the mmap_lock. */
u32 tapir_program_recall(const struct mm_struct *mm, u32 program, const struct inode *inode, pgoff_t page, unsigned long place);

/* Remembers where all programs are, for hits that cannot ask. Process context; the mmap_lock is held. */
void tapir_program_places_learn(struct mm_struct *mm);

#endif
