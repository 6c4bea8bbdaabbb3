/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks over the code that a process has mapped. The caller holds the mmap_lock. */
#ifndef TAPIR_USER_CODE_H
#define TAPIR_USER_CODE_H

#include <linux/fs.h>
#include <linux/mm.h>
#include "compat/user_stack.h"

/* A process has a hundred mappings; those with tens of thousands must not cost a hit a millisecond. */
#define TAPIR_USER_MAPPINGS_SEARCHED 4096u

/* Begins as {.mm, .left}: so many mappings, of any kind, are looked at; 0 afterwards: there may be more. */
struct tapir_user_code {
	struct mm_struct *mm;
	unsigned long address;
	u32 left;
	const struct vm_area_struct *vma;
};

/* Is it a mapping of a file that can be asked for its code? Huge pages and shared memory of no file have files of the kernel's own.
 */
static inline bool tapir_user_has_file(const struct vm_area_struct *vma)
{
	return vma->vm_file && !(vma->vm_flags & VM_HUGETLB) && !IS_PRIVATE(file_inode(vma->vm_file));
}

static inline bool tapir_user_is_vdso(const struct mm_struct *mm, const struct vm_area_struct *vma)
{
	return !vma->vm_file && vma->vm_start == tapir_vdso_address(mm);
}

/* Advances to the next executable mapping, with or without a file. */
static inline bool tapir_user_code_next(struct tapir_user_code *c)
{
	while (c->left) {
		c->vma = find_vma(c->mm, c->address);
		if (!c->vma)
			return false;
		c->left--;
		c->address = c->vma->vm_end;
		if (c->vma->vm_flags & VM_EXEC)
			return true;
	}
	return false;
}

/*
 * Finds the mapping of a file just below or above anonymous code: that file's code may have been there. Looks at a few mappings.
 * NULL if there is no such mapping.
 */
#define TAPIR_NEIGHBOURS 4u

static inline const struct vm_area_struct *tapir_user_file_below(struct mm_struct *mm, const struct vm_area_struct *vma)
{
	u32 i;

	for (i = 0; i < TAPIR_NEIGHBOURS && vma->vm_start; i++) {
		const struct vm_area_struct *before = find_vma(mm, vma->vm_start - 1);

		if (!before || before->vm_end != vma->vm_start)
			return NULL;
		if (tapir_user_has_file(before))
			return before;
		vma = before;
	}
	return NULL;
}

static inline bool tapir_in_program(const struct mm_struct *mm, const struct vm_area_struct *vma)
{
	return vma->vm_start < mm->end_code && vma->vm_end > mm->start_code;
}

/* A program's own parts may be apart. */
static inline const struct vm_area_struct *tapir_user_file_above(struct mm_struct *mm, const struct vm_area_struct *vma)
{
	bool apart = tapir_in_program(mm, vma);
	u32 i;

	for (i = 0; i < TAPIR_NEIGHBOURS; i++) {
		const struct vm_area_struct *behind = find_vma(mm, vma->vm_end);

		if (!behind || (behind->vm_start != vma->vm_end && !apart))
			return NULL;
		if (tapir_user_has_file(behind))
			return behind;
		vma = behind;
	}
	return NULL;
}

#endif
