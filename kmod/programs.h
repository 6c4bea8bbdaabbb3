/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of programs and libraries that a script probes. The loader opens them: only it knows what a path means to the user. */
#ifndef TAPIR_KMOD_PROGRAMS_H
#define TAPIR_KMOD_PROGRAMS_H

#include <linux/fs.h>
#include <tapir/wire.h>

/* ---- control; process context ---- */

/* -EINVAL: no such program. */
int tapir_program_get(struct tapir_ioc_program *program);
/* Keeps the file that the caller has open. -EBADF, -EINVAL: nothing that code can be mapped from; -EBUSY: there is one. */
int tapir_program_set(const struct tapir_ioc_program *program);
/* Lets go of all of them. */
void tapir_programs_release(void);

/* The inode whose pages processes map; NULL: the loader had no such file. Any context. */
struct inode *tapir_program_inode(u32 index);
/* Reads the file. False: not all of it can be had. May sleep. */
bool tapir_program_read(u32 index, loff_t offset, void *dst, size_t length);

#endif
