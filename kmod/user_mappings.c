// SPDX-License-Identifier: GPL-2.0-or-later
/* Mappings that earlier walks found, in a table by process: see user_mappings.h. */
#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include "compat/uprobe_task.h"
#include "compat/user_stack.h"
#include "user_code.h"
#include "user_learn.h"
#include "user_mappings.h"
#include "user_objects.h"

#define TAPIR_PROCESS_BITS 8
#define TAPIR_MAPPINGS	   32u

/* One process; `count` odd: being written. An mm_struct may be used anew for another program, whose stack is elsewhere. */
struct tapir_user_process {
	atomic_t count;
	u32 used, oldest;
	const struct mm_struct *mm;
	unsigned long stack;
	struct tapir_unwind_mapping mappings[TAPIR_MAPPINGS];
};
static struct tapir_user_process tapir_user_processes[1u << TAPIR_PROCESS_BITS];

static struct tapir_user_process *tapir_process_of(const struct mm_struct *mm)
{
	return &tapir_user_processes[hash_ptr(mm, TAPIR_PROCESS_BITS)];
}

static bool tapir_process_is(const struct tapir_user_process *p, const struct mm_struct *mm)
{
	return READ_ONCE(p->mm) == mm && READ_ONCE(p->stack) == mm->start_stack;
}

static bool tapir_mapping_has(const struct tapir_unwind_mapping *mapping, u64 address)
{
	return address - mapping->start < mapping->length;
}

static bool tapir_mapping_is_interpreter(const struct tapir_unwind_mapping *mapping, u64 number)
{
	const struct tapir_object_interpreter *interpreter = tapir_user_object_interpreter(READ_ONCE(mapping->object));

	return interpreter && interpreter->file.number == number;
}

/* Finds the first of a process's mappings that matches. False if none does, or they were being written. */
static __always_inline bool tapir_mapping_first(const struct mm_struct *mm,
						bool (*is)(const struct tapir_unwind_mapping *mapping, u64 what), u64 what,
						struct tapir_unwind_mapping *mapping)
{
	struct tapir_user_process *p = tapir_process_of(mm);
	int before = atomic_read_acquire(&p->count);
	u32 i, used;

	if ((before & 1) || !tapir_process_is(p, mm))
		return false;
	used = min(READ_ONCE(p->used), TAPIR_MAPPINGS);
	for (i = 0; i < used && !is(&p->mappings[i], what); i++)
		;
	if (i == used)
		return false;
	*mapping = p->mappings[i];
	smp_rmb();
	return atomic_read(&p->count) == before;
}

bool tapir_user_mapping_recall(const struct mm_struct *mm, u64 address, struct tapir_unwind_mapping *mapping)
{
	return tapir_mapping_first(mm, tapir_mapping_has, address, mapping);
}

bool tapir_user_mapping_recall_interpreter(const struct mm_struct *mm, u32 number, struct tapir_unwind_mapping *mapping)
{
	return tapir_mapping_first(mm, tapir_mapping_is_interpreter, number, mapping);
}

static bool tapir_mapping_same(const struct tapir_unwind_mapping *a, const struct tapir_unwind_mapping *b)
{
	return a->start == b->start && a->length == b->length && a->place == b->place && a->object == b->object &&
	       a->table == b->table;
}

static bool tapir_mapping_overlaps(const struct tapir_unwind_mapping *a, const struct tapir_unwind_mapping *b)
{
	return a->start < b->start + b->length && b->start < a->start + a->length;
}

/* Replaces overlapping mappings, else takes a free place, else, with a table, the oldest's. */
static void tapir_process_put(struct tapir_user_process *p, const struct tapir_unwind_mapping *mapping)
{
	bool written = false;
	u32 i;

	for (i = 0; i < p->used; i++) {
		if (!tapir_mapping_overlaps(&p->mappings[i], mapping))
			continue;
		p->mappings[i] = written ? (struct tapir_unwind_mapping){.object = TAPIR_UNWIND_NO_NUMBER} : *mapping;
		written = true;
	}
	if (written || (!mapping->table && p->used == TAPIR_MAPPINGS))
		return;
	i = p->used < TAPIR_MAPPINGS ? p->used++ : p->oldest++ % TAPIR_MAPPINGS;
	p->mappings[i] = *mapping;
}

/* Is just this mapping known? That is so at nearly all looks. */
static bool tapir_process_has(const struct tapir_user_process *p, const struct mm_struct *mm,
			      const struct tapir_unwind_mapping *mapping)
{
	const struct tapir_unwind_mapping *known = p->mappings, *last;
	int before = atomic_read_acquire(&p->count);

	if ((before & 1) || !tapir_process_is(p, mm))
		return false;
	last = known + min(READ_ONCE(p->used), TAPIR_MAPPINGS);
	for (; known < last && READ_ONCE(known->start) != mapping->start; known++)
		;
	if (known == last || !tapir_mapping_same(known, mapping))
		return false;
	smp_rmb();
	return atomic_read(&p->count) == before;
}

void tapir_user_mapping_remember(const struct mm_struct *mm, const struct tapir_unwind_mapping *mapping)
{
	struct tapir_user_process *p = tapir_process_of(mm);
	int before;

	if (tapir_process_has(p, mm, mapping))
		return;
	before = atomic_read(&p->count);
	if ((before & 1) || atomic_cmpxchg(&p->count, before, before + 1) != before)
		return;
	if (!tapir_process_is(p, mm)) {
		p->used = 0;
		p->mm = mm;
		p->stack = mm->start_stack;
	}
	tapir_process_put(p, mapping);
	atomic_set_release(&p->count, before + 2);
}

bool tapir_user_mapping_of(struct mm_struct *mm, const struct vm_area_struct *vma, bool vdso, struct tapir_unwind_mapping *mapping)
{
	*mapping = (struct tapir_unwind_mapping){.start = vma->vm_start,
						 .length = vma->vm_end - vma->vm_start,
						 .place = vdso ? 0 : (u64)vma->vm_pgoff << PAGE_SHIFT,
						 .object = TAPIR_UNWIND_NO_NUMBER,
						 .no_code = !(vma->vm_flags & VM_EXEC)};
	mapping->table = tapir_user_object_table(vma, vdso, &mapping->object);
	if (mapping->table)
		tapir_user_mapping_remember(mm, mapping);
	return mapping->table;
}

/* True if a walk found a file's code in there. Only code that can read the memory can find out. */
static bool tapir_copy_known(const struct mm_struct *mm, const struct vm_area_struct *vma)
{
	const struct tapir_user_process *p = tapir_process_of(mm);
	u32 i, used = min(READ_ONCE(p->used), TAPIR_MAPPINGS);

	for (i = 0; tapir_process_is(p, mm) && i < used; i++) {
		const struct tapir_unwind_mapping *known = &p->mappings[i];

		if (READ_ONCE(known->table) && known->start - vma->vm_start < vma->vm_end - vma->vm_start)
			return true;
	}
	return false;
}

/* Code without a table is remembered, too, with the reason. */
static void tapir_mappings_learn(struct mm_struct *mm)
{
	struct tapir_user_code code = {.mm = mm, .left = TAPIR_USER_MAPPINGS_SEARCHED};
	struct tapir_unwind_mapping mapping;

	while (tapir_user_code_next(&code)) {
		const struct vm_area_struct *vma = code.vma;
		bool vdso = tapir_user_is_vdso(mm, vma);

		if (tapir_user_has_file(vma) || vdso) {
			if (tapir_user_mapping_of(mm, vma, vdso, &mapping))
				continue;
			mapping.place = TAPIR_PLACE_UNTIL_TABLE;
			mapping.object = TAPIR_UNWIND_NO_NUMBER;
			tapir_user_mapping_remember(mm, &mapping);
		} else if (!tapir_is_uprobe_area(vma) && !tapir_copy_known(mm, vma)) {
			mapping = (struct tapir_unwind_mapping){
			    .start = vma->vm_start, .length = vma->vm_end - vma->vm_start, .object = TAPIR_UNWIND_NO_NUMBER};
			tapir_user_mapping_remember(mm, &mapping);
		}
	}
}

void (*const tapir_user_mappings_learn)(struct mm_struct *mm) = tapir_mappings_learn;
