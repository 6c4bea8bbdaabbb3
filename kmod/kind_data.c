// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernel.data: memory that the processor's debug registers watch, on all CPUs. Hits come like NMIs, after the access. CPUs that are
 * switched on later do not watch.
 */
#include <linux/errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include "condition.h"
#include "context.h"
#include "kind.h"
#include "symbols.h"

struct tapir_watch {
	struct tapir_hook hook;
	u32 probe;
	struct perf_event *__percpu *events; /* NULL while not armed */
};
static struct tapir_watch *tapir_watches;
static u32 tapir_nwatches;

static void tapir_watch_hit(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	const struct tapir_watch *w = event->overflow_handler_context;

	tapir_hit(&w->hook, regs, regs ? instruction_pointer(regs) : 0);
}

static int tapir_watch_refused(const struct tapir_data_arg *arg, const char *point, u64 address, int error)
{
	if (arg->optional)
		return 0;
	if (error == -ENOSPC || error == -EBUSY)
		tapir_session_fail("probe %s registration error: all debug registers of the processor are in use", point);
	else if (error == -EINVAL)
		tapir_session_fail("probe %s registration error: the processor cannot watch %u bytes at 0x%llx", point, arg->length,
				   address);
	else
		tapir_session_fail("probe %s registration error: the processor cannot watch it (error %d)", point, error);
	return error;
}

/* -errno: reported. */
static int tapir_watch_start(struct tapir_watch *w)
{
	const struct tapir_data_arg *arg = w->hook.probe->arg;
	const char *point = w->hook.probe->point;
	u64 address = arg->by_symbol ? tapir_symbol_address(arg->symbol) : arg->address;
	struct perf_event *__percpu *events;
	struct perf_event_attr attr;

	if (!address) {
		if (arg->optional)
			return 0;
		tapir_session_fail("probe %s registration error: no symbol '%s' in this kernel", point,
				   tapir_module.symbols[arg->symbol]);
		return -ENOENT;
	}
	if (address < TASK_SIZE_MAX) {
		tapir_session_fail("probe %s registration error: 0x%llx is no address of the kernel", point, address);
		return -EINVAL;
	}
	hw_breakpoint_init(&attr);
	attr.bp_addr = address;
	attr.bp_len = arg->length;
	attr.bp_type = arg->reads ? HW_BREAKPOINT_RW : HW_BREAKPOINT_W;
	events = register_wide_hw_breakpoint(&attr, tapir_watch_hit, w);
	if (IS_ERR((void __force *)events))
		return tapir_watch_refused(arg, point, address, PTR_ERR((void __force *)events));
	w->events = events;
	return 0;
}

static void tapir_watch_stop(struct tapir_watch *w)
{
	if (w->events)
		unregister_wide_hw_breakpoint(w->events);
	w->events = NULL;
}

static void tapir_data_disarm(void)
{
	u32 i;

	for (i = 0; i < tapir_nwatches; i++)
		tapir_watch_stop(&tapir_watches[i]);
	/* A hit may still be on its way out. */
	synchronize_rcu();
	kfree(tapir_watches);
	tapir_watches = NULL;
	tapir_nwatches = 0;
}

static int tapir_data_arm(void)
{
	u32 i, count = tapir_kind_probes(&tapir_kind_data);

	tapir_watches = kcalloc(count, sizeof(*tapir_watches), GFP_KERNEL);
	if (!tapir_watches) {
		tapir_session_fail("not enough memory to watch data");
		return -ENOMEM;
	}
	for (i = 0; i < tapir_module.nprobes; i++) {
		struct tapir_watch *w = &tapir_watches[tapir_nwatches];
		int error = 0;

		if (tapir_module.probes[i].kind != &tapir_kind_data)
			continue;
		w->hook = tapir_hook_of(i);
		w->probe = i;
		tapir_nwatches++;
		if (tapir_probe_wanted(i))
			error = tapir_watch_start(w);
		if (error) {
			tapir_data_disarm();
			return error;
		}
		tapir_ledger_add_attached(i, w->events || !tapir_probe_wanted(i));
	}
	return 0;
}

static void tapir_data_rearm(void)
{
	u32 i;

	for (i = 0; i < tapir_nwatches; i++) {
		struct tapir_watch *w = &tapir_watches[i];
		bool wanted = tapir_probe_wanted(w->probe);

		if (wanted && !w->events)
			tapir_watch_start(w);
		else if (!wanted)
			tapir_watch_stop(w);
	}
}

const struct tapir_kind_ops tapir_kind_data = {
    .name = "data",
    .arm = tapir_data_arm,
    .rearm = tapir_data_rearm,
    .disarm = tapir_data_disarm,
};
