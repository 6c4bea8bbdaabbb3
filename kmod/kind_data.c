// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernel.data: memory that the processor's debug registers watch, on all CPUs. Hits come like NMIs, after the access. A CPU that
 * comes or comes back gets its own event from a work item, because making one waits for the hotplug lock. Variables of modules are
 * watched while these are loaded.
 */
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include "compat/percpu.h"
#include "condition.h"
#include "hit.h"
#include "kind.h"
#include "modules.h"
#include "symbols.h"
#include "report.h"

struct tapir_watch {
	struct tapir_hook hook;
	u32 probe;
	u32 module;    /* whose variable it is, or TAPIR_NO_MODULE */
	bool attached; /* at some time: the ledger knows */
	struct perf_event_attr attr;
	struct perf_event *__percpu *events;
	long refused; /* NULL while not armed */
};
static struct tapir_watch *tapir_watches;
static u32 tapir_nwatches;
static int tapir_data_hotplug = -1;
static struct cpumask tapir_data_stale; /* CPUs that went away since their events were made */
static DEFINE_MUTEX(tapir_data_mutex);	/* the events */

static void tapir_watch_hit(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	const struct tapir_watch *w = event->overflow_handler_context;

	tapir_hit(&w->hook, regs, regs ? instruction_pointer(regs) : 0);
}

/* `late`: the session runs, and continues. */
static int tapir_watch_refused(const struct tapir_data_arg *arg, const char *point, u64 address, int error, bool late)
{
	if (arg->optional)
		return 0;
	if (late) {
		tapir_session_note(TAPIR_TEXT(DataStaysOff), point, arg->length, address, ERR_PTR(error));
		return 0;
	}
	if (error == -ENOSPC || error == -EBUSY)
		tapir_session_fail(TAPIR_TEXT(DebugRegistersInUse), point);
	else if (error == -EINVAL)
		tapir_session_fail(TAPIR_TEXT(DataUnwatchable), point, arg->length, address);
	else
		tapir_session_fail(TAPIR_TEXT(DataRefused), point, ERR_PTR(error));
	return error;
}

/* The symbol has no address. */
static int tapir_watch_absent(const struct tapir_watch *w, bool late)
{
	const struct tapir_data_arg *arg = w->hook.probe->arg;
	const char *point = w->hook.probe->point, *symbol = tapir_module.symbols[arg->symbol];

	if (arg->optional)
		return 0;
	if (w->module != TAPIR_NO_MODULE && !tapir_module_is_there(w->module)) {
		tapir_module_need(w->module);
		return 0;
	}
	if (late) {
		tapir_session_note(TAPIR_TEXT(LoadedWithoutSymbol), point, strchr(symbol, ':') + 1);
		return 0;
	}
	if (w->module != TAPIR_NO_MODULE)
		tapir_session_fail(TAPIR_TEXT(NoSymbolInModule), point, strchr(symbol, ':') + 1);
	else
		tapir_session_fail(TAPIR_TEXT(NoSymbolToProbe), point, symbol);
	return -ENOENT;
}

/* -errno: reported. */
static int tapir_watch_start(struct tapir_watch *w, bool late)
{
	const struct tapir_data_arg *arg = w->hook.probe->arg;
	const char *point = w->hook.probe->point;
	u64 address = arg->by_symbol ? tapir_symbol_address(arg->symbol) : arg->address;
	struct perf_event *__percpu *events;
	long refused;

	if (!address)
		return tapir_watch_absent(w, late);
	if (address < TASK_SIZE_MAX) {
		if (late) {
			tapir_session_note(TAPIR_TEXT(AddressStaysOff), point, address);
			return 0;
		}
		tapir_session_fail(TAPIR_TEXT(NoKernelAddress), point, address);
		return -EINVAL;
	}
	hw_breakpoint_init(&w->attr);
	w->attr.bp_addr = address;
	w->attr.bp_len = arg->length;
	w->attr.bp_type = arg->reads ? HW_BREAKPOINT_RW : HW_BREAKPOINT_W;
	events = register_wide_hw_breakpoint(&w->attr, tapir_watch_hit, w);
	refused = tapir_percpu_error(events);
	if (refused)
		return tapir_watch_refused(arg, point, address, refused, late);
	w->events = events;
	if (!w->attached)
		tapir_ledger_add_attached(w->probe, 1);
	w->attached = true;
	return 0;
}

static void tapir_watch_stop(struct tapir_watch *w)
{
	if (w->events)
		unregister_wide_hw_breakpoint(w->events);
	w->events = NULL;
}

/* ---- CPUs that come and go ---- */

static void tapir_watch_follow(struct tapir_watch *w, int cpu, bool stale)
{
	struct perf_event **slot = per_cpu_ptr(w->events, cpu);
	struct perf_event *event;

	if (*slot && !stale)
		return;
	unregister_hw_breakpoint(*slot);
	event = perf_event_create_kernel_counter(&w->attr, cpu, NULL, tapir_watch_hit, w);
	*slot = IS_ERR(event) ? NULL : event;
}

static void tapir_data_follow(struct work_struct *work)
{
	u32 i;
	int cpu;

	mutex_lock(&tapir_data_mutex);
	for_each_online_cpu(cpu) {
		bool stale = cpumask_test_and_clear_cpu(cpu, &tapir_data_stale);

		for (i = 0; i < tapir_nwatches; i++)
			if (tapir_watches[i].events)
				tapir_watch_follow(&tapir_watches[i], cpu, stale);
	}
	mutex_unlock(&tapir_data_mutex);
}
static DECLARE_WORK(tapir_data_work, tapir_data_follow);

static int tapir_data_cpu_online(unsigned int cpu)
{
	schedule_work(&tapir_data_work);
	return 0;
}

static int tapir_data_cpu_offline(unsigned int cpu)
{
	cpumask_set_cpu(cpu, &tapir_data_stale);
	return 0;
}

/* ---- arming ---- */

static void tapir_data_disarm(void)
{
	u32 i;

	if (tapir_data_hotplug >= 0)
		cpuhp_remove_state_nocalls(tapir_data_hotplug);
	tapir_data_hotplug = -1;
	cancel_work_sync(&tapir_data_work);
	for (i = 0; i < tapir_nwatches; i++)
		tapir_watch_stop(&tapir_watches[i]);
	/* A hit may still be on its way out. */
	synchronize_rcu();
	kfree(tapir_watches);
	tapir_watches = NULL;
	tapir_nwatches = 0;
}

/* Starts all watches. -errno: reported. Under the mutex. */
static int tapir_data_start(void)
{
	u32 i;

	for (i = 0; i < tapir_module.nprobes && !tapir_session_ending(); i++) {
		struct tapir_watch *w = &tapir_watches[tapir_nwatches];
		const struct tapir_data_arg *arg;
		int error = 0;

		if (tapir_module.probes[i].kind != &tapir_kind_data)
			continue;
		w->hook = tapir_hook_of(i);
		w->probe = i;
		arg = w->hook.probe->arg;
		w->module = arg->by_symbol ? tapir_module_of(arg->symbol) : TAPIR_NO_MODULE;
		tapir_nwatches++;
		if (tapir_probe_wanted(i))
			error = tapir_watch_start(w, false);
		if (error)
			return error;
	}
	return 0;
}

static int tapir_data_arm(void)
{
	int error;

	tapir_watches = kcalloc(tapir_kind_probes(&tapir_kind_data), sizeof(*tapir_watches), GFP_KERNEL);
	if (!tapir_watches) {
		tapir_session_fail(TAPIR_TEXT(NoMemoryData));
		return -ENOMEM;
	}
	cpumask_clear(&tapir_data_stale);
	error = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "tapir:data", tapir_data_cpu_online, tapir_data_cpu_offline);
	if (error < 0) {
		tapir_session_fail(TAPIR_TEXT(CpusNotFollowed), ERR_PTR(error));
	} else {
		tapir_data_hotplug = error;
		mutex_lock(&tapir_data_mutex);
		error = tapir_data_start();
		mutex_unlock(&tapir_data_mutex);
	}
	if (error < 0)
		tapir_data_disarm();
	return error;
}

static void tapir_data_rearm(void)
{
	u32 i;

	mutex_lock(&tapir_data_mutex);
	for (i = 0; i < tapir_nwatches; i++) {
		struct tapir_watch *w = &tapir_watches[i];
		bool wanted = tapir_probe_wanted(w->probe);

		if (wanted && !w->events)
			tapir_watch_start(w, false);
		else if (!wanted)
			tapir_watch_stop(w);
	}
	mutex_unlock(&tapir_data_mutex);
}

static void tapir_data_follow_module(u32 module, enum tapir_module_event event)
{
	u32 i;

	mutex_lock(&tapir_data_mutex);
	for (i = 0; i < tapir_nwatches; i++) {
		struct tapir_watch *w = &tapir_watches[i];

		if (w->module != module)
			continue;
		if (event == TAPIR_MODULE_CAME && tapir_probe_wanted(w->probe))
			tapir_watch_start(w, true);
		else if (event == TAPIR_MODULE_GOES ||
			 (event == TAPIR_MODULE_INITED && tapir_module_in_init(module, w->attr.bp_addr)))
			tapir_watch_stop(w);
	}
	mutex_unlock(&tapir_data_mutex);
}

const struct tapir_kind_ops tapir_kind_data = {
    TAPIR_KIND_LISTED(data),
    TAPIR_KIND_WAY(Watch),
    .arm = tapir_data_arm,
    .rearm = tapir_data_rearm,
    .follow = tapir_data_follow_module,
    .disarm = tapir_data_disarm,
};
