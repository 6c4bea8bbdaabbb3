/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The target process and its descendants, even if their parents have changed since. fork() settles whether a new process belongs to
 * them. Processes that run when the script starts are judged by their parents at that time.
 */
#ifndef TAPIR_KMOD_FAMILY_H
#define TAPIR_KMOD_FAMILY_H

#include <linux/types.h>

/* Begins to follow the family; the last leave ends it. Session thread; -errno: reported. */
int tapir_family_follow(void);
void tapir_family_leave(void);

/* True if the process with this PID (in the initial namespace) is in the family. Call between follow and leave. Any context. */
bool tapir_family_has(pid_t pid);

#endif
