/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that programs run from. */
#ifndef TAPIR_USER_FILES_H
#define TAPIR_USER_FILES_H

#include <linux/fs.h>
#include <linux/string.h>
#include <linux/types.h>

/*
 * Does a program answer for the file (FUSE)? It may be anybody's and never do so, and no signal ends the wait for it. Any context.
 */
static inline bool tapir_file_of_program(const struct file *file)
{
	return !strncmp(file_inode(file)->i_sb->s_type->name, "fuse", 4);
}

/* Can it be opened and read without anything but a disk or another machine being asked? Any context. */
static inline bool tapir_file_readable(const struct file *file)
{
	return S_ISREG(file_inode(file)->i_mode) && !tapir_file_of_program(file);
}

#endif
