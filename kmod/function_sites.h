/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions that kernel.function and kprobe.function are to be attached to: kind_function.c, where they are. */
#ifndef TAPIR_FUNCTION_SITES_H
#define TAPIR_FUNCTION_SITES_H

#include "hit.h"
#include "sites.h"

/* One function of one probe. */
struct tapir_site_entry {
	unsigned long site; /* what ftrace reports */
	unsigned long function;
	u32 probe;
	const struct tapir_function_site *where;
	struct tapir_hook hook;
	bool no_ftrace; /* has no site, or its return is probed: two users of ftrace on one function slow each other down */
	bool ftrace;	/* accepts the site: it is attached whenever its condition holds; otherwise it is a place for a kprobe */
	bool enabled;	/* in the filter of the shared ops (first entry of a site only) */
};
/* Sorted by site, then probe: the entries of one site are neighbours. */
extern struct tapir_site_entry *tapir_sites;
extern u32 tapir_nsites;
/* Room for a selection of entries and their sites while filters are changed. */
extern struct tapir_site_entry **tapir_chosen;
extern unsigned long *tapir_chosen_ips;

/* Finds the sites of all probes of `kind` but for those in modules. Session thread; a failure is reported, and nothing is left
 * allocated. */
int tapir_sites_create(const struct tapir_kind_ops *kind);
void tapir_sites_free(void);
/*
 * Count the sites in modules of all probes of `kind`, and add them as places for kprobes. The filter of an ftrace_ops would keep
 * the addresses of an unloaded module, and would then hit code loaded there later.
 */
u32 tapir_sites_in_modules(const struct tapir_kind_ops *kind);
void tapir_sites_add_modules(const struct tapir_kind_ops *kind, struct tapir_places *places);
/* The site of its probe at ctx->ip, or NULL. Any context. */
const struct tapir_function_site *tapir_sites_find(const struct tapir_ctx *c);

#endif
