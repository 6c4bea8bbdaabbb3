/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The target process and its descendants, whoever their parents are by now. Whether a process is one of them is settled when it is
 * forked; of those that run already when the script starts, by their parents at that time.
 */
#ifndef TAPIR_KMOD_FAMILY_H
#define TAPIR_KMOD_FAMILY_H

#include <linux/types.h>

/* Begins to follow the family, which goes on until as many have left. Session thread; -errno: reported. */
int tapir_family_follow(void);
void tapir_family_leave(void);

/* Of a process (its PID among all of the machine), between the two. Any context. */
bool tapir_family_has(pid_t pid);

#endif
