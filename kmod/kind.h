/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A probe kind, the kernel side. One file per kind; nothing but the script's descriptors refers to a kind, so that only the kinds a
 * script names are linked.
 *
 * Adding a kind: give it a row in tapir/kinds.def, an argument struct in tapir/abi.h, and a file kind_<name>.c. It finds its probes
 * by walking tapir_module.probes for those whose kind is its ops. A hit calls tapir_hit() (hit.h) with preemption disabled.
 * What it attached and what the kernel did not deliver it tells the ledger with tapir_ledger_add_attached() and, when disarmed,
 * _add_missed().
 */
#ifndef TAPIR_KIND_H
#define TAPIR_KIND_H

#include <tapir/abi.h>
#include <tapir/demand.h>
#include "modules.h"

struct tapir_kind_ops {
	const char *name;
	/* Adds what arm() allocates for a probe, by the parts that can be large. Session thread. NULL: nothing worth mentioning. */
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
	 * A module that the script names symbols of comes or goes: the kind attaches or detaches what it has in it. Between arm()
	 * and disarm(), which see to the modules that are there; in any thread, but never at the same time as those or rearm(); may
	 * sleep. It reports with tapir_session_note(). NULL: has nothing in modules.
	 */
	void (*follow)(u32 module, enum tapir_module_event event);
	/* Unregisters, at one go what can be; afterwards no handler of the kind runs or will run on any CPU. Called once after
	 * arm() succeeded. */
	void (*disarm)(void);
	/*
	 * After all kinds have been disarmed: waits for what the kernel does later, and frees what that needs. Session thread.
	 * NULL: disarm() leaves nothing.
	 */
	void (*settle)(void);
	/*
	 * Some kind has called tapir_session_report_due(): runs the reports that are. Session thread, between arm() and disarm(),
	 * may sleep and take long. NULL: has none.
	 */
	void (*report)(void);
	/* Runs the session-level probes of a phase, in order. NULL: has none. */
	void (*phase)(u8 phase);
	/* What was hit: "function" or "function@file:line", or NULL. Any context. NULL: the kind probes no functions. */
	const char *(*label)(const struct tapir_ctx *c);
	/* The expanded probe point of this hit. Any context. NULL: the descriptor's. */
	void (*point)(const struct tapir_ctx *c, char *dst, u32 cap);
	/*
	 * Argument n (from 1) of the call that was hit, or with 0 the result of one that returned; false: there is none. Any
	 * context. NULL: they are where the calling convention of functions has them.
	 */
	bool (*value)(const struct tapir_ctx *c, u32 n, u64 *value);
	u8 leaf; /* enum tapir_leaf_form: which of union tapir_leaf its probes have */
	/* The registers of a hit hold only what a function's arguments need, and the hit is always in kernel mode. */
	bool arguments_only;
	/* Its places are functions (of a tapir_function_arg) that get a kprobe for their return. */
	bool returns;
	/* Its places are in programs (of a tapir_user_arg), and ctx->place is the one that was hit. */
	bool user;
	/*
	 * Where a program is loaded in the process that was hit, minus where it was linked to be, by the hit's tapir_ctx.place;
	 * false: the place does not tell. Any context. NULL: it never does.
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
};

/* What the ops of every kind have: what the list of kinds says of it. */
#define TAPIR_KIND_LISTED(kind) .name = #kind, .leaf = TAPIR_LEAF_OF_##kind

/* How many probes of the kind the script has. */
static inline u32 tapir_kind_probes(const struct tapir_kind_ops *kind)
{
	u32 i, count = 0;

	for (i = 0; i < tapir_module.nprobes; i++)
		count += tapir_module.probes[i].kind == kind;
	return count;
}

#endif
