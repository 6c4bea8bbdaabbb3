// SPDX-License-Identifier: GPL-2.0-or-later
/* The task that handlers look at, and its memory that is swapped out or not read yet: see subject.h. */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <linux/userfaultfd_k.h>
#include <tapir/port.h>
#include "compat/user_stack.h"
#include "state.h"
#include "subject.h"
#include "user_files.h"

struct tapir_subject tapir_subject;

static bool tapir_subject_may_sleep(void)
{
	return !faulthandler_disabled() && !irqs_disabled();
}

bool tapir_subject_lock(struct mm_struct *mm)
{
	u32 i;

	for (i = 0; !tapir_mmap_trylock(mm); i++) {
		if (i == HZ || !tapir_subject_may_sleep() || tapir_session_handler_interrupted())
			return false;
		schedule_timeout_idle(1);
	}
	return true;
}

/* Under the mmap_lock. */
static bool tapir_range_may_come_in(struct mm_struct *mm, u64 address, u64 end)
{
	while (address < end) {
		const struct vm_area_struct *vma = find_vma(mm, address);

		if (!vma || vma->vm_start > address || (vma->vm_flags & (VM_IO | VM_PFNMAP)) ||
		    userfaultfd_armed((struct vm_area_struct *)vma) || (vma->vm_file && tapir_file_of_program(vma->vm_file)))
			return false;
		address = vma->vm_end;
	}
	return true;
}

bool tapir_port_user_memory(u64 address, u64 *start, u64 *end)
{
	const struct vm_area_struct *vma;
	struct mm_struct *mm = current->mm;

	if (!tapir_in_snapshot() || !mm || !tapir_subject_lock(mm))
		return false;
	vma = find_vma(mm, address);
	while (vma && (!(vma->vm_flags & VM_WRITE) || (vma->vm_flags & (VM_IO | VM_PFNMAP))))
		vma = find_vma(mm, vma->vm_end);
	if (vma) {
		*start = vma->vm_start;
		*end = vma->vm_end;
	}
	tapir_mmap_unlock(mm);
	return vma;
}

int tapir_subject_read(void *dst, u64 address, u32 length)
{
	struct mm_struct *mm = current->mm;
	bool may;

	if (!tapir_subject_may_sleep() || !mm || !length || address + length < address || !tapir_subject_lock(mm))
		return -EFAULT;
	may = tapir_range_may_come_in(mm, address, address + length);
	tapir_mmap_unlock(mm);
	return may && !copy_from_user(dst, (const void __user *)(uintptr_t)address, length) ? 0 : -EFAULT;
}
