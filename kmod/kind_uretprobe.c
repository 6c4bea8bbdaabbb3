// SPDX-License-Identifier: GPL-2.0-or-later
/* Returns of functions of programs. */
#include <linux/cpumask.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include "arch/this_arch.h"
#include "call_data.h"
#include "compat/tracepoint.h"
#include "kind.h"
#include "tracepoints.h"
#include "user_sites.h"
#include "report.h"
#include "ledger.h"

/* Calls with data of their entry that can be under way at once; more are missed, and counted. */
#define TAPIR_USER_CALLS max(1024u, 64u * num_possible_cpus())

static struct tapir_calls **tapir_user_calls; /* by probe; NULL for those that save nothing */

/* ctx->ip at a return, and at the entry for it, is the function's address. */
TAPIR_UPROBE_HANDLER(tapir_uretprobe_entry, consumer, regs)
{
	struct tapir_user_site *s = container_of(consumer, struct tapir_user_site, consumer);
	struct tapir_calls *calls = tapir_user_calls[s->probe];
	const struct tapir_probe *probe = s->hook.probe;
	unsigned long function = instruction_pointer(regs);
	struct tapir_call *call;
	struct tapir_hit_data hit = {.regs = regs, .ip = function, .place = s->site, .handler = probe->entry};

	if (!tapir_whose_has(s->whose, current))
		return tapir_user_site_unwanted(s);
	if (!calls)
		return 0;
	call = tapir_call_begin(calls, function, tapir_caller_stack_at_entry(regs), probe->saved_bytes);
	if (!call)
		return 0;
	hit.saved = (char *)call->data;
	tapir_user_touch(s, regs, function, true);
	preempt_disable();
	if (tapir_hit_entry(&s->hook, &hit))
		tapir_call_keep(calls, call);
	else
		tapir_call_drop(calls, call);
	preempt_enable();
	return 0;
}

TAPIR_UPROBE_RETURN_HANDLER(tapir_uretprobe_hit, consumer, function, regs)
{
	struct tapir_user_site *s = container_of(consumer, struct tapir_user_site, consumer);
	struct tapir_calls *calls = tapir_user_calls[s->probe];
	struct tapir_call *call = NULL;

	if (!tapir_whose_has(s->whose, current))
		return 0;
	if (!calls && tapir_user_leaf(s, regs))
		return 0;
	if (calls) {
		call = tapir_call_end(calls, function, user_stack_pointer(regs));
		/* Its entry was skipped or missed, and counted. */
		if (!call)
			return 0;
	}
	tapir_user_touch(s, regs, function, false);
	preempt_disable();
	tapir_hit_at(&s->hook, &(struct tapir_hit_data){
				   .regs = regs,
				   .ip = function,
				   .place = s->site,
				   .saved = call ? (char *)call->data : NULL,
				   .handler = s->hook.probe->handler,
			       });
	preempt_enable();
	if (call)
		tapir_call_drop(calls, call);
	return 0;
}

/* ---- tasks that never return: they end, or execute another program ---- */

static void tapir_uretprobe_leaves(void *data)
{
	u32 i;

	for (i = 0; i < tapir_module.nprobes; i++)
		if (tapir_user_calls[i])
			tapir_calls_forget(tapir_user_calls[i]);
}

static struct tapir_listener tapir_uretprobe_leaving_list[] = {
    {.name = "sched_process_exit", .callback = tapir_uretprobe_leaves},
    {.name = "sched_process_exec", .callback = tapir_uretprobe_leaves},
};
static const struct tapir_listeners tapir_uretprobe_leavings = {.list = tapir_uretprobe_leaving_list,
								.count = ARRAY_SIZE(tapir_uretprobe_leaving_list)};

static void tapir_uretprobe_listen_no_more(void)
{
	if (tapir_uretprobe_leaving_list[0].tracepoint)
		tapir_listeners_stop(&tapir_uretprobe_leavings);
}

/* ---- the kind ---- */

static struct tapir_user_sites tapir_uretprobes = {
    .kind = &tapir_kind_uretprobe,
    .consumer = {.handler = tapir_uretprobe_entry, .ret_handler = tapir_uretprobe_hit},
};

static void tapir_uretprobe_free(void)
{
	u32 i;

	for (i = 0; tapir_user_calls && i < tapir_module.nprobes; i++) {
		if (tapir_user_calls[i])
			tapir_ledger_add_missed(i, atomic64_read(&tapir_user_calls[i]->missed));
		tapir_calls_destroy(tapir_user_calls[i]);
	}
	kfree(tapir_user_calls);
	tapir_user_calls = NULL;
}

static void tapir_uretprobe_demand(u32 probe, struct tapir_demand *demand)
{
	tapir_calls_demand(probe, TAPIR_USER_CALLS, demand);
}

static int tapir_uretprobe_arm(void)
{
	bool saves = false;
	int error = 0;
	u32 i;

	tapir_user_calls = kcalloc(max(tapir_module.nprobes, 1u), sizeof(*tapir_user_calls), GFP_KERNEL);
	if (!tapir_user_calls)
		goto no_memory;
	for (i = 0; i < tapir_module.nprobes; i++) {
		const struct tapir_probe *probe = &tapir_module.probes[i];

		if (probe->kind != &tapir_kind_uretprobe || !probe->entry)
			continue;
		tapir_user_calls[i] = tapir_calls_create(TAPIR_USER_CALLS, probe->saved_bytes);
		if (!tapir_user_calls[i])
			goto no_memory;
		saves = true;
	}
	if (saves)
		error = tapir_listeners_follow(&tapir_uretprobe_leavings);
	if (!error)
		error = tapir_user_sites_arm(&tapir_uretprobes);
	if (error) {
		tapir_uretprobe_listen_no_more();
		tapir_uretprobe_free();
	}
	return error;

no_memory:
	tapir_uretprobe_free();
	tapir_session_fail(TAPIR_TEXT(NoMemoryCallData));
	return -ENOMEM;
}

static void tapir_uretprobe_rearm(void)
{
	tapir_user_sites_rearm(&tapir_uretprobes);
}

static void tapir_uretprobe_disarm(void)
{
	tapir_user_sites_disarm(&tapir_uretprobes);
	tapir_uretprobe_listen_no_more();
	tapir_uretprobe_free();
}

const struct tapir_kind_ops tapir_kind_uretprobe = {
    TAPIR_KIND_LISTED(uretprobe),
    .demand = tapir_uretprobe_demand,
    .arm = tapir_uretprobe_arm,
    .rearm = tapir_uretprobe_rearm,
    .disarm = tapir_uretprobe_disarm,
    .label = tapir_user_label,
    .point = tapir_user_point,
    .returns = true,
    .user = true,
    .pid_at = offsetof(struct tapir_user_arg, pid),
};
