// SPDX-License-Identifier: GPL-2.0-or-later
/* Places in programs: entries of functions, statements, PLT entries, marks. */
#include <linux/preempt.h>
#include "kind.h"
#include "user_sites.h"

TAPIR_UPROBE_HANDLER(tapir_uprobe_hit, consumer, regs)
{
	const struct tapir_user_site *s = tapir_user_place_of(consumer)->of;

	if (!tapir_whose_has(s->whose, current))
		return tapir_user_site_unwanted(s);
	if (tapir_user_leaf(s, regs))
		return 0;
	tapir_user_touch(s, regs, instruction_pointer(regs), false);
	preempt_disable();
	tapir_hit_at(&s->hook, &(struct tapir_hit_data){
				   .regs = regs,
				   .ip = instruction_pointer(regs),
				   .place = s->site,
				   .handler = s->hook.probe->handler,
			       });
	preempt_enable();
	return 0;
}

static struct tapir_user_sites tapir_uprobes = {
    .kind = &tapir_kind_uprobe,
    .consumer = {.handler = tapir_uprobe_hit},
};

static int tapir_uprobe_arm(void)
{
	return tapir_user_sites_arm(&tapir_uprobes);
}

static void tapir_uprobe_rearm(void)
{
	tapir_user_sites_rearm(&tapir_uprobes);
}

static void tapir_uprobe_disarm(void)
{
	tapir_user_sites_disarm(&tapir_uprobes);
}

const struct tapir_kind_ops tapir_kind_uprobe = {
    TAPIR_KIND_LISTED(uprobe),
    TAPIR_KIND_WAY(UprobeStep),
    .arm = tapir_uprobe_arm,
    .rearm = tapir_uprobe_rearm,
    .disarm = tapir_uprobe_disarm,
    .label = tapir_user_label,
    .point = tapir_user_point,
    .user = true,
    .pid_at = offsetof(struct tapir_user_arg, pid),
};
