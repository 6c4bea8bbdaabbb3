/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts that kinds which probe code share: the places of a tapir_function_arg. */
#ifndef TAPIR_KMOD_SITES_H
#define TAPIR_KMOD_SITES_H

#include <linux/kprobes.h>
#include <tapir/abi.h>
#include "hit.h"
#include "modules.h"

/* Where a site is now; 0: its symbol is not there. Session thread. */
unsigned long tapir_site_address(const struct tapir_function_site *site);

/* A probe that names its places itself wants each of them; a wildcard or an optional one takes what can be had. */
bool tapir_must_attach(u32 probe);

/* The session fails for a site of a probe that must be attached; returns -errno, or 0 if it may go without. Session thread. */
int tapir_site_missing(u32 probe, const struct tapir_function_site *site);

/* Sites of all probes of a kind. */
u32 tapir_sites_total(const struct tapir_kind_ops *kind);

/* A site that gets a kprobe, or a kretprobe. */
struct tapir_place {
	union {
		struct kprobe kprobe;
		struct kretprobe kretprobe; /* begins with a kprobe, too */
	};
	struct tapir_hook hook;
	const struct tapir_function_site *site;
	u32 probe;
	u32 module;    /* whose code it is in, or TAPIR_NO_MODULE */
	bool armed;    /* registered */
	bool enabled;  /* its condition holds */
	bool attached; /* at some time: the ledger knows */
	bool disarmed; /* and not yet known to be as it was */
};

/* The places of a kind. */
struct tapir_places {
	/* Fills in the kprobe or kretprobe of a place; it is zero but for its address. */
	void (*prepare)(struct tapir_place *place);
	/* Leaves places out, with NULL none. */
	bool (*allowed)(const struct tapir_place *place, unsigned long address);
	bool returns; /* kretprobes */
	/* Bytes that the kernel allocates for a place that is prepared. NULL: little. */
	u64 (*needs)(const struct tapir_place *place);
	struct tapir_place *list;
	u32 count;
	void **batch; /* room for those that are unregistered together */
};

/* All in the session thread, but for tapir_places_follow_module(). */

/* As tapir_kind_ops.demand, with what each place needs beside itself. */
void tapir_places_demand(u32 probe, u64 bytes_per_place, const char *advice, struct tapir_demand *demand);
/* Room for `count` places. -ENOMEM: reported. */
int tapir_places_create(struct tapir_places *places, u32 count);
/* One more place; the next call of tapir_places_arm() attaches it. */
void tapir_places_add(struct tapir_places *places, u32 probe, const struct tapir_function_site *site);
/* Adds all sites of all probes of a kind. */
void tapir_places_add_kind(struct tapir_places *places, const struct tapir_kind_ops *kind);
/*
 * Attaches all, or some if the session is asked to stop meanwhile. -errno: one that must be attached cannot be, which is reported;
 * some may be attached then.
 */
int tapir_places_arm(struct tapir_places *places);
/* As tapir_kind_ops.follow. */
void tapir_places_follow_module(struct tapir_places *places, u32 module, enum tapir_module_event event);
/* Enables and disables as their conditions hold. */
void tapir_places_follow(struct tapir_places *places);
/* Detaches all, and tells the ledger what was missed. */
void tapir_places_disarm(struct tapir_places *places);
/* As tapir_kind_ops.settle: frees them. */
void tapir_places_settle(struct tapir_places *places);

/* A hit of a place; ctx->ip is its kprobe's address. Any context, preemption disabled. */
void tapir_place_hit(const struct tapir_place *place, struct pt_regs *regs);

/* The site of the place that was hit. Any context. NULL: the hit was none of a place. */
const struct tapir_function_site *tapir_place_site(const struct tapir_ctx *c);

/* The probe point with the label of a site; with a NULL site the descriptor's. */
void tapir_site_point(const struct tapir_ctx *c, const struct tapir_function_site *site, char *dst, u32 cap);

/* The function at a site as labels have it, perhaps with what follows its "@"; NULL if it is not known. */
static inline const char *tapir_site_function(const struct tapir_function_site *site)
{
	if (site && site->function)
		return site->function[0] ? site->function : NULL;
	return site ? site->label : NULL;
}

#endif
