// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Returns of functions of programs. Where it is known which instructions leave a function, they have uprobes, and the program's
 * stack stays as it is; else the kernel's return probes put an address of their own in place of return addresses.
 */
#include <linux/preempt.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "arch/this_arch.h"
#include "condition.h"
#include "kind.h"
#include "tracepoints.h"
#include "user_calls.h"
#include "user_sites.h"
#include "report.h"
#include "ledger.h"

static struct tapir_user_calls **tapir_user_calls; /* by probe; NULL for those that save nothing */

/* ---- hits; in the task, may sleep ---- */

/*
 * Stacks of goroutines move, but the distance from their end stays: the second word of a goroutine (stack.hi of runtime.g). Returns
 * false if it cannot be read.
 */
static bool tapir_call_key_of(const struct tapir_user_site *s, const struct pt_regs *regs, unsigned long function,
			      unsigned long caller_stack, struct tapir_call_key *key)
{
	unsigned long end;

	*key = (struct tapir_call_key){.function = function, .place = caller_stack};
	if (!s->arg->goroutines)
		return true;
	key->stack = tapir_goroutine(regs);
	if (copy_from_user(&end, (const void __user *)(key->stack + sizeof(end)), sizeof(end)))
		return false;
	key->place = end - caller_stack;
	return true;
}

/* ctx->ip at a return, and at the entry for it, is the function's address. */
TAPIR_UPROBE_HANDLER(tapir_uretprobe_entry, consumer, regs)
{
	const struct tapir_user_site *s = tapir_user_place_of(consumer)->of;
	struct tapir_user_calls *calls = tapir_user_calls[s->probe];
	unsigned long function = instruction_pointer(regs);
	struct tapir_hit_data hit = {.regs = regs, .ip = function, .place = s->site, .handler = s->hook.probe->entry};
	struct tapir_call_key key;
	struct tapir_user_call *call;

	if (!tapir_whose_has(s->whose, current))
		return tapir_user_site_unwanted(s);
	if (!calls)
		return 0;
	if (!tapir_call_key_of(s, regs, function, tapir_caller_stack_at_entry(regs), &key)) {
		tapir_user_call_miss(calls);
		return 0;
	}
	call = tapir_user_call_begin(calls, &key, s->arg->comes_back && s->arg->comes_back[s->site - s->arg->code.sites]);
	if (!call)
		return 0;
	hit.saved = (char *)call->data;
	tapir_user_touch(s, regs, function, true);
	preempt_disable();
	if (tapir_hit_entry(&s->hook, &hit))
		tapir_user_call_keep(call);
	else
		tapir_user_call_drop(call);
	preempt_enable();
	return 0;
}

/* The registers are those after the return. */
static void tapir_uretprobe_run(const struct tapir_user_site *s, struct pt_regs *regs, unsigned long function,
				struct tapir_user_call *call)
{
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
}

/* False: the call's entry was skipped or missed, and counted; or it was before the probe. */
static bool tapir_uretprobe_call(const struct tapir_user_site *s, const struct pt_regs *regs, unsigned long function,
				 unsigned long caller_stack, struct tapir_user_call **call)
{
	struct tapir_user_calls *calls = tapir_user_calls[s->probe];
	struct tapir_call_key key;

	*call = NULL;
	if (!calls)
		return true;
	if (tapir_call_key_of(s, regs, function, caller_stack, &key))
		*call = tapir_user_call_end(calls, &key);
	return *call;
}

/* The instruction that leaves the function has not run yet: meanwhile, the registers are set as after it. */
TAPIR_UPROBE_HANDLER(tapir_uretprobe_exit, consumer, regs)
{
	const struct tapir_user_place *place = tapir_user_place_of(consumer);
	const struct tapir_user_site *s = place->of;
	unsigned long ip = instruction_pointer(regs), sp = user_stack_pointer(regs), to;
	unsigned long function = ip - place->offset + s->site->offset;
	unsigned long caller_stack = tapir_caller_stack_at_entry(regs);
	struct tapir_user_call *call;

	if (!tapir_whose_has(s->whose, current))
		return tapir_user_site_unwanted(s);
	if (!tapir_user_calls[s->probe] && tapir_user_leaf(s, regs))
		return 0;
	if (!tapir_uretprobe_call(s, regs, function, caller_stack, &call))
		return 0;
	if (tapir_return_address(regs, &to))
		tapir_user_jump(regs, to, caller_stack + place->pops);
	tapir_uretprobe_run(s, regs, function, call);
	tapir_user_jump(regs, ip, sp);
	if (call)
		tapir_user_call_drop(call);
	return 0;
}

TAPIR_UPROBE_RETURN_HANDLER(tapir_uretprobe_hit, consumer, function, regs)
{
	const struct tapir_user_site *s = tapir_user_place_of(consumer)->of;
	struct tapir_user_call *call;

	if (!tapir_whose_has(s->whose, current))
		return 0;
	if (!tapir_user_calls[s->probe] && tapir_user_leaf(s, regs))
		return 0;
	if (!tapir_uretprobe_call(s, regs, function, user_stack_pointer(regs), &call))
		return 0;
	tapir_uretprobe_run(s, regs, function, call);
	if (call)
		tapir_user_call_drop(call);
	return 0;
}

/* ---- processes whose calls never return, for they end or execute another program, or whose children return from them, too ---- */

/* The kernel counts a thread out before it says that it ends. Those that are left out here come later, and see the count at 0. */
static void tapir_uretprobe_ends(void *data)
{
	if (!atomic_read(&current->signal->live))
		tapir_user_calls_leave();
}

/* No other thread of the process is left. */
static void tapir_uretprobe_executes(void *data)
{
	tapir_user_calls_leave();
}

/* Runs before the child does. A child that shares the memory returns only from calls of its own. */
static void tapir_uretprobe_forks(void *data, struct task_struct *parent, struct task_struct *child)
{
	if (child->mm && child->mm != parent->mm)
		tapir_user_calls_inherit(child);
}

static struct tapir_listener tapir_uretprobe_life_list[] = {
    {.name = "sched_process_exit", .callback = tapir_uretprobe_ends},
    {.name = "sched_process_exec", .callback = tapir_uretprobe_executes},
    {.name = "sched_process_fork", .callback = tapir_uretprobe_forks},
};
static const struct tapir_listeners tapir_uretprobe_life = {.list = tapir_uretprobe_life_list,
							    .count = ARRAY_SIZE(tapir_uretprobe_life_list)};

/* ---- the kind ---- */

static struct tapir_user_sites tapir_uretprobes = {
    .kind = &tapir_kind_uretprobe,
    .consumer = {.handler = tapir_uretprobe_entry, .ret_handler = tapir_uretprobe_hit},
    .exit = {.handler = tapir_uretprobe_exit},
    .entry = {.handler = tapir_uretprobe_entry},
};

static void tapir_uretprobe_listen_no_more(void)
{
	if (tapir_uretprobe_life_list[0].tracepoint)
		tapir_listeners_stop(&tapir_uretprobe_life);
}

static void tapir_uretprobe_free(void)
{
	u32 i;

	for (i = 0; tapir_user_calls && i < tapir_module.nprobes; i++) {
		if (tapir_user_calls[i])
			tapir_ledger_add_missed(i, tapir_user_calls_missed(tapir_user_calls[i]));
		tapir_user_calls_destroy(tapir_user_calls[i]);
	}
	kfree(tapir_user_calls);
	tapir_user_calls = NULL;
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
		tapir_user_calls[i] = tapir_user_calls_create(probe->saved_bytes);
		if (!tapir_user_calls[i])
			goto no_memory;
		saves = true;
	}
	if (saves)
		error = tapir_listeners_follow(&tapir_uretprobe_life);
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

/* A detached probe forgets its calls: others begin and end unseen at the same places of the stack. */
static void tapir_uretprobe_rearm(void)
{
	u32 i;

	tapir_user_sites_rearm(&tapir_uretprobes);
	for (i = 0; i < tapir_module.nprobes; i++)
		if (tapir_user_calls[i] && !tapir_probe_wanted(i))
			tapir_user_calls_forget(tapir_user_calls[i]);
}

static void tapir_uretprobe_disarm(void)
{
	tapir_user_sites_disarm(&tapir_uretprobes);
	tapir_uretprobe_listen_no_more();
	tapir_uretprobe_free();
}

const struct tapir_kind_ops tapir_kind_uretprobe = {
    TAPIR_KIND_LISTED(uretprobe),
    TAPIR_KIND_WAY(UprobeReturn),
    .demand = tapir_user_calls_demand,
    .arm = tapir_uretprobe_arm,
    .rearm = tapir_uretprobe_rearm,
    .disarm = tapir_uretprobe_disarm,
    .label = tapir_user_label,
    .point = tapir_user_point,
    .returns = true,
    .user = true,
    .pid_at = offsetof(struct tapir_user_arg, pid),
};
