// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where programs and libraries are mapped. Each hit asks the kernel, under the process's mmap_lock; a remembered place is only
 * where to look first, and so cannot be wrong. If the hit cannot get the lock, the page at the remembered place shows whether it is
 * still the file's. "Not mapped" is then as old as the last look (user_learn.h).
 */
#include <linux/mm_types.h>
#include <linux/sched.h>
#include <tapir/context.h>
#include "kind.h"
#include "port_program.h"
#include "program_places.h"
#include "programs.h"
#include "subject.h"
#include "user_lock.h"

u32 tapir_program_find(u32 program, u64 *bias)
{
	const struct tapir_program *p = &tapir_module.programs[program];
	const struct inode *inode = tapir_program_inode(program);
	struct mm_struct *mm = current->mm;
	pgoff_t page = tapir_program_page(program);
	unsigned long place, *known;
	enum tapir_user_lock lock;
	u32 found;

	if (!mm || (tapir_subject_task()->flags & PF_KTHREAD))
		return TAPIR_PROGRAM_NO_PROCESS;
	if (!inode)
		return TAPIR_PROGRAM_NO_FILE;
	known = tapir_program_place(mm, program);
	place = READ_ONCE(*known);
	lock = tapir_user_lock_try(mm);
	if (lock == TAPIR_USER_UNLOCKED) {
		found = tapir_program_recall(mm, program, inode, page, place);
	} else {
		found = tapir_program_search(mm, inode, page, &place);
		tapir_user_unlock(mm, lock);
	}
	if (found != TAPIR_PROGRAM_MAPPED)
		return found;
	WRITE_ONCE(*known, place);
	*bias = place - ((u64)page << PAGE_SHIFT) - p->text_bias;
	return found;
}

u32 tapir_program_find_at(const struct tapir_user_arg *arg, const struct tapir_function_site *site, unsigned long ip, u32 program,
			  u64 *bias)
{
	if (!site || arg->program != program)
		return tapir_program_find(program, bias);
	*bias = ip - site->offset - tapir_module.programs[program].text_bias;
	return TAPIR_PROGRAM_MAPPED;
}

u32 tapir_port_program_bias(struct tapir_ctx *c, u32 program, u64 *bias)
{
	const struct tapir_kind_ops *kind = c->probe->kind;

	if (kind->program_bias && kind->program_bias(c->place, program, bias))
		return TAPIR_PROGRAM_MAPPED;
	return tapir_program_find_at(c->probe->arg, kind->user ? c->place : NULL, c->ip, program, bias);
}
