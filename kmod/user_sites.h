/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts that kinds which probe programs share: the places of a tapir_user_arg, each with a uprobe. */
#ifndef TAPIR_KMOD_USER_SITES_H
#define TAPIR_KMOD_USER_SITES_H

#include "compat/uprobe.h"
#include "hit.h"
#include "whose.h"

/* A uprobe of a site: at the site itself, or where its function is left. */
struct tapir_user_place {
	struct uprobe_consumer consumer;
	struct tapir_uprobe_handle handle;
	const struct tapir_user_site *of;
	u64 offset; /* in the file */
	bool exit;
	u32 pops; /* at an exit: bytes of arguments that the instruction takes from the stack */
};

struct tapir_user_site {
	struct tapir_hook hook;
	const struct tapir_user_arg *arg;
	const struct tapir_function_site *site;
	const struct tapir_whose *whose;
	struct tapir_user_place *places; /* in the order in which they are armed */
	u32 nplaces;
	u32 probe;
	bool armed; /* all places */
};

/* All sites of one kind. The kind sets the members above the line. */
struct tapir_user_sites {
	const struct tapir_kind_ops *kind;
	struct uprobe_consumer consumer; /* copied to the place of every site without exits */
	struct uprobe_consumer exit;	 /* to every exit of the others */
	struct uprobe_consumer entry;	 /* to the entry of these, where the probe saves something there */
	/* ---- */
	struct tapir_user_site *sites;
	struct tapir_user_place *places;
	u32 count, nplaces;
	struct tapir_whose *whose; /* by probe of the script */
};

/* tapir_kind_ops.arm, .rearm and .disarm. After the latter two, no handler runs for a site that is not armed. */
int tapir_user_sites_arm(struct tapir_user_sites *all);
void tapir_user_sites_rearm(struct tapir_user_sites *all);
void tapir_user_sites_disarm(struct tapir_user_sites *all);

static __always_inline const struct tapir_user_place *tapir_user_place_of(const struct uprobe_consumer *consumer)
{
	return container_of(consumer, struct tapir_user_place, consumer);
}

/* The return value of a uprobe's handler for an unwanted task: a process that inherited a breakpoint loses it. */
int tapir_user_site_unwanted(const struct tapir_user_site *s);

void tapir_user_touch_list(const struct tapir_user_site *s, struct pt_regs *regs, unsigned long ip, bool at_entry);

/* Brings in the memory that a handler of the probe is going to read; may sleep. */
static __always_inline void tapir_user_touch(const struct tapir_user_site *s, struct pt_regs *regs, unsigned long ip, bool at_entry)
{
	if (at_entry ? s->arg->nentry_touches : s->arg->ntouches)
		tapir_user_touch_list(s, regs, ip, at_entry);
}

/* Runs a handler that needs no context. False: it does, or the session is not in its usual state; go through tapir_hit_at(). */
static __always_inline bool tapir_user_leaf(const struct tapir_user_site *s, struct pt_regs *regs)
{
	const struct tapir_probe *probe = s->hook.probe;

	if (!probe->leaf.registers || probe->condition || !tapir_hit_is_plain())
		return false;
	preempt_disable();
	probe->leaf.registers(raw_smp_processor_id(), regs);
	this_cpu_inc(s->hook.cell->handled);
	preempt_enable();
	return true;
}

/* tapir_kind_ops.label and .point. */
const char *tapir_user_label(const struct tapir_ctx *c);
void tapir_user_point(const struct tapir_ctx *c, char *dst, u32 cap);

#endif
