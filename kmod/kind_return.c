// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Returns of functions. A kretprobe each; what the handler wants to know of the entry of the same call is saved in the kretprobe's
 * instance by the probe's entry handler. A call whose entry was skipped is not followed to its return, and was counted as skipped.
 */
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "compat/kretprobe.h"
#include "condition.h"
#include "context.h"
#include "kind.h"
#include "sites.h"

struct tapir_return {
	struct kretprobe kretprobe;
	struct tapir_hook hook;
	const struct tapir_function_site *site;
	u32 probe;
	bool armed, enabled;
};
static struct tapir_return *tapir_returns;
static u32 tapir_nreturns;

/* Calls of one function that can be under way at once; more are missed, and counted. */
#define TAPIR_DEFAULT_MAXACTIVE max(64u, 4u * num_possible_cpus())

/* ctx->ip at a return is the function's address. */
static int tapir_return_entry(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct tapir_return *r = container_of(tapir_kretprobe_of(instance), struct tapir_return, kretprobe);
	struct tapir_hit_data hit = {
	    .regs = regs,
	    .ip = (unsigned long)r->kretprobe.kp.addr,
	    .saved = instance->data,
	    .handler = r->hook.probe->entry,
	};

	if (!hit.handler)
		return 0;
	memset(instance->data, 0, r->hook.probe->saved_bytes);
	return !tapir_hit_entry(&r->hook, &hit);
}
NOKPROBE_SYMBOL(tapir_return_entry);

static int tapir_return_hit(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct kretprobe *kretprobe = tapir_kretprobe_of(instance);
	struct tapir_return *r;

	if (!kretprobe)
		return 0;
	r = container_of(kretprobe, struct tapir_return, kretprobe);
	preempt_disable_notrace();
	tapir_hit_at(&r->hook, &(struct tapir_hit_data){
				   .regs = regs,
				   .ip = (unsigned long)r->kretprobe.kp.addr,
				   .saved = instance->data,
				   .handler = r->hook.probe->handler,
			       });
	preempt_enable_notrace();
	return 0;
}
NOKPROBE_SYMBOL(tapir_return_hit);

static const struct tapir_function_site *tapir_return_site(const struct tapir_ctx *c)
{
	const struct tapir_function_arg *arg = c->probe->arg;
	u32 index = c->probe - tapir_module.probes, i;

	if (arg->count == 1)
		return arg->sites;
	for (i = 0; i < tapir_nreturns; i++)
		if (tapir_returns[i].probe == index && (unsigned long)tapir_returns[i].kretprobe.kp.addr == c->ip)
			return tapir_returns[i].site;
	return NULL;
}

static const char *tapir_return_label(const struct tapir_ctx *c)
{
	const struct tapir_function_site *site = tapir_return_site(c);

	return site ? site->label : NULL;
}

static void tapir_return_point(const struct tapir_ctx *c, char *dst, u32 cap)
{
	tapir_site_point(c, tapir_return_site(c), dst, cap);
}

static void tapir_return_disarm(void)
{
	struct kretprobe **list = kvcalloc(max(tapir_nreturns, 1u), sizeof(*list), GFP_KERNEL);
	u32 i, count = 0;

	for (i = 0; i < tapir_nreturns; i++) {
		if (!tapir_returns[i].armed)
			continue;
		if (list)
			list[count++] = &tapir_returns[i].kretprobe;
		else
			unregister_kretprobe(&tapir_returns[i].kretprobe);
	}
	if (count)
		unregister_kretprobes(list, count);
	kvfree(list);
	for (i = 0; i < tapir_nreturns; i++)
		tapir_ledger_add_missed(tapir_returns[i].probe,
					tapir_returns[i].kretprobe.nmissed + tapir_returns[i].kretprobe.kp.nmissed);
	kvfree(tapir_returns);
	tapir_returns = NULL;
	tapir_nreturns = 0;
}

static int tapir_return_arm_site(u32 probe, const struct tapir_function_site *site)
{
	const struct tapir_function_arg *arg = tapir_module.probes[probe].arg;
	struct tapir_return *r = &tapir_returns[tapir_nreturns];
	unsigned long address = tapir_site_address(site);
	int error;

	if (!address)
		return tapir_site_missing(probe, site);
	tapir_nreturns++;
	r->hook = tapir_hook_of(probe);
	r->site = site;
	r->probe = probe;
	r->kretprobe.kp.addr = (kprobe_opcode_t *)address;
	r->kretprobe.handler = tapir_return_hit;
	r->kretprobe.entry_handler = r->hook.probe->entry ? tapir_return_entry : NULL;
	r->kretprobe.data_size = r->hook.probe->saved_bytes;
	r->kretprobe.maxactive = arg->maxactive ? arg->maxactive : TAPIR_DEFAULT_MAXACTIVE;
	error = register_kretprobe(&r->kretprobe);
	r->armed = r->enabled = !error;
	tapir_ledger_add_attached(probe, r->armed);
	if (!error && !tapir_probe_wanted(probe) && !disable_kretprobe(&r->kretprobe))
		r->enabled = false;
	cond_resched();
	return error ? tapir_site_refused(probe, site, error) : 0;
}

static int tapir_return_arm(void)
{
	u32 i, k, total = tapir_sites_total(&tapir_kind_return);
	int error = 0;

	tapir_returns = kvcalloc(max(total, 1u), sizeof(*tapir_returns), GFP_KERNEL);
	if (!tapir_returns) {
		tapir_session_fail("not enough memory to probe %u functions", total);
		return -ENOMEM;
	}
	for (i = 0; i < tapir_module.nprobes && !error; i++) {
		const struct tapir_function_arg *arg = tapir_module.probes[i].arg;

		if (tapir_module.probes[i].kind != &tapir_kind_return)
			continue;
		for (k = 0; k < arg->count && !error; k++)
			error = tapir_return_arm_site(i, &arg->sites[k]);
	}
	if (error)
		tapir_return_disarm();
	return error;
}

static void tapir_return_rearm(void)
{
	u32 i;

	for (i = 0; i < tapir_nreturns; i++) {
		struct tapir_return *r = &tapir_returns[i];
		bool wanted = tapir_probe_wanted(r->probe);
		int error;

		if (!r->armed || r->enabled == wanted)
			continue;
		error = wanted ? enable_kretprobe(&r->kretprobe) : disable_kretprobe(&r->kretprobe);
		if (!error)
			r->enabled = wanted;
		else if (wanted && tapir_must_attach(r->probe))
			tapir_session_fail("probe %s cannot be armed again after its condition changed (error %d)",
					   tapir_module.probes[r->probe].point, error);
		cond_resched();
	}
}

const struct tapir_kind_ops tapir_kind_return = {
    .name = "return",
    .arm = tapir_return_arm,
    .rearm = tapir_return_rearm,
    .disarm = tapir_return_disarm,
    .label = tapir_return_label,
    .point = tapir_return_point,
    .returns = true,
};
