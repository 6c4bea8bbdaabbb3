/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TAPIR_COMPAT_INODE_H
#define TAPIR_COMPAT_INODE_H

#include <linux/fs.h>
#include <tapir_kernel_features.h>

/* inode->i_mtime until 12cd44023651 (6.7: inode_get_mtime()). When the file's content was last written, in ns since the epoch.
 * Any context; read without a lock. */
static inline u64 tapir_inode_written(const struct inode *inode)
{
#if TAPIR_HAVE_INODE_GET_MTIME
	struct timespec64 time = inode_get_mtime(inode);
#else
	struct timespec64 time = inode->i_mtime;
#endif

	return (u64)time.tv_sec * NSEC_PER_SEC + (u64)time.tv_nsec;
}

#endif
