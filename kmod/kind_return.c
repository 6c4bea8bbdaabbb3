// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Returns of functions, a kretprobe each. The probe's entry handler saves values for the return's handler in the kretprobe's
 * instance. A call whose entry was skipped is not followed to its return, and was counted as skipped.
 *
 * The kernel calls the handlers of a kretprobe with preemption off.
 */
#include <linux/kprobes.h>
#include <linux/log2.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include "compat/kretprobe.h"
#include "hit.h"
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
	    .place = place->site,
	    .handler = place->hook.probe->entry,
	};

	if (!hit.handler)
		return 0;
	memset(instance->data, 0, place->hook.probe->saved_bytes);
	return !tapir_hit_entry(&place->hook, &hit);
}
NOKPROBE_SYMBOL(tapir_return_entry);

/* Preemption is off; NULL: the kretprobe has been unregistered. */
static __always_inline struct tapir_place *tapir_return_place(struct kretprobe_instance *instance)
{
	struct kretprobe *kretprobe = tapir_kretprobe_of(instance);

	return kretprobe ? container_of(kretprobe, struct tapir_place, kretprobe) : NULL;
}

/* Not inline: its stack frame would be a cost for hits that do not come here. */
static noinline int tapir_return_hit(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct tapir_place *place = tapir_return_place(instance);

	tapir_kretprobe_leave_trampoline(instance, regs);
	if (place)
		tapir_hit_at(&place->hook, &(struct tapir_hit_data){
					       .regs = regs,
					       .ip = (unsigned long)place->kretprobe.kp.addr,
					       .saved = instance->data,
					       .place = place->site,
					       .handler = place->hook.probe->handler,
					   });
	return 0;
}
NOKPROBE_SYMBOL(tapir_return_hit);

/* The first few probes without a condition call their handlers directly, without an indirect branch and its mitigations. */
static void tapir_return_no_handler(struct tapir_ctx *c)
{
}

static void tapir_return_no_leaf(u32 cpu, const void *registers)
{
}

#define TAPIR_RETURN_OWN 4
static struct tapir_hook tapir_return_own[TAPIR_RETURN_OWN];
static u32 tapir_nreturn_own;

#define TAPIR_RETURN_HITS(n)                                                                                                       \
	DEFINE_STATIC_CALL(tapir_return_handler_##n, tapir_return_no_handler);                                                     \
	DEFINE_STATIC_CALL(tapir_return_leaf_##n, tapir_return_no_leaf);                                                           \
                                                                                                                                   \
	static int tapir_return_leaf_hit_##n(struct kretprobe_instance *instance, struct pt_regs *regs)                            \
	{                                                                                                                          \
		if (!tapir_hit_is_plain())                                                                                         \
			return tapir_return_hit(instance, regs);                                                                   \
		static_call(tapir_return_leaf_##n)(raw_smp_processor_id(), regs);                                                  \
		this_cpu_inc(tapir_return_own[n].cell->handled);                                                                   \
		return 0;                                                                                                          \
	}                                                                                                                          \
	NOKPROBE_SYMBOL(tapir_return_leaf_hit_##n);                                                                                \
                                                                                                                                   \
	static int tapir_return_hit_##n(struct kretprobe_instance *instance, struct pt_regs *regs)                                 \
	{                                                                                                                          \
		struct tapir_place *place = tapir_return_place(instance);                                                          \
		struct tapir_ctx *c;                                                                                               \
                                                                                                                                   \
		if (!tapir_hit_is_plain() || !place)                                                                               \
			return tapir_return_hit(instance, regs);                                                                   \
		tapir_kretprobe_leave_trampoline(instance, regs);                                                                  \
		c = tapir_enter(&tapir_return_own[n], regs, (unsigned long)place->kretprobe.kp.addr);                              \
		if (TAPIR_LIKELY(c)) {                                                                                             \
			c->saved = instance->data;                                                                                 \
			c->place = place->site;                                                                                    \
			static_call(tapir_return_handler_##n)(c);                                                                  \
			tapir_leave(c, &tapir_return_own[n]);                                                                      \
		}                                                                                                                  \
		return 0;                                                                                                          \
	}                                                                                                                          \
	NOKPROBE_SYMBOL(tapir_return_hit_##n);                                                                                     \
                                                                                                                                   \
	static kretprobe_handler_t tapir_return_bind_##n(const struct tapir_probe *probe)                                          \
	{                                                                                                                          \
		if (probe->leaf.registers) {                                                                                       \
			static_call_update(tapir_return_leaf_##n, probe->leaf.registers);                                          \
			return tapir_return_leaf_hit_##n;                                                                          \
		}                                                                                                                  \
		static_call_update(tapir_return_handler_##n, probe->handler);                                                      \
		return tapir_return_hit_##n;                                                                                       \
	}

TAPIR_RETURN_HITS(0)
TAPIR_RETURN_HITS(1)
TAPIR_RETURN_HITS(2)
TAPIR_RETURN_HITS(3)

static kretprobe_handler_t (*const tapir_return_bind[TAPIR_RETURN_OWN])(const struct tapir_probe *probe) = {
    tapir_return_bind_0,
    tapir_return_bind_1,
    tapir_return_bind_2,
    tapir_return_bind_3,
};

/* Places come probe by probe. */
static kretprobe_handler_t tapir_return_handler(const struct tapir_place *place)
{
	static kretprobe_handler_t bound[TAPIR_RETURN_OWN];
	u32 last = tapir_nreturn_own - 1;

	if (tapir_nreturn_own && tapir_return_own[last].probe == place->hook.probe)
		return bound[last];
	if (tapir_nreturn_own == TAPIR_RETURN_OWN || place->hook.probe->condition)
		return tapir_return_hit;
	tapir_return_own[tapir_nreturn_own] = place->hook;
	bound[tapir_nreturn_own] = tapir_return_bind[tapir_nreturn_own](place->hook.probe);
	return bound[tapir_nreturn_own++];
}

static u32 tapir_return_maxactive(const struct tapir_function_arg *arg)
{
	return arg->maxactive ? arg->maxactive : TAPIR_DEFAULT_MAXACTIVE;
}

static void tapir_return_prepare(struct tapir_place *place)
{
	const struct tapir_function_arg *arg = place->hook.probe->arg;

	place->kretprobe.handler = tapir_return_handler(place);
	place->kretprobe.entry_handler = place->hook.probe->entry ? tapir_return_entry : NULL;
	place->kretprobe.data_size = place->hook.probe->saved_bytes;
	place->kretprobe.maxactive = tapir_return_maxactive(arg);
}

/*
 * Instances of one place. The kernel takes one piece of memory for each, or some for each CPU together with a table of pointers to
 * all of them (6.7, 4bbd9345565933).
 */
static u64 tapir_return_instances(const struct tapir_probe *probe)
{
	u64 count = tapir_return_maxactive(probe->arg);
	u64 bytes = roundup_pow_of_two(sizeof(struct kretprobe_instance) + probe->saved_bytes);

	return count * bytes + (roundup_pow_of_two(count) * sizeof(void *)) * num_possible_cpus();
}

static u64 tapir_return_bytes(const struct tapir_place *place)
{
	return tapir_return_instances(place->hook.probe);
}

static void tapir_return_demand(u32 probe, struct tapir_demand *demand)
{
	tapir_places_demand(
	    probe, tapir_return_instances(&tapir_module.probes[probe]),
	    "it keeps room for calls under way in each function: make .maxactive(N) smaller, or probe fewer functions", demand);
}

static struct tapir_places tapir_returns = {.prepare = tapir_return_prepare, .returns = true, .needs = tapir_return_bytes};

static const char *tapir_return_label(const struct tapir_ctx *c)
{
	const struct tapir_function_site *site = tapir_place_site(c);

	return site ? site->label : NULL;
}

static void tapir_return_point(const struct tapir_ctx *c, char *dst, u32 cap)
{
	tapir_site_point(c, tapir_place_site(c), dst, cap);
}

static void tapir_return_disarm(void)
{
	tapir_places_disarm(&tapir_returns);
}

static void tapir_return_settle(void)
{
	tapir_places_settle(&tapir_returns);
}

static int tapir_return_arm(void)
{
	int error = tapir_places_create(&tapir_returns, tapir_sites_total(&tapir_kind_return));

	if (error)
		return error;
	tapir_nreturn_own = 0;
	tapir_places_add_kind(&tapir_returns, &tapir_kind_return);
	error = tapir_places_arm(&tapir_returns);
	if (error) {
		tapir_return_disarm();
		tapir_return_settle();
	}
	return error;
}

static void tapir_return_rearm(void)
{
	tapir_places_follow(&tapir_returns);
}

static void tapir_return_follow(u32 module, enum tapir_module_event event)
{
	tapir_places_follow_module(&tapir_returns, module, event);
}

const struct tapir_kind_ops tapir_kind_return = {
    TAPIR_KIND_LISTED(return ),
    TAPIR_KIND_WAY(Return),
    .demand = tapir_return_demand,
    .arm = tapir_return_arm,
    .rearm = tapir_return_rearm,
    .follow = tapir_return_follow,
    .disarm = tapir_return_disarm,
    .settle = tapir_return_settle,
    .label = tapir_return_label,
    .point = tapir_return_point,
    .returns = true,
};
