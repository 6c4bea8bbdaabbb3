// SPDX-License-Identifier: GPL-2.0-or-later
/* Places within functions: kernel.statement, inlined functions, labels. One kprobe each, with all registers. */
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "condition.h"
#include "context.h"
#include "kind.h"
#include "sites.h"

struct tapir_statement {
	struct kprobe kprobe;
	struct tapir_hook hook;
	const struct tapir_function_site *site;
	u32 probe;
	bool armed, enabled;
};
static struct tapir_statement *tapir_statements;
static u32 tapir_nstatements;

static int tapir_statement_hit(struct kprobe *kprobe, struct pt_regs *regs)
{
	struct tapir_statement *s = container_of(kprobe, struct tapir_statement, kprobe);

	tapir_hit(&s->hook, regs, (unsigned long)kprobe->addr);
	return 0;
}
NOKPROBE_SYMBOL(tapir_statement_hit);

/* Which one a context was entered for: sites are found by their address, and two probes may have the same. */
static const struct tapir_function_site *tapir_statement_site(const struct tapir_ctx *c)
{
	const struct tapir_function_arg *arg = c->probe->arg;
	u32 index = c->probe - tapir_module.probes, i;

	if (arg->count == 1)
		return arg->sites;
	for (i = 0; i < tapir_nstatements; i++)
		if (tapir_statements[i].probe == index && (unsigned long)tapir_statements[i].kprobe.addr == c->ip)
			return tapir_statements[i].site;
	return NULL;
}

static const char *tapir_statement_label(const struct tapir_ctx *c)
{
	const struct tapir_function_site *site = tapir_statement_site(c);

	return site ? site->label : NULL;
}

static void tapir_statement_point(const struct tapir_ctx *c, char *dst, u32 cap)
{
	tapir_site_point(c, tapir_statement_site(c), dst, cap);
}

static void tapir_statement_disarm(void)
{
	struct kprobe **list = kvcalloc(max(tapir_nstatements, 1u), sizeof(*list), GFP_KERNEL);
	u32 i, count = 0;

	/* All at once: one grace period instead of one each. */
	for (i = 0; i < tapir_nstatements; i++) {
		if (!tapir_statements[i].armed)
			continue;
		if (list)
			list[count++] = &tapir_statements[i].kprobe;
		else
			unregister_kprobe(&tapir_statements[i].kprobe);
	}
	if (count)
		unregister_kprobes(list, count);
	kvfree(list);
	for (i = 0; i < tapir_nstatements; i++)
		tapir_ledger_add_missed(tapir_statements[i].probe, tapir_statements[i].kprobe.nmissed);
	kvfree(tapir_statements);
	tapir_statements = NULL;
	tapir_nstatements = 0;
}

static int tapir_statement_arm_site(u32 probe, const struct tapir_function_site *site)
{
	struct tapir_statement *s = &tapir_statements[tapir_nstatements];
	unsigned long address = tapir_site_address(site);
	int error;

	if (!address)
		return tapir_site_missing(probe, site);
	tapir_nstatements++;
	s->hook = tapir_hook_of(probe);
	s->site = site;
	s->probe = probe;
	s->enabled = tapir_probe_wanted(probe);
	s->kprobe.addr = (kprobe_opcode_t *)address;
	s->kprobe.pre_handler = tapir_statement_hit;
	s->kprobe.flags = s->enabled ? 0 : KPROBE_FLAG_DISABLED;
	error = register_kprobe(&s->kprobe);
	s->armed = !error;
	tapir_ledger_add_attached(probe, s->armed);
	cond_resched();
	return error ? tapir_site_refused(probe, site, error) : 0;
}

static int tapir_statement_arm(void)
{
	u32 i, k, total = tapir_sites_total(&tapir_kind_statement);
	int error = 0;

	tapir_statements = kvcalloc(max(total, 1u), sizeof(*tapir_statements), GFP_KERNEL);
	if (!tapir_statements) {
		tapir_session_fail("not enough memory to probe %u places", total);
		return -ENOMEM;
	}
	for (i = 0; i < tapir_module.nprobes && !error; i++) {
		const struct tapir_function_arg *arg = tapir_module.probes[i].arg;

		if (tapir_module.probes[i].kind != &tapir_kind_statement)
			continue;
		for (k = 0; k < arg->count && !error; k++)
			error = tapir_statement_arm_site(i, &arg->sites[k]);
	}
	if (error)
		tapir_statement_disarm();
	return error;
}

static void tapir_statement_rearm(void)
{
	u32 i;

	for (i = 0; i < tapir_nstatements; i++) {
		struct tapir_statement *s = &tapir_statements[i];
		bool wanted = tapir_probe_wanted(s->probe);
		int error;

		if (!s->armed || s->enabled == wanted)
			continue;
		error = wanted ? enable_kprobe(&s->kprobe) : disable_kprobe(&s->kprobe);
		if (!error)
			s->enabled = wanted;
		else if (wanted && tapir_must_attach(s->probe))
			tapir_session_fail("probe %s cannot be armed again after its condition changed (error %d)",
					   tapir_module.probes[s->probe].point, error);
		cond_resched();
	}
}

const struct tapir_kind_ops tapir_kind_statement = {
    .name = "statement",
    .arm = tapir_statement_arm,
    .rearm = tapir_statement_rearm,
    .disarm = tapir_statement_disarm,
    .label = tapir_statement_label,
    .point = tapir_statement_point,
};
