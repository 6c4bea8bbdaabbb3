// SPDX-License-Identifier: GPL-2.0-or-later
/* process.data: memory of programs that the processor's debug registers watch, in each thread of the processes. */
#include <linux/errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/sched.h>
#include "hit.h"
#include "kind.h"
#include "task_events.h"

/* In the debug exception: interrupts are off, and where the kernel made the access, it is like an NMI. */
static void tapir_user_data_hit(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	const struct tapir_task_event *e = event->overflow_handler_context;
	const struct tapir_process_probe *probe = e->of->probe;

	if (!current->mm || !tapir_task_event_current(e) || !tapir_whose_has(&probe->whose, current))
		return;
	/* A handler of this CPU reads the memory, for the script. */
	if (!user_mode(regs) && tapir_handler_runs(TAPIR_LEVEL_SESSION))
		return;
	tapir_hit_at(&probe->hook, &(struct tapir_hit_data){
				       .regs = regs,
				       .ip = instruction_pointer(regs),
				       .place = e,
				       .handler = probe->hook.probe->handler,
				   });
}

/* Without a look at the mappings, which another thread may be changing. */
static bool tapir_user_data_bias(const void *place, u32 program, u64 *bias)
{
	const struct tapir_task_event *e = place;

	if (!e || e->of->arg->process.program != program)
		return false;
	*bias = e->bias;
	return true;
}

static void tapir_user_data_describe(const struct tapir_task_probe *p, u64 bias, struct perf_event_attr *attr)
{
	const struct tapir_user_data_arg *arg = container_of(p->arg, struct tapir_user_data_arg, task);

	hw_breakpoint_init(attr);
	attr->bp_addr = arg->address + bias;
	attr->bp_len = arg->length;
	attr->bp_type = arg->reads ? HW_BREAKPOINT_RW : HW_BREAKPOINT_W;
}

static const char *tapir_user_data_refusal(int error)
{
	switch (error) {
	case -ENOSPC:
	case -EBUSY:
		return "all debug registers of the processor are in use";
	case -EINVAL:
		return "the processor cannot watch the address";
	default:
		return NULL;
	}
}

static struct tapir_task_events tapir_user_datas = {
    .probes = {.kind = &tapir_kind_user_data},
    .describe = tapir_user_data_describe,
    .hit = tapir_user_data_hit,
    .verb = "watched",
    .refusal = tapir_user_data_refusal,
};

static int tapir_user_data_arm(void)
{
	return tapir_task_events_arm(&tapir_user_datas);
}

static void tapir_user_data_rearm(void)
{
	tapir_task_events_rearm(&tapir_user_datas);
}

static void tapir_user_data_disarm(void)
{
	tapir_task_events_disarm(&tapir_user_datas);
	tapir_task_events_free(&tapir_user_datas);
}

const struct tapir_kind_ops tapir_kind_user_data = {
    TAPIR_KIND_LISTED(user_data),
    TAPIR_KIND_WAY(Watch),
    .arm = tapir_user_data_arm,
    .rearm = tapir_user_data_rearm,
    .disarm = tapir_user_data_disarm,
    .program_bias = tapir_user_data_bias,
    .pid_at = offsetof(struct tapir_user_data_arg, task.process.pid),
};
