// SPDX-License-Identifier: GPL-2.0-or-later
/* Where a program's code is in a process, and where it was when somebody last looked: see program_places.h. */
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <tapir/abi.h>
#include <tapir/port.h>
#include "compat/user_stack.h"
#include "program_places.h"
#include "programs.h"
#include "user_code.h"

#define TAPIR_PLACE_BITS 8

/* Hashed by process and program: the address of the first page of the program's code, or a mark that the program is not mapped
 * (tapir_program_unmapped). */
static unsigned long tapir_program_places[1u << TAPIR_PLACE_BITS];

unsigned long *tapir_program_place(const struct mm_struct *mm, u32 program)
{
	return &tapir_program_places[hash_64((unsigned long)mm + program, TAPIR_PLACE_BITS)];
}

/*
 * A cookie for "not mapped". Bit 0 is set, so it never equals an address. It hashes mm, program and stack, because slots are
 * shared and an mm_struct can be reused.
 */
static unsigned long tapir_program_unmapped(const struct mm_struct *mm, u32 program)
{
	return (((unsigned long)mm + program) ^ mm->start_stack) << 1 | 1;
}

pgoff_t tapir_program_page(u32 program)
{
	return tapir_module.programs[program].text_offset >> PAGE_SHIFT;
}

/* Where the code begins, if it is in this mapping. */
static bool tapir_mapping_of_program(const struct vm_area_struct *vma, const struct inode *inode, pgoff_t page,
				     unsigned long *place)
{
	if (!vma->vm_file || file_inode(vma->vm_file) != inode || !(vma->vm_flags & VM_EXEC) || page < vma->vm_pgoff ||
	    page - vma->vm_pgoff >= (vma->vm_end - vma->vm_start) >> PAGE_SHIFT)
		return false;
	*place = vma->vm_start + ((page - vma->vm_pgoff) << PAGE_SHIFT);
	return true;
}

u32 tapir_program_search(struct mm_struct *mm, const struct inode *inode, pgoff_t page, unsigned long *place)
{
	const struct vm_area_struct *vma = *place && !(*place & 1) ? find_vma(mm, *place) : NULL;
	struct tapir_user_code code = {.mm = mm, .left = TAPIR_USER_MAPPINGS_SEARCHED};

	if (vma && tapir_mapping_of_program(vma, inode, page, place))
		return TAPIR_PROGRAM_MAPPED;
	while (tapir_user_code_next(&code)) {
		if (tapir_mapping_of_program(code.vma, inode, page, place))
			return TAPIR_PROGRAM_MAPPED;
	}
	return code.left ? TAPIR_PROGRAM_NOT_MAPPED : TAPIR_PROGRAM_NOT_FOUND;
}

/* For samples that cannot take the lock. A program that was not mapped may be by now: such samples ask for another look each time
 * (user_lock.h). */
void tapir_program_places_learn(struct mm_struct *mm)
{
	u32 i;

	for (i = 0; i < tapir_module.nprograms; i++) {
		const struct inode *inode = tapir_program_inode(i);
		unsigned long *known = tapir_program_place(mm, i), place = READ_ONCE(*known);
		u32 found = inode ? tapir_program_search(mm, inode, tapir_program_page(i), &place) : TAPIR_PROGRAM_NOT_FOUND;

		if (found == TAPIR_PROGRAM_MAPPED)
			WRITE_ONCE(*known, place);
		else if (found == TAPIR_PROGRAM_NOT_MAPPED)
			WRITE_ONCE(*known, tapir_program_unmapped(mm, i));
	}
}

u32 tapir_program_recall(const struct mm_struct *mm, u32 program, const struct inode *inode, pgoff_t page, unsigned long place)
{
	if (place == tapir_program_unmapped(mm, program))
		return TAPIR_PROGRAM_NOT_MAPPED;
	return place && !(place & 1) && tapir_page_is(place, inode, page) ? TAPIR_PROGRAM_MAPPED : TAPIR_PROGRAM_BUSY;
}
