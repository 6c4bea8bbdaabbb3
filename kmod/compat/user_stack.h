/* SPDX-License-Identifier: GPL-2.0-or-later */
/* <linux/mmap_lock.h>, <asm/mmu.h>: what walking the current task's user stack needs to know. None of it has changed from 5.10 to
 * 7.2; not every machine has it, and the kernel keeps much of it to itself. */
#ifndef TAPIR_COMPAT_USER_STACK_H
#define TAPIR_COMPAT_USER_STACK_H

#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <tapir_kernel_features.h>
#include "../subject.h"

/* Where a process has the vDSO; 0: unknown. */
static inline unsigned long tapir_vdso_address(const struct mm_struct *mm)
{
#if TAPIR_HAVE_MM_VDSO
	return (unsigned long)mm->context.vdso;
#else
	return 0;
#endif
}

/* The program is being replaced: registers of user mode are the old program's, memory is the new one's. Before execve() changes the
 * memory both are the old one's; what loads the program says last where its code is. */
static inline bool tapir_is_in_exec(const struct mm_struct *mm)
{
	return mm && !READ_ONCE(mm->end_code);
}

/* For reading; this context releases it. */
static inline bool tapir_mmap_trylock(struct mm_struct *mm)
{
	return down_read_trylock(&mm->mmap_lock);
}

/*
 * Like tapir_mmap_trylock(), but waits up to `ticks` jiffies while another thread changes the mappings. The wait is bounded because
 * a program can hold its own lock as long as it likes. An example is a page fault on a file system that it serves itself. A process
 * waiting for that lock could not be killed. Process context.
 */
static inline bool tapir_mmap_lock_within(struct mm_struct *mm, u32 ticks)
{
	bool locked;

	while (!(locked = tapir_mmap_trylock(mm)) && ticks--)
		schedule_timeout_idle(1);
	return locked;
}

static inline void tapir_mmap_unlock(struct mm_struct *mm)
{
	up_read(&mm->mmap_lock);
}

/* A lock that another context releases, with tapir_mmap_give_back(). These functions tell lockdep who uses it meanwhile.
 * tapir_mmap_trylock() begins the first use, tapir_mmap_use() each further one; tapir_mmap_leave() ends a use. */
static inline void tapir_mmap_use(struct mm_struct *mm)
{
	rwsem_acquire_read(&mm->mmap_lock.dep_map, 0, 1, _RET_IP_);
}

static inline void tapir_mmap_leave(struct mm_struct *mm)
{
	rwsem_release(&mm->mmap_lock.dep_map, _RET_IP_);
}

static inline void tapir_mmap_give_back(struct mm_struct *mm)
{
	up_read_non_owner(&mm->mmap_lock);
}

/* The number of a page in a file's memory; (pgoff_t)-1 if it is not the file's. Pages have it in their folio since 5.16, and only
 * there since 6.16. */
static inline pgoff_t tapir_page_index(struct page *page, const struct address_space *mapping)
{
#if TAPIR_HAVE_FOLIO
	struct folio *folio = page_folio(page);

	return READ_ONCE(folio->mapping) == mapping ? folio->index + folio_page_idx(folio, page) : (pgoff_t)-1;
#elif TAPIR_HAVE_GET_USER_PAGES_FAST_ONLY
	struct page *head = compound_head(page);

	return READ_ONCE(head->mapping) == mapping ? head->index + (page - head) : (pgoff_t)-1;
#else
	return (pgoff_t)-1;
#endif
}

/* Is it this page of a file that the current process has at an address? Any context, without the mmap_lock; false also if the page
 * is not in memory or not the file's own. */
static inline bool tapir_page_is(unsigned long address, const struct inode *inode, pgoff_t offset)
{
#if TAPIR_HAVE_FOLIO || TAPIR_HAVE_GET_USER_PAGES_FAST_ONLY
	struct page *page;
	bool is, there;

	/* access_ok() in there says otherwise, on kernels that check this, that it could sleep. */
	pagefault_disable();
	there = get_user_pages_fast_only(address, 1, 0, &page) == 1;
	pagefault_enable();
	if (!there)
		return false;
	is = tapir_page_index(page, inode->i_mapping) == offset;
	put_page(page);
	return is;
#else
	return false;
#endif
}

#endif
