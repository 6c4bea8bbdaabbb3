/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A probe kind, the kernel side. One file per kind. Only the script's descriptors refer to kinds, so a module contains only those
 * that its script names.
 *
 * Adding a kind: give it a row in tapir/kinds.def, an argument struct in tapir/abi.h, and a file kind_<name>.c. It finds its probes
 * by walking tapir_module.probes for those whose kind is its ops. A hit calls tapir_hit() (hit.h) with preemption disabled. The
 * kind reports what it attached with tapir_ledger_add_attached(). When disarmed, it reports hits that the kernel did not deliver
 * with _add_missed().
 */
#ifndef TAPIR_KIND_H
#define TAPIR_KIND_H

#include <tapir/abi.h>
#include <tapir/demand.h>
#include "modules.h"

struct tapir_kind_ops {
	const char *name;
	/* Adds the memory that arm() allocates for a probe, by the parts that can be large. Session thread. NULL: not worth
	 * mentioning. */
	void (*demand)(u32 probe, struct tapir_demand *demand);
	/*
	 * Registers every probe of the kind. Session thread, may sleep. On failure it has reported why with tapir_session_fail(),
	 * has undone what it did, and returns -errno. Between steps of some milliseconds it asks tapir_session_ending(), and then
	 * leaves the rest out, or fails with -EINTR and no report. NULL: nothing to register.
	 */
	int (*arm)(void);
	/*
	 * Some condition changed: attaches the probes that tapir_probe_wanted() and detaches the others, as arm() does from the
	 * beginning. Session thread, between arm() and disarm(), may sleep. A failure is reported with tapir_session_fail() and
	 * leaves the kind armed. NULL: has no probes that can be conditional.
	 */
	void (*rearm)(void);
	/*
	 * A module comes or goes whose symbols the script names: the kind attaches or detaches its probes in it. Between arm() and
	 * disarm(), which handle the modules that are there; in any thread, but never at the same time as those or rearm(); may
	 * sleep. It reports with tapir_session_note(). NULL: has nothing in modules.
	 */
	void (*follow)(u32 module, enum tapir_module_event event);
	/* Unregisters, as much as possible at once; afterwards no handler of the kind runs or will run on any CPU. Called once
	 * after arm() succeeded. */
	void (*disarm)(void);
	/*
	 * After all kinds have been disarmed: waits for the kernel's deferred work, and frees its memory. Session thread. NULL:
	 * disarm() leaves nothing.
	 */
	void (*settle)(void);
	/*
	 * Some kind has called tapir_session_report_due(): runs the reports that are. Session thread, between arm() and disarm(),
	 * may sleep and take long. NULL: has none.
	 */
	void (*report)(void);
	/*
	 * Doubles the period of its hits on a processor so often, counted from what it was at first, and tells
	 * tapir_governed_stretch(). Session thread, between arm() and disarm(), may sleep. NULL: they have none.
	 */
	void (*stretch)(int cpu, u32 doublings);
	/* Runs the session-level probes of a phase, in order. NULL: has none. */
	void (*phase)(u8 phase);
	/* Names the function that was hit: "function" or "function@file:line", or NULL. Any context. NULL: the kind probes no
	 * functions. */
	const char *(*label)(const struct tapir_ctx *c);
	/* The expanded probe point of this hit. Any context. NULL: the descriptor's. */
	void (*point)(const struct tapir_ctx *c, char *dst, u32 cap);
	/*
	 * Reads argument n (from 1) of the call that was hit, or with n = 0 the result of one that returned. False if it has none.
	 * Any context. NULL: values are where the calling convention of functions has them.
	 */
	bool (*value)(const struct tapir_ctx *c, u32 n, u64 *value);
	u8 leaf;		 /* enum tapir_leaf_form: which of union tapir_leaf its probes have */
	u32 way_ns, leaf_way_ns; /* what a hit costs around its handler, and around one that needs no context: TAPIR_KIND_WAY */
	/* The registers of a hit hold only a function's arguments, and the hit is always in kernel mode. */
	bool arguments_only;
	/* Its places are functions (of a tapir_function_arg) that get a kprobe for their return. */
	bool returns;
	/* Its places are in programs (of a tapir_user_arg), and ctx->place is the one that was hit. */
	bool user;
	/*
	 * Returns where a program is loaded in the process that was hit, minus where it was linked to be, by the hit's
	 * tapir_ctx.place. False if the place does not have it. Any context. NULL: it never has it.
	 */
	bool (*program_bias)(const void *place, u32 program, u64 *bias);
	/* Where in its argument is the s32 that says whose hits are wanted, as tapir_user_arg has it; 0: all are. */
	u16 pid_at;
	/* Its handlers run for the session and not for the task that is interrupted: a limit to a control group is not for them. */
	bool any_task;
	/* Hits are at the entry of a function: its arguments are where the calling convention has them. */
	bool function_entry;
	/* Its phase() is all that hits it: afterwards no more is to be waited for. */
	bool once;
	/* While a session walks kernel stacks, tapir_ctx.args of its hits are those of a struct tapir_framed_args. */
	bool framed;
};

enum tapir_way_cost {
#define TAPIR_HIT_COST(Name, name, leaf, context) TAPIR_WAY_LEAF_##Name = (leaf), TAPIR_WAY_CONTEXT_##Name = (context),
#include <tapir/hit_costs.def>
};

/*
 * Initializes the members of an ops that say what a hit costs around its handler, by the way in tapir/hit_costs.def that most of
 * its hits come. An instruction counts as a nanosecond.
 */
#define TAPIR_KIND_WAY(Name) .leaf_way_ns = TAPIR_WAY_LEAF_##Name, .way_ns = TAPIR_WAY_CONTEXT_##Name

/* Initializes the members of an ops that the list of kinds determines. */
#define TAPIR_KIND_LISTED(kind) .name = #kind, .leaf = TAPIR_LEAF_OF_##kind

/* Returns the ns that a hit of the probe costs around its handler; 0: it makes none while the session runs. */
static inline u32 tapir_probe_way(const struct tapir_probe *probe)
{
	u32 leaf = probe->kind->leaf_way_ns;

	return probe->leaf.plain && leaf ? leaf : probe->kind->way_ns;
}

/* How many probes of the kind the script has. */
static inline u32 tapir_kind_probes(const struct tapir_kind_ops *kind)
{
	u32 i, count = 0;

	for (i = 0; i < tapir_module.nprobes; i++)
		count += tapir_module.probes[i].kind == kind;
	return count;
}

#endif
