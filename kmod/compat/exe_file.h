/* SPDX-License-Identifier: GPL-2.0-or-later */
/* <linux/fs.h>: a reference to the file that an address space was made for. */
#ifndef TAPIR_COMPAT_EXE_FILE_H
#define TAPIR_COMPAT_EXE_FILE_H

#include <linux/fs.h>
#include <linux/mm_types.h>
#include <linux/rcupdate.h>
#include <tapir_kernel_features.h>

/* Returns NULL if the memory has no program. Any context but NMI. Release it with fput(). */
static inline struct file *tapir_exe_file_get(struct mm_struct *mm)
{
	struct file *file;

	rcu_read_lock();
#if TAPIR_HAVE_GET_FILE_RCU_POINTER
	/* 6.7 (0ede61d8589c): the memory of a file may be another one's by the time it is looked at. */
	file = get_file_rcu(&mm->exe_file);
#else
	file = rcu_dereference(mm->exe_file);
	if (file && !get_file_rcu(file))
		file = NULL;
#endif
	rcu_read_unlock();
	return file;
}

#endif
