/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code of a file that a program has copied to memory of no file, and mapped where the file's own was: to have it on huge pages, as
 * Node.js, PHP and databases do. The mmap_lock is held. */
#ifndef TAPIR_USER_COPIES_H
#define TAPIR_USER_COPIES_H

#include <linux/mm.h>
#include <tapir/unwind.h>

/* The part around `address` of a file that is mapped beside `vma`, if `vma` has that file's code there by samples of it. False: it
 * is not, or the file's table has not arrived. Any context; `mm` is the current one. */
bool tapir_user_copy_of(struct mm_struct *mm, const struct vm_area_struct *vma, u64 address, struct tapir_unwind_mapping *mapping);

#endif
