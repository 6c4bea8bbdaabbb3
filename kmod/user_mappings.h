/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mappings that earlier walks found, for hits that come while another thread changes a process's mappings. Any context, without
 * locks: a reader that collides with a writer gets nothing.
 */
#ifndef TAPIR_USER_MAPPINGS_H
#define TAPIR_USER_MAPPINGS_H

#include <linux/mm_types.h>
#include <tapir/unwind.h>

/* The place of code in a file that has no table yet. */
#define TAPIR_PLACE_UNTIL_TABLE U64_MAX

/* The process's mmap_lock is held. Code in no file has no table. */
void tapir_user_mapping_remember(const struct mm_struct *mm, const struct tapir_unwind_mapping *mapping);
/* The mapping an address was in when it was last looked at. False: not known. */
bool tapir_user_mapping_recall(const struct mm_struct *mm, u64 address, struct tapir_unwind_mapping *mapping);

/* One of those that were looked at last whose object is an interpreter of this number. False: not known. */
bool tapir_user_mapping_recall_interpreter(const struct mm_struct *mm, u32 number, struct tapir_unwind_mapping *mapping);

/* Describes the mapping and remembers it if it has a table; returns false if it has none. The process's mmap_lock is held. */
bool tapir_user_mapping_of(struct mm_struct *mm, const struct vm_area_struct *vma, bool vdso, struct tapir_unwind_mapping *mapping);

#endif
