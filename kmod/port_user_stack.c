// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The port API: the user stack of the current task. Linked when a script asks for one.
 *
 * Each walk looks up mappings in the kernel, under the process's mmap_lock, so it cannot use outdated ones. If the walk cannot get
 * the lock, it uses the mappings found last (user_mappings.h, user_learn.h).
 */
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <tapir/unwind_run.h>
#include <tapir/ustack.h>
#include "arch/this_arch.h"
#include "compat/uprobe_task.h"
#include "compat/user_stack.h"
#include "hit.h"
#include "subject.h"
#include "user_code.h"
#include "user_copies.h"
#include "user_learn.h"
#include "user_lock.h"
#include "user_mappings.h"
#include "user_objects.h"

/* .bss is an anonymous mapping that follows the file's data. Returns the mapping before it, or NULL if `vma` is not such. */
static const struct vm_area_struct *tapir_data_before(struct mm_struct *mm, const struct vm_area_struct *vma, u64 address)
{
	const struct vm_area_struct *before;

	if (vma->vm_file || (vma->vm_flags & VM_EXEC) || !vma->vm_start || (address >= mm->start_brk && address < mm->brk))
		return NULL;
	before = find_vma(mm, vma->vm_start - 1);
	return before && before->vm_end == vma->vm_start && before->vm_file && (before->vm_flags & VM_WRITE) ? before : NULL;
}

static bool tapir_mapping_of_variable(struct mm_struct *mm, const struct vm_area_struct *vma, u64 address,
				      struct tapir_unwind_mapping *mapping, u8 *end)
{
	const struct vm_area_struct *before = tapir_data_before(mm, vma, address);

	if (!before)
		return false;
	if (!tapir_user_mapping_of(mm, before, false, mapping)) {
		*end = TAPIR_UNWIND_NO_TABLE;
		return false;
	}
	mapping->place += mapping->length;
	mapping->start = vma->vm_start;
	mapping->length = mapping->table->end > mapping->place
			      ? min_t(u64, vma->vm_end - vma->vm_start, mapping->table->end - mapping->place)
			      : 0;
	return address - mapping->start < mapping->length;
}

static bool tapir_mapping_of_no_file(struct mm_struct *mm, const struct vm_area_struct *vma, u64 address,
				     struct tapir_unwind_mapping *mapping, u8 *end)
{
	if (tapir_is_uprobe_area(vma)) {
		*end = TAPIR_UNWIND_RETURN;
		return false;
	}
	if (!(vma->vm_flags & VM_EXEC)) {
		*end = TAPIR_UNWIND_NO_CODE;
		return tapir_mapping_of_variable(mm, vma, address, mapping, end);
	}
	*end = TAPIR_UNWIND_NO_OBJECT;
	if (!tapir_user_copy_of(mm, vma, address, mapping))
		return false;
	tapir_user_mapping_remember(mm, mapping);
	return true;
}

/* The mapping of an address by the kernel. */
static bool tapir_mapping_find(struct tapir_user_walk *w, u64 address, struct tapir_unwind_mapping *mapping, u8 *end)
{
	struct mm_struct *mm = w->process;
	const struct vm_area_struct *vma = find_vma(mm, address);
	bool vdso = vma && tapir_user_is_vdso(mm, vma);

	if (!vma || vma->vm_start > address) {
		*end = TAPIR_UNWIND_NO_CODE;
		return false;
	}
	if (!tapir_user_has_file(vma) && !vdso)
		return tapir_mapping_of_no_file(mm, vma, address, mapping, end);
	if (!tapir_user_mapping_of(mm, vma, vdso, mapping)) {
		*end = TAPIR_UNWIND_NO_TABLE;
		return false;
	}
	return true;
}

/* The mmap_lock for one look. False: it cannot be had. */
static bool tapir_walk_lock(const struct tapir_user_walk *w)
{
	return w->lock == TAPIR_USER_LOCK_EACH ? tapir_subject_lock(w->process) : w->lock != TAPIR_USER_UNLOCKED;
}

static void tapir_walk_unlock(const struct tapir_user_walk *w)
{
	if (w->lock == TAPIR_USER_LOCK_EACH)
		tapir_mmap_unlock(w->process);
}

/* Finds the mapping among those of the last successful look-up. */
static bool tapir_mapping_recall(const struct tapir_user_walk *w, u64 address, struct tapir_unwind_mapping *mapping, u8 *end)
{
	if (!tapir_user_mapping_recall(w->process, address, mapping)) {
		*end = TAPIR_UNWIND_BUSY;
		return false;
	}
	*end = mapping->place == TAPIR_PLACE_UNTIL_TABLE ? TAPIR_UNWIND_NO_TABLE : TAPIR_UNWIND_NO_OBJECT;
	return mapping->table;
}

static bool tapir_mapping_ask(struct tapir_user_walk *w, u64 address, struct tapir_unwind_mapping *mapping, u8 *end)
{
	bool found;

	if (!tapir_walk_lock(w))
		return tapir_mapping_recall(w, address, mapping, end);
	found = tapir_mapping_find(w, address, mapping, end);
	tapir_walk_unlock(w);
	return found;
}

/* Callbacks lead back to a file that the walk has been in. Its mapping is known where the lock is held meanwhile. */
static bool tapir_mapping_back(struct tapir_user_walk *w, u64 address)
{
	u32 i, n = min_t(u32, w->left, TAPIR_WALK_MAPPINGS);

	for (i = 0; i < n; i++) {
		if (address - w->earlier[i].start >= w->earlier[i].length)
			continue;
		swap(w->earlier[i], w->last);
		return true;
	}
	return false;
}

static void tapir_mapping_leave(struct tapir_user_walk *w)
{
	if (w->last.length && w->last.table && w->lock != TAPIR_USER_LOCK_EACH)
		w->earlier[w->left++ % TAPIR_WALK_MAPPINGS] = w->last;
}

static const struct tapir_unwind_table *tapir_find_table(void *data, u64 address, u32 *place, u8 *end)
{
	struct tapir_user_walk *w = data;
	struct tapir_unwind_mapping *last = &w->last;

	if (address - last->start >= last->length && !tapir_mapping_back(w, address)) {
		tapir_mapping_leave(w);
		last->object = TAPIR_UNWIND_NO_NUMBER;
		if (!tapir_mapping_ask(w, address, last, end)) {
			last->length = 0;
			*place = address - last->start + last->place;
			if (*end != TAPIR_UNWIND_NO_TABLE)
				last->object = TAPIR_UNWIND_NO_NUMBER;
			return NULL;
		}
	}
	if (address - last->start + last->place > U32_MAX) {
		last->length = 0;
		last->object = TAPIR_UNWIND_NO_NUMBER;
		*end = TAPIR_UNWIND_NO_ROW;
		return NULL;
	}
	*place = address - last->start + last->place;
	return last->table;
}

/* ---- return probes put the address of their trampoline, the beginning of the uprobe area, in place of return addresses ---- */

/* TAPIR_UNWIND_MORE: *is says whether it is. */
static u8 tapir_trampoline_is(struct tapir_user_walk *w, u64 address, bool *is)
{
	const struct vm_area_struct *vma;

	*is = address == w->trampoline;
	if (*is || offset_in_page(address))
		return TAPIR_UNWIND_MORE;
	if (!tapir_walk_lock(w))
		return TAPIR_UNWIND_BUSY;
	vma = find_vma(w->process, address);
	*is = vma && vma->vm_start == address && tapir_is_uprobe_area(vma);
	tapir_walk_unlock(w);
	if (*is)
		w->trampoline = address;
	return TAPIR_UNWIND_MORE;
}

static u8 tapir_find_original(void *data, u64 cfa, u64 *pc)
{
	bool is;
	u8 end = tapir_trampoline_is(data, *pc, &is);

	/* Samples on PREEMPT_RT never get the lock. That the kernel keeps a call at this very place of the stack is enough. */
	if (end == TAPIR_UNWIND_BUSY && tapir_original_return(tapir_stack_at_entry(cfa), pc))
		return TAPIR_UNWIND_MORE;
	if (end || !is)
		return end;
	return tapir_original_return(tapir_stack_at_entry(cfa), pc) ? TAPIR_UNWIND_MORE : TAPIR_UNWIND_RETURN;
}

/* Corrects the frame if user mode was left on behalf of a probe: in the copy of an instruction, or on the way back from a call. If
 * the original place is unknown, the walk will end there. */
static void tapir_leave_uprobe_area(struct tapir_user_walk *w)
{
	struct tapir_unwind_frame *f = &w->frame;
	u64 *sp = &f->regs[TAPIR_STACK_REGISTER];
	u32 words;
	bool is;

	f->pc = tapir_uprobe_place(f->pc);
	if (!w->source.original || offset_in_page(f->pc) >= TAPIR_TRAMPOLINE_BYTES)
		return;
	if (tapir_trampoline_is(w, f->pc & PAGE_MASK, &is) || !is)
		return;
	for (words = 0; words <= TAPIR_TRAMPOLINE_WORDS; words++) {
		u64 cfa = *sp + words * sizeof(u64);

		if (!tapir_original_return(tapir_stack_at_entry(cfa), &f->pc))
			continue;
		*sp = cfa;
		f->called = 1;
		return;
	}
}

/* Several words at once, faster than string instructions where these are slow to begin. Not in an NMI, which may have interrupted a
 * change of the address space. */
static bool tapir_read_words(u64 *dst, u64 address, u32 words)
{
	const u64 __user *from = (const u64 __user *)(uintptr_t)address;
	u32 i;

	pagefault_disable();
	if (!user_read_access_begin(from, words * sizeof(u64)))
		goto refused;
	for (i = 0; i < words; i++)
		unsafe_get_user(dst[i], from + i, fault);
	user_read_access_end();
	pagefault_enable();
	return true;

fault:
	user_read_access_end();
refused:
	pagefault_enable();
	return false;
}

static int tapir_read_stack(void *data, void *dst, u64 address, u32 length)
{
	if (in_nmi() || length % sizeof(u64))
		return tapir_port_read_user(dst, address, length);
	if (tapir_read_words(dst, address, length / sizeof(u64)))
		return 0;
	return tapir_in_snapshot() ? tapir_subject_read(dst, address, length) : -EFAULT;
}

#ifdef TASK_SIZE_MAX
#define TAPIR_USER_END TASK_SIZE_MAX
#else
#define TAPIR_USER_END TASK_SIZE
#endif
/* Longer stacks take several runs. */
#define TAPIR_RUN_BYTES (1u << 20)

static __always_inline bool tapir_read_word(void *data, u64 address, u64 *word)
{
	unsafe_get_user(*word, (const u64 __user *)(uintptr_t)address, fault);
	return true;

fault:
	return false;
}

/* Within one access: its beginning costs more than the words of several frames. Not in an NMI, as above. */
static u32 tapir_run_of_frames(void *data, struct tapir_unwind_run *run)
{
	const void __user *from = (const void __user *)(uintptr_t)run->sp;
	u32 why = TAPIR_RUN_LEFT;

	if (run->sp < PAGE_SIZE || run->sp >= TAPIR_USER_END)
		return why;
	run->end = min_t(u64, run->sp + TAPIR_RUN_BYTES, TAPIR_USER_END);
	pagefault_disable();
	if (user_read_access_begin(from, run->end - run->sp)) {
		why =
		    tapir_unwind_run_by(run, tapir_unwind_plain_address(TAPIR_THIS_UNWIND_MACHINE, U64_MAX), tapir_read_word, NULL);
		user_read_access_end();
	}
	pagefault_enable();
	return why;
}

bool tapir_port_user_walk_begin(struct tapir_ctx *c, struct tapir_user_walk *w)
{
	struct mm_struct *mm = current->mm;
	const struct pt_regs *regs;

	w->source = (struct tapir_unwind_source){.data = w,
						 .machine = TAPIR_THIS_UNWIND_MACHINE,
						 .last = &w->last,
						 .find = tapir_find_table,
						 .read = tapir_read_stack,
						 .run = in_nmi() ? NULL : tapir_run_of_frames};
	w->process = mm;
	w->last.length = 0;
	w->last.object = TAPIR_UNWIND_NO_NUMBER;
	w->left = 0;
	w->returned = 0;
	w->trampoline = 0;
	w->lock = TAPIR_USER_UNLOCKED;
	w->frame.steps = 0;
	w->frame.called = 0;
	w->frame.stack_bytes = 0;
	w->frame.ahead = sizeof(w->frame.stack);
	w->end = TAPIR_UNWIND_FOREIGN;
	if (!mm || (!tapir_in_snapshot() && (c->level == TAPIR_LEVEL_SESSION || (current->flags & PF_KTHREAD))))
		return false;
	w->end = TAPIR_UNWIND_EXEC;
	if (tapir_is_in_exec(mm))
		return false;
	w->end = TAPIR_UNWIND_FOREIGN;
	regs = tapir_port_user_mode(c) ? c->regs : tapir_subject_registers();
	if (!regs || !user_mode((struct pt_regs *)regs))
		return false;
	w->end = TAPIR_UNWIND_MACHINE;
	if (!tapir_user_frame(regs, &w->frame))
		return false;
	w->lock = tapir_in_snapshot() ? TAPIR_USER_LOCK_EACH : tapir_user_lock_try(mm);
	if (tapir_returns_pending())
		w->source.original = tapir_find_original;
	if (c->probe->kind->user && c->probe->kind->returns && c->ip != w->frame.pc) {
		w->returned = c->ip;
		w->frame.called = 1;
	}
	tapir_leave_uprobe_area(w);
	w->end = TAPIR_UNWIND_MORE;
	return true;
}

void tapir_port_user_walk_from(struct tapir_user_walk *w, u64 pc, u64 sp, u64 fp)
{
	w->frame.pc = pc;
	w->frame.called = 0;
	w->frame.regs[TAPIR_STACK_REGISTER] = sp;
	w->frame.regs[TAPIR_FRAME_REGISTER] = fp;
	w->returned = 0;
}

void tapir_port_user_walk_end(struct tapir_user_walk *w)
{
	tapir_user_unlock(w->process, w->lock);
}

void tapir_port_count_user_stack(u8 end)
{
	tapir_user_stack_count(end);
}
