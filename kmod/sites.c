// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/errno.h>
#include <linux/string.h>
#include <tapir/string.h>
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
