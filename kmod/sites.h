/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kinds that probe code have in common: the places of a tapir_function_arg. */
#ifndef TAPIR_KMOD_SITES_H
#define TAPIR_KMOD_SITES_H

#include <tapir/abi.h>
#include <tapir/context.h>

/* Where a site is now; 0: its symbol is not there. Session thread. */
unsigned long tapir_site_address(const struct tapir_function_site *site);

/* A probe that names its places itself wants each of them; a wildcard or an optional one takes what can be had. */
bool tapir_must_attach(u32 probe);

/* The session fails for a site of a probe that must be attached; returns -errno, or 0 if it may go without. */
int tapir_site_missing(u32 probe, const struct tapir_function_site *site);
int tapir_site_refused(u32 probe, const struct tapir_function_site *site, int error);

/* Sites of all probes of a kind. */
u32 tapir_sites_total(const struct tapir_kind_ops *kind);

/* The probe point with the label of a site; with a NULL site the descriptor's. */
void tapir_site_point(const struct tapir_ctx *c, const struct tapir_function_site *site, char *dst, u32 cap);

#endif
