// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <tapir/string.h>
#include "condition.h"
#include "kind.h"
#include "session.h"
#include "sites.h"
#include "symbols.h"

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
	const char *symbol = tapir_module.symbols[site->symbol], *colon = strchr(symbol, ':');

	if (!tapir_must_attach(probe))
		return 0;
	if (colon)
		tapir_session_fail("probe %s registration error: module '%.*s' is not loaded, or has no symbol '%s'",
				   tapir_module.probes[probe].point, (int)(colon - symbol), symbol, colon + 1);
	else
		tapir_session_fail("probe %s registration error: no symbol '%s' in this kernel", tapir_module.probes[probe].point,
				   symbol);
	return -ENOENT;
}

static const char *tapir_refusal(int error)
{
	switch (error) {
	case -EINVAL:
		return "it is no code, or on the kernel's list of functions that probes must not touch "
		       "(/sys/kernel/debug/kprobes/blacklist)";
	case -EILSEQ:
		return "no instruction begins there";
	case -EEXIST:
		return "something else changes the kernel's code there";
	case -ENOENT:
		return "its module is not loaded, or has let go of this code";
	case -ENOMEM:
		return "not enough memory";
	default:
		return "the kernel refuses it";
	}
}

int tapir_site_refused(u32 probe, const struct tapir_function_site *site, int error)
{
	if (!tapir_must_attach(probe))
		return 0;
	tapir_session_fail("probe %s registration error: '%s' cannot be probed: %s (error %d)", tapir_module.probes[probe].point,
			   site->label, tapir_refusal(error), error);
	return error;
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

int tapir_places_create(struct tapir_places *places, u32 count)
{
	places->count = 0;
	places->list = kvcalloc(max(count, 1u), sizeof(*places->list), GFP_KERNEL);
	if (places->list)
		return 0;
	tapir_session_fail("not enough memory to probe %u places", count);
	return -ENOMEM;
}

void tapir_places_add(struct tapir_places *places, u32 probe, const struct tapir_function_site *site)
{
	struct tapir_place *place = &places->list[places->count++];

	place->hook = tapir_hook_of(probe);
	place->site = site;
	place->probe = probe;
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

static int tapir_place_arm(const struct tapir_places *places, struct tapir_place *place)
{
	unsigned long address = tapir_site_address(place->site);
	int error;

	if (!address)
		return tapir_site_missing(place->probe, place->site);
	place->kprobe.addr = (kprobe_opcode_t *)address;
	place->enabled = tapir_probe_wanted(place->probe);
	place->kprobe.flags = place->enabled ? 0 : KPROBE_FLAG_DISABLED;
	places->prepare(place);
	error = places->returns ? register_kretprobe(&place->kretprobe) : register_kprobe(&place->kprobe);
	place->armed = !error;
	tapir_ledger_add_attached(place->probe, place->armed);
	return error ? tapir_site_refused(place->probe, place->site, error) : 0;
}

int tapir_places_arm(struct tapir_places *places)
{
	u32 i;

	for (i = 0; i < places->count; i++) {
		int error = tapir_place_arm(places, &places->list[i]);

		if (error)
			return error;
		cond_resched();
	}
	return 0;
}

void tapir_places_follow(struct tapir_places *places)
{
	u32 i;

	for (i = 0; i < places->count; i++) {
		struct tapir_place *place = &places->list[i];
		bool wanted = tapir_probe_wanted(place->probe);
		int error;

		if (!place->armed || place->enabled == wanted)
			continue;
		error = wanted ? enable_kprobe(&place->kprobe) : disable_kprobe(&place->kprobe);
		if (!error)
			place->enabled = wanted;
		else if (wanted && tapir_must_attach(place->probe))
			tapir_session_fail("probe %s cannot be armed again after its condition changed (error %d)",
					   tapir_module.probes[place->probe].point, error);
		cond_resched();
	}
}

static void tapir_places_unregister(const struct tapir_places *places, void **list, u32 count)
{
	if (places->returns)
		unregister_kretprobes((struct kretprobe **)list, count);
	else
		unregister_kprobes((struct kprobe **)list, count);
}

/* All at once, if there is memory for it: one grace period instead of one each. */
static void tapir_places_disarm(struct tapir_places *places)
{
	void **list = kvcalloc(max(places->count, 1u), sizeof(*list), GFP_KERNEL);
	u32 i, count = 0;

	for (i = 0; i < places->count; i++) {
		void *one = &places->list[i].kprobe;

		if (!places->list[i].armed)
			continue;
		if (list)
			list[count++] = one;
		else
			tapir_places_unregister(places, &one, 1);
	}
	if (count)
		tapir_places_unregister(places, list, count);
	kvfree(list);
}

void tapir_places_destroy(struct tapir_places *places)
{
	u32 i;

	tapir_places_disarm(places);
	for (i = 0; i < places->count; i++) {
		const struct tapir_place *place = &places->list[i];

		tapir_ledger_add_missed(place->probe, place->kprobe.nmissed + (places->returns ? place->kretprobe.nmissed : 0));
	}
	kvfree(places->list);
	places->list = NULL;
	places->count = 0;
}

const struct tapir_function_site *tapir_places_site(const struct tapir_places *places, const struct tapir_ctx *c)
{
	const struct tapir_function_arg *arg = c->probe->arg;
	u32 i;

	if (arg->count == 1)
		return arg->sites;
	for (i = 0; i < places->count; i++)
		if (places->list[i].hook.probe == c->probe && (unsigned long)places->list[i].kprobe.addr == c->ip)
			return places->list[i].site;
	return NULL;
}

void tapir_site_point(const struct tapir_ctx *c, const struct tapir_function_site *site, char *dst, u32 cap)
{
	const struct tapir_function_arg *arg = c->probe->arg;

	if (!site) {
		tapir_str_copy(dst, c->probe->point, cap);
		return;
	}
	tapir_str_copy(dst, arg->prefix, cap);
	tapir_str_append(dst, site->label, cap);
	tapir_str_append(dst, arg->suffix, cap);
}
