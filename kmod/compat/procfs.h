/* SPDX-License-Identifier: GPL-2.0-or-later */
/* <linux/proc_fs.h> */
#ifndef TAPIR_COMPAT_PROCFS_H
#define TAPIR_COMPAT_PROCFS_H

#include <linux/proc_fs.h>
#include <tapir_kernel_features.h>

/* Returns the pointer that was given to proc_create_data(). 5.17 (359745d78351) changed the name. */
static inline void *tapir_pde_data(const struct inode *inode)
{
#if TAPIR_HAVE_PDE_DATA
	return pde_data(inode);
#else
	return PDE_DATA(inode);
#endif
}

#endif
