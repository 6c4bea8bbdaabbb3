// SPDX-License-Identifier: GPL-2.0-or-later
/* Places within functions: kernel.statement, inlined functions, labels. One kprobe each, with all registers. */
#include "hit.h"
#include "kind.h"
#include "sites.h"

static int tapir_statement_hit(struct kprobe *kprobe, struct pt_regs *regs)
{
	struct tapir_place *place = container_of(kprobe, struct tapir_place, kprobe);

	tapir_place_hit(place, regs);
	return 0;
}
NOKPROBE_SYMBOL(tapir_statement_hit);

static void tapir_statement_prepare(struct tapir_place *place)
{
	place->kprobe.pre_handler = tapir_statement_hit;
}

static struct tapir_places tapir_statements = {.prepare = tapir_statement_prepare};

static const char *tapir_statement_label(const struct tapir_ctx *c)
{
	const struct tapir_function_site *site = tapir_place_site(c);

	return tapir_site_function(site);
}

static void tapir_statement_point(const struct tapir_ctx *c, char *dst, u32 cap)
{
	tapir_site_point(c, tapir_place_site(c), dst, cap);
}

static void tapir_statement_disarm(void)
{
	tapir_places_disarm(&tapir_statements);
}

static void tapir_statement_settle(void)
{
	tapir_places_settle(&tapir_statements);
}

static int tapir_statement_arm(void)
{
	int error = tapir_places_create(&tapir_statements, tapir_sites_total(&tapir_kind_statement));

	if (error)
		return error;
	tapir_places_add_kind(&tapir_statements, &tapir_kind_statement);
	error = tapir_places_arm(&tapir_statements);
	if (error) {
		tapir_statement_disarm();
		tapir_statement_settle();
	}
	return error;
}

static void tapir_statement_demand(u32 probe, struct tapir_demand *demand)
{
	tapir_places_demand(probe, 0, "probe fewer statements", demand);
}

static void tapir_statement_rearm(void)
{
	tapir_places_follow(&tapir_statements);
}

static void tapir_statement_follow(u32 module, enum tapir_module_event event)
{
	tapir_places_follow_module(&tapir_statements, module, event);
}

const struct tapir_kind_ops tapir_kind_statement = {
    TAPIR_KIND_LISTED(statement),     TAPIR_KIND_WAY(Breakpoint),	.demand = tapir_statement_demand,
    .arm = tapir_statement_arm,	      .rearm = tapir_statement_rearm,	.follow = tapir_statement_follow,
    .disarm = tapir_statement_disarm, .settle = tapir_statement_settle, .label = tapir_statement_label,
    .point = tapir_statement_point,
};
