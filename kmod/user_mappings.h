/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What earlier walks found mapped, for hits that come while somebody is changing a process's mappings. Any context, without locks:
 * who comes at the wrong moment does without.
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

/* What is mapped there, which is remembered if there is a table. False: there is none. The process's mmap_lock is held. */
bool tapir_user_mapping_of(struct mm_struct *mm, const struct vm_area_struct *vma, bool vdso, struct tapir_unwind_mapping *mapping);

#endif
