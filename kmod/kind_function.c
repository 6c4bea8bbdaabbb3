// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernel.function and kprobe.function on entry.
 *
 * Sites are taken through ftrace. A handler gets an ftrace_ops of its own, whose trampoline then calls us directly and tells the
 * handler by the ops, while handlers are few and no function has two; unregistering an ops waits for RCU-tasks grace periods, and
 * two ops on one function make ftrace walk all of them. Otherwise all handlers share one ops (or a few, see TAPIR_SHARED_SITES),
 * which finds them by the address of the hit. Functions without an ftrace site, those whose return is probed (by a kprobe, which
 * uses ftrace), and those of modules get a kprobe.
 */
#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include <tapir/port.h>
#include "arch/this_arch.h"
#include "condition.h"
#include "function_filter.h"
#include "function_sites.h"
#include "hit.h"
#include "kind.h"
#include "report.h"
#include "sites.h"

#define TAPIR_OWN_OPS 4
static struct tapir_own_ops {
	struct ftrace_ops ops;
	struct tapir_hook hook;
	bool filled; /* has sites */
	bool registered;
} tapir_own[TAPIR_OWN_OPS];

/* Site address -> its first entry, open addressing; an empty slot has entry ~0u. */
struct tapir_slot {
	unsigned long site;
	u32 entry;
};
static struct tapir_slot *tapir_slots;
static u32 tapir_slot_bits;
/*
 * Kernels without batches copy the filter of an ops for each site they add to it. There a shared ops gets at most this many entries
 * of tapir_sites, and the next ops gets the next ones. If the sites are too many for all shared ops, a single ops gets a coarse
 * filter with every function of the kernel. It ignores hits at functions it does not know.
 */
#define TAPIR_SHARED_OPS   16
#define TAPIR_SHARED_SITES (TAPIR_FTRACE_BATCHES ? ~0u : 1024u)
static struct tapir_shared_ops {
	struct ftrace_ops ops;
	u32 first, end; /* its entries in tapir_sites: all of each site */
	bool filled;	/* has sites */
	bool registered;
} tapir_shared[TAPIR_SHARED_OPS];
static u32 tapir_nshared;

/* ---- hits ---- */

/* Handlers of own ops are called directly, without an indirect branch and its mitigations. */
static void tapir_no_handler(struct tapir_ctx *c)
{
}

static void tapir_no_leaf(u32 cpu, const void *registers)
{
}

#define TAPIR_OWN_HITS(n)                                                                                                          \
	DEFINE_STATIC_CALL(tapir_own_handler_##n, tapir_no_handler);                                                               \
	DEFINE_STATIC_CALL(tapir_own_leaf_##n, tapir_no_leaf);                                                                     \
                                                                                                                                   \
	static void tapir_own_leaf_hit_##n(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,                         \
					   tapir_ftrace_regs *fregs)                                                               \
	{                                                                                                                          \
		preempt_disable_notrace();                                                                                         \
		if (tapir_hit_is_plain()) {                                                                                        \
			static_call(tapir_own_leaf_##n)(raw_smp_processor_id(), tapir_ftrace_pt_regs(fregs));                      \
			this_cpu_inc(tapir_own[n].hook.cell->handled);                                                             \
		} else {                                                                                                           \
			tapir_hit(&tapir_own[n].hook, tapir_ftrace_pt_regs(fregs), ip);                                            \
		}                                                                                                                  \
		preempt_enable_notrace();                                                                                          \
	}                                                                                                                          \
                                                                                                                                   \
	static void tapir_own_hit_##n(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, tapir_ftrace_regs *fregs)    \
	{                                                                                                                          \
		preempt_disable_notrace();                                                                                         \
		if (tapir_hit_is_plain()) {                                                                                        \
			struct tapir_ctx *c = tapir_enter(&tapir_own[n].hook, tapir_ftrace_pt_regs(fregs), ip);                    \
                                                                                                                                   \
			if (TAPIR_LIKELY(c)) {                                                                                     \
				static_call(tapir_own_handler_##n)(c);                                                             \
				tapir_leave(c, &tapir_own[n].hook);                                                                \
			}                                                                                                          \
		} else {                                                                                                           \
			tapir_hit(&tapir_own[n].hook, tapir_ftrace_pt_regs(fregs), ip);                                            \
		}                                                                                                                  \
		preempt_enable_notrace();                                                                                          \
	}                                                                                                                          \
                                                                                                                                   \
	static ftrace_func_t tapir_own_bind_##n(const struct tapir_probe *probe)                                                   \
	{                                                                                                                          \
		if (probe->leaf.registers) {                                                                                       \
			static_call_update(tapir_own_leaf_##n, probe->leaf.registers);                                             \
			return tapir_own_leaf_hit_##n;                                                                             \
		}                                                                                                                  \
		static_call_update(tapir_own_handler_##n, probe->handler);                                                         \
		return tapir_own_hit_##n;                                                                                          \
	}

TAPIR_OWN_HITS(0)
TAPIR_OWN_HITS(1)
TAPIR_OWN_HITS(2)
TAPIR_OWN_HITS(3)

/* Set an own ops' handler and return its callback. Session thread. */
static ftrace_func_t (*const tapir_own_bind[TAPIR_OWN_OPS])(const struct tapir_probe *probe) = {
    tapir_own_bind_0,
    tapir_own_bind_1,
    tapir_own_bind_2,
    tapir_own_bind_3,
};

/* The callback for a probe with a condition. */
static void tapir_own_conditional_hit(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, tapir_ftrace_regs *fregs)
{
	preempt_disable_notrace();
	tapir_hit(&container_of(ops, struct tapir_own_ops, ops)->hook, tapir_ftrace_pt_regs(fregs), ip);
	preempt_enable_notrace();
}

static __always_inline u32 tapir_slot_hash(unsigned long site)
{
	return hash_long(site, tapir_slot_bits);
}

static void tapir_shared_hit(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, tapir_ftrace_regs *fregs)
{
	u32 mask = (1u << tapir_slot_bits) - 1, slot = tapir_slot_hash(ip), entry;

	while (tapir_slots[slot].site != ip) {
		if (TAPIR_UNLIKELY(tapir_slots[slot].entry == ~0u))
			return;
		slot = (slot + 1) & mask;
	}
	preempt_disable_notrace();
	for (entry = tapir_slots[slot].entry; entry < tapir_nsites && tapir_sites[entry].site == ip; entry++) {
		const struct tapir_hook *hook = &tapir_sites[entry].hook;

		if (hook->probe->leaf.registers && !hook->probe->condition && tapir_hit_is_plain()) {
			hook->probe->leaf.registers(raw_smp_processor_id(), tapir_ftrace_pt_regs(fregs));
			this_cpu_inc(hook->cell->handled);
		} else {
			tapir_hit(hook, tapir_ftrace_pt_regs(fregs), ip);
		}
	}
	preempt_enable_notrace();
}

static int tapir_kprobe_hit(struct kprobe *kprobe, struct pt_regs *regs)
{
	struct tapir_place *place = container_of(kprobe, struct tapir_place, kprobe);

	tapir_place_hit(place, regs);
	return 0;
}
NOKPROBE_SYMBOL(tapir_kprobe_hit);

/* ---- ftrace ---- */

static int tapir_slots_create(void)
{
	u32 i, slot, slots;

	tapir_slot_bits = max(ilog2(roundup_pow_of_two(max(tapir_nsites, 1u))) + 1, 4);
	slots = 1u << tapir_slot_bits;
	tapir_slots = kvmalloc_array(slots, sizeof(*tapir_slots), GFP_KERNEL);
	if (!tapir_slots) {
		tapir_session_fail(TAPIR_TEXT(NoMemoryFunctions), tapir_nsites);
		return -ENOMEM;
	}
	for (i = 0; i < slots; i++) {
		tapir_slots[i].site = 0;
		tapir_slots[i].entry = ~0u;
	}
	for (i = 0; i < tapir_nsites; i++) {
		if ((i && tapir_sites[i].site == tapir_sites[i - 1].site) || !tapir_sites[i].ftrace)
			continue;
		slot = tapir_slot_hash(tapir_sites[i].site);
		while (tapir_slots[slot].entry != ~0u)
			slot = (slot + 1) & (slots - 1);
		tapir_slots[slot].site = tapir_sites[i].site;
		tapir_slots[slot].entry = i;
	}
	return 0;
}

/* Returns true if any entry of the site that begins at `first` is wanted. `*next` is the first entry of the next site. */
static bool tapir_site_wanted(u32 first, u32 *next)
{
	bool wanted = false;
	u32 i;

	for (i = first; i < tapir_nsites && tapir_sites[i].site == tapir_sites[first].site; i++)
		wanted |= tapir_probe_wanted(tapir_sites[i].probe);
	*next = i;
	return wanted;
}

/* Chooses the sites of a shared ops that are to enter its filter, or to leave it. */
static u32 tapir_shared_choose(const struct tapir_shared_ops *shared, bool add)
{
	u32 i, next, count = 0;

	for (i = shared->first; i < shared->end; i = next) {
		bool wanted = tapir_site_wanted(i, &next);

		if (tapir_sites[i].ftrace && wanted == add && tapir_sites[i].enabled != add)
			tapir_chosen[count++] = &tapir_sites[i];
	}
	return count;
}

static int tapir_shared_follow_one(struct tapir_shared_ops *shared)
{
	u32 i, next, count, wanted = 0;
	int error;

	if (!shared->filled)
		return 0;
	for (i = shared->first; i < shared->end; i = next) {
		u32 first = i;

		wanted += tapir_site_wanted(first, &next) && tapir_sites[first].ftrace;
	}
	if (!wanted)
		return tapir_ops_unregister(&shared->ops, ~0u, &shared->registered);
	/* First in, then out, so that the filter is never empty. */
	count = tapir_shared_choose(shared, true);
	error = tapir_filter_change(&shared->ops, tapir_chosen, tapir_chosen_ips, count, TAPIR_FTRACE_ADD);
	for (i = 0; i < count && !error; i++)
		if (!tapir_chosen[i]->enabled)
			error = -EINVAL;
	if (error) {
		if (error != -EINTR)
			tapir_session_fail(TAPIR_TEXT(ProbesNotRearmed), ERR_PTR(error));
		return error;
	}
	/* A site that stays in the filter only costs a useless hit. */
	count = tapir_shared_choose(shared, false);
	tapir_filter_change(&shared->ops, tapir_chosen, tapir_chosen_ips, count, TAPIR_FTRACE_REMOVE);
	return shared->registered ? 0 : tapir_ops_register(&shared->ops, ~0u, &shared->registered);
}

static int tapir_shared_follow(void)
{
	u32 i;
	int error = 0;

	for (i = 0; i < tapir_nshared && !error; i++)
		error = tapir_shared_follow_one(&tapir_shared[i]);
	return error;
}

/* Returns the end of a shared ops' part of tapir_sites that begins at `first`. */
static u32 tapir_shared_end(u32 first)
{
	u32 end = first + min(tapir_nsites - first, TAPIR_SHARED_SITES);

	if (tapir_filter_coarse)
		return tapir_nsites;
	while (end < tapir_nsites && tapir_sites[end].site == tapir_sites[end - 1].site)
		end++;
	return end;
}

static int tapir_shared_arm(void)
{
	u32 first;
	int error;

	tapir_filter_coarse = tapir_nsites / TAPIR_SHARED_OPS >= TAPIR_SHARED_SITES;
	for (first = 0; first < tapir_nsites; first = tapir_shared[tapir_nshared++].end) {
		struct tapir_shared_ops *shared = &tapir_shared[tapir_nshared];

		memset(shared, 0, sizeof(*shared));
		shared->ops.func = tapir_shared_hit;
		shared->ops.flags = TAPIR_FTRACE_FLAGS;
		shared->first = first;
		shared->end = tapir_shared_end(first);
		error = tapir_filter_fill(&shared->ops, ~0u, shared->first, shared->end, &shared->filled);
		if (error)
			return error;
	}
	error = tapir_slots_create();
	return error ? error : tapir_shared_follow();
}

static int tapir_own_follow(void)
{
	u32 i;
	int error = 0;

	for (i = 0; i < TAPIR_OWN_OPS && !error; i++) {
		struct tapir_own_ops *own = &tapir_own[i];
		bool wanted = own->filled && tapir_probe_wanted(own->hook.probe - tapir_module.probes);

		if (wanted && !own->registered)
			error = tapir_ops_register(&own->ops, own->hook.probe - tapir_module.probes, &own->registered);
		else if (!wanted)
			error = tapir_ops_unregister(&own->ops, own->hook.probe - tapir_module.probes, &own->registered);
	}
	return error;
}

static int tapir_own_arm(void)
{
	u32 i, slot = 0;
	int error;

	for (i = 0; i < tapir_module.nprobes; i++) {
		const struct tapir_probe *probe = &tapir_module.probes[i];
		struct tapir_own_ops *own = &tapir_own[slot];

		if (probe->kind != &tapir_kind_function)
			continue;
		memset(own, 0, sizeof(*own));
		own->hook = tapir_hook_of(i);
		own->ops.func = probe->condition ? tapir_own_conditional_hit : tapir_own_bind[slot](probe);
		own->ops.flags = TAPIR_FTRACE_FLAGS;
		error = tapir_filter_fill(&own->ops, i, 0, tapir_nsites, &own->filled);
		if (error)
			return error;
		slot++;
	}
	return tapir_own_follow();
}

static bool tapir_want_own_ops(u32 nprobes)
{
	u32 i;

	for (i = 1; i < tapir_nsites; i++)
		if (tapir_sites[i].site == tapir_sites[i - 1].site)
			return false;
	return nprobes <= TAPIR_OWN_OPS && tapir_nsites <= TAPIR_SHARED_SITES;
}

/* ---- kprobes, for the remaining functions ---- */

/*
 * Functions without a site are those that the kernel does not want traced, mostly because tracing itself runs through them. One
 * that is named may have a kprobe; wildcards over more functions than this leave them out.
 */
#define TAPIR_MANY_SITES 256

static bool tapir_kprobe_allowed(const struct tapir_place *place, unsigned long address)
{
	const struct tapir_function_arg *arg = place->hook.probe->arg;

	return arg->count <= TAPIR_MANY_SITES || !arg->wildcard || tapir_may_have_site(tapir_entry_site(address));
}

static void tapir_kprobe_prepare(struct tapir_place *place)
{
	place->kprobe.pre_handler = tapir_kprobe_hit;
}

static struct tapir_places tapir_function_places = {.prepare = tapir_kprobe_prepare, .allowed = tapir_kprobe_allowed};

static int tapir_kprobes_arm(void)
{
	u32 i, count = tapir_sites_in_modules(&tapir_kind_function);
	int error;

	for (i = 0; i < tapir_nsites; i++)
		count += !tapir_sites[i].ftrace;
	error = tapir_places_create(&tapir_function_places, count);
	if (error)
		return error;
	for (i = 0; i < tapir_nsites; i++)
		if (!tapir_sites[i].ftrace)
			tapir_places_add(&tapir_function_places, tapir_sites[i].probe, tapir_sites[i].where);
	tapir_sites_add_modules(&tapir_kind_function, &tapir_function_places);
	return tapir_places_arm(&tapir_function_places);
}

/* ---- the kind ---- */

static void tapir_function_disarm(void)
{
	u32 i;

	for (i = 0; i < TAPIR_OWN_OPS; i++)
		tapir_ops_finish(&tapir_own[i].ops, tapir_own[i].hook.probe - tapir_module.probes, &tapir_own[i].filled,
				 &tapir_own[i].registered);
	for (i = 0; i < tapir_nshared; i++)
		tapir_ops_finish(&tapir_shared[i].ops, ~0u, &tapir_shared[i].filled, &tapir_shared[i].registered);
	tapir_nshared = 0;
	tapir_places_disarm(&tapir_function_places);
	kvfree(tapir_slots);
	tapir_slots = NULL;
	tapir_sites_free();
}

static void tapir_function_settle(void)
{
	tapir_places_settle(&tapir_function_places);
}

static void tapir_function_rearm(void)
{
	/* Only one of the two is in use; the other does nothing. */
	if (!tapir_own_follow() && !tapir_shared_follow())
		tapir_places_follow(&tapir_function_places);
}

static void tapir_function_follow(u32 module, enum tapir_module_event event)
{
	tapir_places_follow_module(&tapir_function_places, module, event);
}

static int tapir_function_arm(void)
{
	u32 i;
	int error = tapir_sites_create(&tapir_kind_function);

	if (error)
		return error;
	error = tapir_want_own_ops(tapir_kind_probes(&tapir_kind_function)) ? tapir_own_arm() : tapir_shared_arm();
	if (!error)
		error = tapir_kprobes_arm();
	if (error) {
		tapir_function_disarm();
		tapir_function_settle();
		return error;
	}
	for (i = 0; i < tapir_nsites; i++)
		tapir_ledger_add_attached(tapir_sites[i].probe, tapir_sites[i].ftrace);
	return 0;
}

static const struct tapir_function_site *tapir_function_where(const struct tapir_ctx *c)
{
	const struct tapir_function_site *site = tapir_sites_find(c);

	/* Not in the table: in a module, and so a place. */
	return site ? site : tapir_place_site(c);
}

static const char *tapir_function_label(const struct tapir_ctx *c)
{
	const struct tapir_function_site *where = tapir_function_where(c);

	return where ? where->label : NULL;
}

static void tapir_function_point(const struct tapir_ctx *c, char *dst, u32 cap)
{
	tapir_site_point(c, tapir_function_where(c), dst, cap);
}

const struct tapir_kind_ops tapir_kind_function = {
    TAPIR_KIND_LISTED(function),     TAPIR_KIND_WAY(FunctionFtrace),
    .arm = tapir_function_arm,	     .rearm = tapir_function_rearm,
    .follow = tapir_function_follow, .disarm = tapir_function_disarm,
    .settle = tapir_function_settle, .label = tapir_function_label,
    .point = tapir_function_point,   .arguments_only = !TAPIR_FTRACE_FULL_REGS,
    .function_entry = true,
};
