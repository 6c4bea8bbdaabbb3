// SPDX-License-Identifier: GPL-2.0-or-later
/* Places of kprobes and kretprobes: arming, following modules and conditions, hits. See sites.h. */
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <tapir/string.h>
#include "arch/this_arch.h"
#include "condition.h"
#include "kind.h"
#include "port_memory.h"
#include "sites.h"
#include "state.h"
#include "symbols.h"
#include "report.h"
#include "ledger.h"

unsigned long tapir_site_address(const struct tapir_function_site *site)
{
	unsigned long base;

	if (site->symbol == TAPIR_NO_SYMBOL)
		return site->offset;
	base = tapir_symbol_address(site->symbol);
	return base ? base + site->offset : 0;
}

bool tapir_must_attach(u32 probe)
{
	const struct tapir_function_arg *arg = tapir_module.probes[probe].arg;

	return !arg->wildcard && !arg->optional;
}

int tapir_site_missing(u32 probe, const struct tapir_function_site *site)
{
	if (!tapir_must_attach(probe))
		return 0;
	tapir_session_fail(TAPIR_TEXT(NoSymbolToProbe), tapir_module.probes[probe].point, tapir_module.symbols[site->symbol]);
	return -ENOENT;
}

static const char *tapir_refusal(int error)
{
	switch (error) {
	case -EINVAL:
		return "it is not code, or it is on the kernel's list of functions that probes must not touch "
		       "(/sys/kernel/debug/kprobes/blacklist)";
	case -EILSEQ:
		return "no instruction begins there";
	case -EEXIST:
		return "something else changes the kernel's code there";
	case -ENOENT:
		return "its module is not loaded, or has let go of this code";
	case -ENOMEM:
		return "not enough memory";
	case -E2BIG:
		return "the kernel keeps no more than 4096 bytes of a call from its entry to its return; keep less with @entry() "
		       "or of parameters, or shorter texts (-D MAXSTRINGLEN)";
	default:
		return "the kernel refuses it";
	}
}

u32 tapir_sites_total(const struct tapir_kind_ops *kind)
{
	u32 i, total = 0;

	for (i = 0; i < tapir_module.nprobes; i++)
		if (tapir_module.probes[i].kind == kind)
			total += ((const struct tapir_function_arg *)tapir_module.probes[i].arg)->count;
	return total;
}

/* ---- places ---- */

static_assert(!offsetof(struct kretprobe, kp));

/*
 * Steps of disarming, which hold the kernel's lock on kprobes: so many places at most. Each that the kernel takes through ftrace is
 * switched off by a pass over all functions of the kernel.
 */
#define TAPIR_PLACES_AT_ONCE	1024u
#define TAPIR_PLACE_FTRACE_COST 64u

/*
 * The kernel optimizes all waiting kprobes into jumps at once, under its lock. If a kind has more places than this, they stay
 * breakpoints: ending the session would have to wait for that optimization and for undoing it.
 */
#define TAPIR_PLACES_OPTIMIZED 256u

void tapir_places_demand(u32 probe, u64 bytes_per_place, const char *advice, struct tapir_demand *demand)
{
	const struct tapir_function_arg *arg = tapir_module.probes[probe].arg;
	u64 bytes = tapir_demand_plus(bytes_per_place, sizeof(struct tapir_place) + sizeof(void *));

	tapir_demand_add(demand, tapir_demand_times(bytes, arg->count), "the probe at ", tapir_module.probes[probe].where, advice);
}

int tapir_places_create(struct tapir_places *places, u32 count)
{
	places->count = 0;
	places->list = kvcalloc(max(count, 1u), sizeof(*places->list), GFP_KERNEL);
	places->batch = kvcalloc(clamp(count, 1u, TAPIR_PLACES_AT_ONCE), sizeof(*places->batch), GFP_KERNEL);
	if (places->list && places->batch)
		return 0;
	tapir_places_settle(places);
	tapir_session_fail(TAPIR_TEXT(NoMemoryPlaces), count);
	return -ENOMEM;
}

void tapir_places_add(struct tapir_places *places, u32 probe, const struct tapir_function_site *site)
{
	struct tapir_place *place = &places->list[places->count++];

	place->hook = tapir_hook_of(probe);
	place->site = site;
	place->probe = probe;
	place->module = tapir_module_of(site->symbol);
}

void tapir_places_add_kind(struct tapir_places *places, const struct tapir_kind_ops *kind)
{
	u32 i, k;

	for (i = 0; i < tapir_module.nprobes; i++) {
		const struct tapir_function_arg *arg = tapir_module.probes[i].arg;

		if (tapir_module.probes[i].kind != kind)
			continue;
		for (k = 0; k < arg->count; k++)
			tapir_places_add(places, i, &arg->sites[k]);
		cond_resched();
	}
}

/*
 * The module's symbol table does not have the place. -errno: reported. `late`: the session runs, and continues.
 */
static int tapir_place_absent(const struct tapir_place *place, bool late)
{
	const char *point = place->hook.probe->point, *symbol = tapir_module.symbols[place->site->symbol];

	if (!tapir_must_attach(place->probe))
		return 0;
	if (!tapir_module_is_there(place->module)) {
		tapir_module_need(place->module);
		return 0;
	}
	if (tapir_module_is_known(place->module)) {
		tapir_session_note(TAPIR_TEXT(InitialisedBefore), point);
		return 0;
	}
	if (late) {
		tapir_session_note(TAPIR_TEXT(LoadedWithoutSymbol), point, strchr(symbol, ':') + 1);
		return 0;
	}
	tapir_session_fail(TAPIR_TEXT(NoSymbolInModule), point, strchr(symbol, ':') + 1);
	return -ENOENT;
}

static int tapir_place_refused(const struct tapir_place *place, int error, bool late)
{
	const char *point = place->hook.probe->point;

	/* Places after one without memory would take the last of it. Data too large to keep are too large at every place. */
	if (!tapir_must_attach(place->probe) && (late || (error != -ENOMEM && error != -E2BIG)))
		return 0;
	if (late) {
		tapir_session_note(TAPIR_TEXT(PlaceStaysOff), point, place->site->label, tapir_refusal(error), ERR_PTR(error));
		return 0;
	}
	tapir_session_fail(TAPIR_TEXT(PlaceRefused), point, place->site->label, tapir_refusal(error), ERR_PTR(error));
	return error;
}

/*
 * An empty post_handler, which keeps the kernel from optimizing the kprobe into a jump. Not for a site of ftrace: a post_handler
 * there would keep others, live patches included, from changing the function. The kernel never optimizes kprobes at such sites, nor
 * at calls, which look alike.
 */
static void tapir_place_after(struct kprobe *kprobe, struct pt_regs *regs, unsigned long flags)
{
}
NOKPROBE_SYMBOL(tapir_place_after);

static int tapir_place_register(const struct tapir_places *places, struct tapir_place *place)
{
	place->kprobe.flags = KPROBE_FLAG_DISABLED;
	return places->returns ? register_kretprobe(&place->kretprobe) : register_kprobe(&place->kprobe);
}

static void tapir_places_unregister(const struct tapir_places *places, void **list, u32 count)
{
	if (places->returns)
		unregister_kretprobes((struct kretprobe **)list, count);
	else
		unregister_kprobes((struct kprobe **)list, count);
}

/* Registers a place. -errno: reported. */
static int tapir_place_put(const struct tapir_places *places, struct tapir_place *place, bool late)
{
	unsigned long address = tapir_site_address(place->site);
	int error;

	if (!address)
		return place->module == TAPIR_NO_MODULE ? tapir_site_missing(place->probe, place->site)
							: tapir_place_absent(place, late);
	if (places->allowed && !places->allowed(place, address))
		return 0;
	memset(&place->kretprobe, 0, sizeof(place->kretprobe));
	place->kprobe.addr = (kprobe_opcode_t *)address;
	place->enabled = false;
	places->prepare(place);
	if (IS_ENABLED(CONFIG_OPTPROBES) && places->count > TAPIR_PLACES_OPTIMIZED && !tapir_may_have_site(address))
		place->kprobe.post_handler = tapir_place_after;
	if (places->needs && !tapir_port_affordable(places->needs(place)))
		error = -ENOMEM;
	else
		error = tapir_place_register(places, place);
	place->armed = !error;
	place->disarmed = false;
	return error ? tapir_place_refused(place, error, late) : 0;
}

/* Enables a place that is registered. -errno: reported; it is not registered any more. */
static int tapir_place_enable(const struct tapir_places *places, struct tapir_place *place, bool late)
{
	void *one = &place->kprobe;
	int error = 0;

	if (!place->armed || place->enabled)
		return 0;
	if (tapir_probe_wanted(place->probe)) {
		error = enable_kprobe(&place->kprobe);
		place->enabled = !error;
	}
	if (error) {
		tapir_places_unregister(places, &one, 1);
		place->armed = false;
		return tapir_place_refused(place, error, late);
	}
	if (!place->attached)
		tapir_ledger_add_attached(place->probe, 1);
	place->attached = true;
	return 0;
}

/*
 * All are registered before the first is enabled. Enabling one wakes the kernel's optimizer, which again and again holds the lock
 * that registering needs, for a grace period of all tasks.
 */
int tapir_places_arm(struct tapir_places *places)
{
	int error = 0;
	u32 i;

	for (i = 0; i < places->count && !error && !tapir_session_ending(); i++) {
		error = tapir_place_put(places, &places->list[i], false);
		cond_resched();
	}
	for (i = 0; i < places->count && !error && !tapir_session_ending(); i++) {
		error = tapir_place_enable(places, &places->list[i], false);
		cond_resched();
	}
	return error;
}

void tapir_places_follow(struct tapir_places *places)
{
	u32 i;

	for (i = 0; i < places->count && !tapir_session_ending(); i++) {
		struct tapir_place *place = &places->list[i];
		bool wanted = tapir_probe_wanted(place->probe);
		int error;

		if (!place->armed || place->enabled == wanted)
			continue;
		error = wanted ? enable_kprobe(&place->kprobe) : disable_kprobe(&place->kprobe);
		if (!error)
			place->enabled = wanted;
		else if (wanted && tapir_must_attach(place->probe))
			tapir_session_fail(TAPIR_TEXT(PlaceNotRearmed), tapir_module.probes[place->probe].point, ERR_PTR(error));
		cond_resched();
	}
}

static void tapir_place_disarmed(const struct tapir_places *places, struct tapir_place *place)
{
	place->armed = false;
	place->disarmed = place->kprobe.addr;
	tapir_ledger_add_missed(place->probe, place->kprobe.nmissed + (places->returns ? place->kretprobe.nmissed : 0));
}

/* Those in a module, or with TAPIR_NO_MODULE all of them; only what initialises it if `init`. */
static bool tapir_place_chosen(const struct tapir_place *place, u32 module, bool init)
{
	if (!place->armed)
		return false;
	if (module == TAPIR_NO_MODULE)
		return true;
	return place->module == module && (!init || tapir_module_in_init(module, (unsigned long)place->kprobe.addr));
}

/* Unregisters what is in the batch: one grace period for all of it. */
static void tapir_places_release(struct tapir_places *places, u32 count)
{
	if (count)
		tapir_places_unregister(places, places->batch, count);
	while (count)
		tapir_place_disarmed(places, container_of(places->batch[--count], struct tapir_place, kprobe));
	cond_resched();
}

/*
 * A kprobe that the kernel has made a jump is unregistered at once, but the code is restored later, by a thread of the kernel. In
 * a module that goes before that, it stays in the kernel's table for ever (tapir_hear_leaving() in modules.c has the other half).
 * So the session ends only when the code is as it was. Where somebody else has a kprobe, too, it does not become so.
 */
#define TAPIR_RESTORING_TIME (2 * HZ)

static bool tapir_place_restored(const struct tapir_place *place)
{
	const struct kprobe *kprobe = &place->kprobe;
	kprobe_opcode_t now;

	if (!place->disarmed || place->module == TAPIR_NO_MODULE || kprobe->flags & (KPROBE_FLAG_FTRACE | KPROBE_FLAG_GONE))
		return true;
	return copy_from_kernel_nofault(&now, kprobe->addr, sizeof(now)) || now == kprobe->opcode;
}

static void tapir_places_await(const struct tapir_places *places)
{
	unsigned long until = jiffies + TAPIR_RESTORING_TIME;
	u32 i;

	for (i = 0; i < places->count; i++) {
		while (!tapir_place_restored(&places->list[i]) && time_before(jiffies, until))
			schedule_timeout_idle(1);
		cond_resched();
	}
}

/* Those that are chosen. */
static void tapir_places_disarm_in(struct tapir_places *places, u32 module, bool init)
{
	u32 i, count = 0, cost = 0;

	for (i = 0; i < places->count; i++) {
		struct tapir_place *place = &places->list[i];

		if (!tapir_place_chosen(place, module, init))
			continue;
		places->batch[count++] = &place->kprobe;
		cost += place->enabled && kprobe_ftrace(&place->kprobe) ? TAPIR_PLACE_FTRACE_COST : 1;
		if (cost < TAPIR_PLACES_AT_ONCE)
			continue;
		tapir_places_release(places, count);
		count = cost = 0;
	}
	tapir_places_release(places, count);
}

void tapir_places_follow_module(struct tapir_places *places, u32 module, enum tapir_module_event event)
{
	u32 i;

	if (event != TAPIR_MODULE_CAME) {
		tapir_places_disarm_in(places, module, event == TAPIR_MODULE_INITED);
		return;
	}
	for (i = 0; i < places->count; i++) {
		if (places->list[i].module != module)
			continue;
		if (!tapir_place_put(places, &places->list[i], true))
			tapir_place_enable(places, &places->list[i], true);
		cond_resched();
	}
}

void tapir_places_disarm(struct tapir_places *places)
{
	tapir_places_disarm_in(places, TAPIR_NO_MODULE, false);
}

void tapir_places_settle(struct tapir_places *places)
{
	tapir_places_await(places);
	kvfree(places->batch);
	places->batch = NULL;
	kvfree(places->list);
	places->list = NULL;
	places->count = 0;
}

void tapir_place_hit(const struct tapir_place *place, struct pt_regs *regs)
{
	struct tapir_hit_data hit = {
	    .regs = regs,
	    .ip = (unsigned long)place->kprobe.addr,
	    .place = place->site,
	    .handler = place->hook.probe->handler,
	};

	tapir_hit_at(&place->hook, &hit);
}
NOKPROBE_SYMBOL(tapir_place_hit);

const struct tapir_function_site *tapir_place_site(const struct tapir_ctx *c)
{
	const struct tapir_function_arg *arg = c->probe->arg;

	return arg->count == 1 ? arg->sites : c->place;
}

void tapir_site_point(const struct tapir_ctx *c, const struct tapir_function_site *site, char *dst, u32 cap)
{
	const struct tapir_function_arg *arg = c->probe->arg;

	if (!site) {
		tapir_str_copy(dst, c->probe->point, cap);
		return;
	}
	tapir_str_join(dst, (const char *const[]){arg->prefix, site->label, arg->suffix}, 3, cap);
}
