/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The control file. */
#ifndef TAPIR_CONTROL_H
#define TAPIR_CONTROL_H

/* Module init and exit. */
int tapir_control_create(void);
void tapir_control_destroy(void);

/* Gives a file or directory below /proc to the user who inserted the module, even if it was created with other rights. */
struct proc_dir_entry;
void tapir_control_give(struct proc_dir_entry *entry);

#endif
