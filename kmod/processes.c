// SPDX-License-Identifier: GPL-2.0-or-later
/* Finding the processes that are named by PID: see processes.h. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include "kind.h"
#include "processes.h"
#include "state.h"

static struct pid **tapir_probe_processes; /* by probe */
static struct pid *tapir_target;

static struct pid *tapir_find_process(s64 pid)
{
	return pid > 0 && pid <= INT_MAX ? find_get_pid(pid) : NULL;
}

void tapir_target_set(s64 pid, bool command)
{
	put_pid(tapir_target);
	tapir_target = tapir_find_process(pid);
	tapir_session.target = tapir_target ? pid_nr(tapir_target) : pid;
	tapir_session.target_waits = command;
}

s32 tapir_initial_pid(s64 pid)
{
	struct pid *process = tapir_find_process(pid);
	s32 number = pid_nr(process);

	put_pid(process);
	return number;
}

s32 tapir_probe_pid(u32 probe)
{
	u16 at = tapir_module.probes[probe].kind->pid_at;

	return at ? *(const s32 *)((const char *)tapir_module.probes[probe].arg + at) : 0;
}

int tapir_processes_find(void)
{
	u32 i;

	if (!tapir_probe_processes)
		tapir_probe_processes = kvcalloc(max(tapir_module.nprobes, 1u), sizeof(*tapir_probe_processes), GFP_KERNEL);
	if (!tapir_probe_processes)
		return -ENOMEM;
	for (i = 0; i < tapir_module.nprobes; i++) {
		put_pid(tapir_probe_processes[i]);
		tapir_probe_processes[i] = tapir_find_process(tapir_probe_pid(i));
	}
	return 0;
}

void tapir_processes_release(void)
{
	u32 i;

	for (i = 0; tapir_probe_processes && i < tapir_module.nprobes; i++)
		put_pid(tapir_probe_processes[i]);
	kvfree(tapir_probe_processes);
	tapir_probe_processes = NULL;
	put_pid(tapir_target);
	tapir_target = NULL;
}

const struct pid *tapir_probe_process(u32 probe)
{
	return tapir_probe_processes[probe];
}

const struct pid *tapir_target_process(void)
{
	return tapir_target;
}
