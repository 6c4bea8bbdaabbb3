// SPDX-License-Identifier: GPL-2.0-or-later
/* System calls of processes, by the two tracepoints that every call passes. */
#include <linux/errno.h>
#include <linux/sched.h>
#include "compat/tracepoint.h"
#include "condition.h"
#include "kind.h"
#include "process_probes.h"
#include "syscall_args.h"
#include "tracepoints.h"

static struct tapir_process_probes tapir_process_syscalls = {.kind = &tapir_kind_process_syscall};

static void tapir_process_syscall_report(u8 event, struct pt_regs *regs, const u64 *args)
{
	const struct inode *running = NULL;
	u32 i;

	if (!tapir_is_process(current))
		return;
	if (tapir_process_syscalls.by_program)
		running = tapir_running(current->mm);
	tapir_tracepoint_enter();
	for (i = 0; i < tapir_process_syscalls.count; i++) {
		const struct tapir_process_probe *p = &tapir_process_syscalls.list[i];

		if (p->arg->event == event && tapir_process_probe_wants(p, current, running))
			tapir_hit_at(&p->hook, &(struct tapir_hit_data){
						   .regs = regs,
						   .ip = instruction_pointer(regs),
						   .args = args,
						   .handler = p->hook.probe->handler,
					       });
	}
	tapir_tracepoint_leave();
}

static void tapir_process_syscall_enter(void *data, struct pt_regs *regs, long number)
{
	u64 args[1 + TAPIR_SYSCALL_ARGUMENTS] = {number};

	tapir_syscall_arguments(regs, tapir_syscall_is_32bit(), args + 1);
	tapir_process_syscall_report(TAPIR_SYSCALL, regs, args);
}

static void tapir_process_syscall_exit(void *data, struct pt_regs *regs, long result)
{
	const u64 args[] = {syscall_get_nr(current, regs), result};

	tapir_process_syscall_report(TAPIR_SYSCALL_RETURN, regs, args);
}

/* Indexed by event, from TAPIR_SYSCALL on. */
static struct tapir_listener tapir_process_syscall_listener_list[] = {
    {.name = "sys_enter", .callback = tapir_process_syscall_enter},
    {.name = "sys_exit", .callback = tapir_process_syscall_exit},
};

static bool tapir_process_syscall_wants(u32 listener)
{
	u32 i;

	for (i = 0; i < tapir_process_syscalls.count; i++)
		if (tapir_process_syscalls.list[i].arg->event == TAPIR_SYSCALL + listener &&
		    tapir_probe_wanted(tapir_process_syscalls.list[i].probe))
			return true;
	return false;
}

/* An attached listener makes every system call of the machine a little slower. */
static const struct tapir_listeners tapir_process_syscall_listeners = {.list = tapir_process_syscall_listener_list,
								       .count = ARRAY_SIZE(tapir_process_syscall_listener_list),
								       .wants = tapir_process_syscall_wants};

static void tapir_process_syscall_rearm(void)
{
	tapir_listeners_follow(&tapir_process_syscall_listeners);
}

static void tapir_process_syscall_disarm(void)
{
	tapir_listeners_stop(&tapir_process_syscall_listeners);
	tapir_process_probes_destroy(&tapir_process_syscalls);
}

static int tapir_process_syscall_arm(void)
{
	int error = tapir_process_probes_create(&tapir_process_syscalls);

	if (error)
		return error;
	error = tapir_listeners_follow(&tapir_process_syscall_listeners);
	if (error)
		tapir_process_syscall_disarm();
	return error;
}

const struct tapir_kind_ops tapir_kind_process_syscall = {
    TAPIR_KIND_LISTED(process_syscall),	    TAPIR_KIND_WAY(Syscall),
    .arm = tapir_process_syscall_arm,	    .rearm = tapir_process_syscall_rearm,
    .disarm = tapir_process_syscall_disarm, .pid_at = offsetof(struct tapir_process_arg, pid),
};
