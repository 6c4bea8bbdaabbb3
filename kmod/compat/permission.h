/* SPDX-License-Identifier: GPL-2.0-or-later */
/* <linux/fs.h>: whether the current task's credentials let it read a file. */
#ifndef TAPIR_COMPAT_PERMISSION_H
#define TAPIR_COMPAT_PERMISSION_H

#include <linux/fs.h>
#include <tapir_kernel_features.h>

/* 0 or a negative errno. Process context. */
static inline int tapir_may_read(struct file *file)
{
#if TAPIR_HAVE_FILE_PERMISSION
	return file_permission(file, MAY_READ);
#else
	/* Before 5.12 (02f92b3868a1) mounts did not map owners. */
	return inode_permission(file_inode(file), MAY_READ);
#endif
}

#endif
