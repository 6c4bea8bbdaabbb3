/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What code a process has mapped. The mmap_lock is held. */
#ifndef TAPIR_USER_CODE_H
#define TAPIR_USER_CODE_H

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

static inline bool tapir_user_is_vdso(const struct mm_struct *mm, const struct vm_area_struct *vma)
{
	return !vma->vm_file && vma->vm_start == tapir_vdso_address(mm);
}

/* The next mapping that can be executed, whatever it is of. */
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

#endif
