// SPDX-License-Identifier: GPL-2.0-or-later
/* Where functions are probed: see function_sites.h. */
#include <linux/bsearch.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include "arch/this_arch.h"
#include "function_sites.h"
#include "kind.h"
#include "modules.h"
#include "sites.h"
#include "report.h"
#include "ledger.h"

struct tapir_site_entry *tapir_sites;
u32 tapir_nsites;
struct tapir_site_entry **tapir_chosen;
unsigned long *tapir_chosen_ips;

/* ---- which function was hit ---- */

/* First entry whose site is not below `site`. */
static u32 tapir_site_search(unsigned long site)
{
	u32 low = 0, high = tapir_nsites;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (tapir_sites[middle].site < site)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct tapir_function_site *tapir_sites_find(const struct tapir_ctx *c)
{
	u32 index = c->probe - tapir_module.probes, entry;

	for (entry = tapir_site_search(c->ip); entry < tapir_nsites && tapir_sites[entry].site == c->ip; entry++)
		if (tapir_sites[entry].probe == index)
			return tapir_sites[entry].where;
	return NULL;
}

/* ---- finding the sites ---- */

static int tapir_site_compare(const void *a, const void *b)
{
	const struct tapir_site_entry *x = a, *y = b;

	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	return x->probe < y->probe ? -1 : x->probe > y->probe;
}

void tapir_sites_free(void)
{
	kvfree(tapir_chosen_ips);
	tapir_chosen_ips = NULL;
	kvfree(tapir_chosen);
	tapir_chosen = NULL;
	kvfree(tapir_sites);
	tapir_sites = NULL;
	tapir_nsites = 0;
}

static int tapir_sites_add_probe(u32 probe)
{
	const struct tapir_function_arg *arg = tapir_module.probes[probe].arg;
	u32 i;

	for (i = 0; i < arg->count; i++) {
		struct tapir_site_entry *e = &tapir_sites[tapir_nsites];

		if (tapir_module_of(arg->sites[i].symbol) != TAPIR_NO_MODULE)
			continue;
		e->probe = probe;
		e->where = &arg->sites[i];
		e->hook = tapir_hook_of(probe);
		e->function = tapir_site_address(e->where);
		if (!e->function) {
			int error = tapir_site_missing(probe, e->where);

			if (error)
				return error;
			continue;
		}
		e->site = tapir_entry_site(e->function);
		tapir_nsites++;
		cond_resched();
	}
	return 0;
}

static int tapir_address_compare(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;

	return x < y ? -1 : x > y;
}

/* Where returns are probed, sorted, in `list` of room for all of them. How many. */
static u32 tapir_returns_collect(unsigned long *list)
{
	u32 i, k, count = 0;

	for (i = 0; i < tapir_module.nprobes; i++) {
		const struct tapir_function_arg *arg = tapir_module.probes[i].arg;

		if (!tapir_module.probes[i].kind->returns)
			continue;
		for (k = 0; k < arg->count; k++)
			list[count++] = tapir_site_address(&arg->sites[k]);
		cond_resched();
	}
	sort(list, count, sizeof(*list), tapir_address_compare, NULL);
	return count;
}

static int tapir_sites_choose_ftrace(void)
{
	u32 i, nreturns = 0;
	unsigned long *returns;

	for (i = 0; i < tapir_module.nprobes; i++)
		if (tapir_module.probes[i].kind->returns)
			nreturns += ((const struct tapir_function_arg *)tapir_module.probes[i].arg)->count;
	returns = kvcalloc(max(nreturns, 1u), sizeof(*returns), GFP_KERNEL);
	if (!returns)
		return -ENOMEM;
	nreturns = tapir_returns_collect(returns);
	for (i = 0; i < tapir_nsites; i++) {
		struct tapir_site_entry *e = &tapir_sites[i];

		e->no_ftrace = !tapir_may_have_site(e->site) ||
			       bsearch(&e->function, returns, nreturns, sizeof(*returns), tapir_address_compare);
		cond_resched();
	}
	kvfree(returns);
	return 0;
}

static u32 tapir_sites_walk_modules(const struct tapir_kind_ops *kind, struct tapir_places *places)
{
	u32 i, k, count = 0;

	for (i = 0; i < tapir_module.nprobes; i++) {
		const struct tapir_function_arg *arg = tapir_module.probes[i].arg;

		if (tapir_module.probes[i].kind != kind)
			continue;
		for (k = 0; k < arg->count; k++) {
			if (tapir_module_of(arg->sites[k].symbol) == TAPIR_NO_MODULE)
				continue;
			count++;
			if (places)
				tapir_places_add(places, i, &arg->sites[k]);
		}
		cond_resched();
	}
	return count;
}

u32 tapir_sites_in_modules(const struct tapir_kind_ops *kind)
{
	return tapir_sites_walk_modules(kind, NULL);
}

void tapir_sites_add_modules(const struct tapir_kind_ops *kind, struct tapir_places *places)
{
	tapir_sites_walk_modules(kind, places);
}

int tapir_sites_create(const struct tapir_kind_ops *kind)
{
	u32 i, total = tapir_sites_total(kind);
	int error;

	tapir_sites = kvcalloc(max(total, 1u), sizeof(*tapir_sites), GFP_KERNEL);
	tapir_chosen = kvcalloc(max(total, 1u), sizeof(*tapir_chosen), GFP_KERNEL);
	tapir_chosen_ips = kvcalloc(max(total, 1u), sizeof(*tapir_chosen_ips), GFP_KERNEL);
	if (!tapir_sites || !tapir_chosen || !tapir_chosen_ips) {
		tapir_session_fail(TAPIR_TEXT(NoMemoryFunctions), total);
		tapir_sites_free();
		return -ENOMEM;
	}
	for (i = 0; i < tapir_module.nprobes; i++) {
		if (tapir_module.probes[i].kind != kind)
			continue;
		error = tapir_sites_add_probe(i);
		if (error) {
			tapir_sites_free();
			return error;
		}
	}
	sort(tapir_sites, tapir_nsites, sizeof(*tapir_sites), tapir_site_compare, NULL);
	error = tapir_sites_choose_ftrace();
	if (error) {
		tapir_session_fail(TAPIR_TEXT(NoMemoryFunctions), total);
		tapir_sites_free();
	}
	return error;
}
