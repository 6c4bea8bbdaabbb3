// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Returns of functions. A kretprobe each; what the handler wants to know of the entry of the same call is saved in the kretprobe's
 * instance by the probe's entry handler. A call whose entry was skipped is not followed to its return, and was counted as skipped.
 */
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/string.h>
#include "compat/kretprobe.h"
#include "context.h"
#include "kind.h"
#include "sites.h"

/* Calls of one function that can be under way at once; more are missed, and counted. */
#define TAPIR_DEFAULT_MAXACTIVE max(64u, 4u * num_possible_cpus())

/* ctx->ip at a return is the function's address. */
static int tapir_return_entry(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct tapir_place *place = container_of(tapir_kretprobe_of(instance), struct tapir_place, kretprobe);
	struct tapir_hit_data hit = {
	    .regs = regs,
	    .ip = (unsigned long)place->kretprobe.kp.addr,
	    .saved = instance->data,
	    .handler = place->hook.probe->entry,
	};

	if (!hit.handler)
		return 0;
	memset(instance->data, 0, place->hook.probe->saved_bytes);
	return !tapir_hit_entry(&place->hook, &hit);
}
NOKPROBE_SYMBOL(tapir_return_entry);

static int tapir_return_hit(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct kretprobe *kretprobe = tapir_kretprobe_of(instance);
	struct tapir_place *place;

	if (!kretprobe)
		return 0;
	place = container_of(kretprobe, struct tapir_place, kretprobe);
	preempt_disable_notrace();
	tapir_hit_at(&place->hook, &(struct tapir_hit_data){
				       .regs = regs,
				       .ip = (unsigned long)place->kretprobe.kp.addr,
				       .saved = instance->data,
				       .handler = place->hook.probe->handler,
				   });
	preempt_enable_notrace();
	return 0;
}
NOKPROBE_SYMBOL(tapir_return_hit);

static void tapir_return_prepare(struct tapir_place *place)
{
	const struct tapir_function_arg *arg = place->hook.probe->arg;

	place->kretprobe.handler = tapir_return_hit;
	place->kretprobe.entry_handler = place->hook.probe->entry ? tapir_return_entry : NULL;
	place->kretprobe.data_size = place->hook.probe->saved_bytes;
	place->kretprobe.maxactive = arg->maxactive ? arg->maxactive : TAPIR_DEFAULT_MAXACTIVE;
}

static struct tapir_places tapir_returns = {.prepare = tapir_return_prepare, .returns = true};

static const char *tapir_return_label(const struct tapir_ctx *c)
{
	const struct tapir_function_site *site = tapir_places_site(&tapir_returns, c);

	return site ? site->label : NULL;
}

static void tapir_return_point(const struct tapir_ctx *c, char *dst, u32 cap)
{
	tapir_site_point(c, tapir_places_site(&tapir_returns, c), dst, cap);
}

static void tapir_return_disarm(void)
{
	tapir_places_destroy(&tapir_returns);
}

static int tapir_return_arm(void)
{
	int error = tapir_places_create(&tapir_returns, tapir_sites_total(&tapir_kind_return));

	if (error)
		return error;
	tapir_places_add_kind(&tapir_returns, &tapir_kind_return);
	error = tapir_places_arm(&tapir_returns);
	if (error)
		tapir_return_disarm();
	return error;
}

static void tapir_return_rearm(void)
{
	tapir_places_follow(&tapir_returns);
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
