/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processes that the user and the script name by PID. Their PIDs are in the view of the loader, which may live in a namespace.
 */
#ifndef TAPIR_KMOD_PROCESSES_H
#define TAPIR_KMOD_PROCESSES_H

#include <linux/pid.h>
#include <linux/types.h>

/* ---- control; process context ---- */

/* Sets target(). `command`: it has yet to execute the command of -c. */
void tapir_target_set(s64 pid, bool command);
/* Returns the PID in the initial namespace, or 0 if no such process exists. */
s32 tapir_initial_pid(s64 pid);
/* Finds the processes that probes name. -ENOMEM. */
int tapir_processes_find(void);
void tapir_processes_release(void);

/* ---- any context, after START ---- */

/* Returns the limit of the probe, as in tapir_user_arg; 0 if it has none. */
s32 tapir_probe_pid(u32 probe);
/* The process, or NULL if it is not there. */
const struct pid *tapir_probe_process(u32 probe);
/* Returns the target, or NULL. */
const struct pid *tapir_target_process(void);

#endif
