// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the file whose code lies in memory of no file: see user_copies.h. Bounded: a few mappings, and a few reads of samples. */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include "user_code.h"
#include "user_copies.h"
#include "user_objects.h"

/* True if the file's code is there, when place 0 of the file is at `origin`. Pages that cannot be read at once prove nothing. */
static bool tapir_is_copy(const struct tapir_unwind_table *t, u64 origin, u64 start, u64 end)
{
	u32 i, equal = 0, words[2];

	for (i = 0; i < TAPIR_UNWIND_SAMPLES; i++) {
		const struct tapir_unwind_sample *sample = &t->samples[i];
		u64 address = origin + sample->place;

		if ((!sample->words[0] && !sample->words[1]) || address < start || address + sizeof(words) > end ||
		    copy_from_user_nofault(words, (const void __user *)(uintptr_t)address, sizeof(words)))
			continue;
		if (words[0] != sample->words[0] || words[1] != sample->words[1])
			return false;
		equal++;
	}
	return equal;
}

/* The part of `vma` that has the file's code. */
static bool tapir_copy_at(const struct vm_area_struct *vma, u64 address, u64 origin, struct tapir_unwind_mapping *mapping)
{
	const struct tapir_unwind_table *t = mapping->table;
	u64 start = max_t(u64, vma->vm_start, origin + (t->code & PAGE_MASK));
	u64 end = min_t(u64, vma->vm_end, origin + PAGE_ALIGN((u64)t->code_end));

	if (address < start || address >= end || !tapir_is_copy(t, origin, start, end))
		return false;
	mapping->start = start;
	mapping->length = end - start;
	mapping->place = start - origin;
	mapping->no_code = 0;
	return true;
}

static bool tapir_copy_find(const struct mm_struct *mm, const struct vm_area_struct *vma, const struct vm_area_struct *beside,
			    u64 address, struct tapir_unwind_mapping *mapping)
{
	const struct tapir_unwind_table *t = tapir_user_object_table(beside, false, &mapping->object);
	u64 origins[4];
	u32 i, count = 3;

	mapping->table = t;
	if (!t)
		return false;
	/* Candidates for place 0. First, from the neighbour: its code continues in this mapping. Second, from the file's beginning
	 * in the neighbour; linkers may put code further off than it is in the file. Third, from that beginning in the code itself.
	 * Fourth, from the kernel's record of the program's code. */
	origins[0] = beside->vm_start - ((u64)beside->vm_pgoff << PAGE_SHIFT);
	origins[1] = origins[0] + (u64)(s64)(s32)(t->bias - t->lead);
	origins[2] = vma->vm_start;
	if (tapir_in_program(mm, vma))
		origins[count++] = mm->start_code - t->code;
	for (i = 0; i < count; i++) {
		if (tapir_copy_at(vma, address, origins[i], mapping))
			return true;
	}
	return false;
}

bool tapir_user_copy_of(struct mm_struct *mm, const struct vm_area_struct *vma, u64 address, struct tapir_unwind_mapping *mapping)
{
	const struct vm_area_struct *below = tapir_user_file_below(mm, vma), *above;

	if (below && tapir_copy_find(mm, vma, below, address, mapping))
		return true;
	above = tapir_user_file_above(mm, vma);
	if (above && tapir_copy_find(mm, vma, above, address, mapping))
		return true;
	mapping->object = TAPIR_UNWIND_NO_NUMBER;
	return false;
}
