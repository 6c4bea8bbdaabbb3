// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The session thread and the states it goes through:
 *
 *	LOADED -> STARTING: begin probes, snapshots, then kinds arm -> RUNNING -> STOPPING: kinds disarm, then end or error probes
 *-> DONE
 *
 * The code that ends it is in state.c.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <runtime/handler.h>
#include <tapir/port.h>
#include "compat/grace_period.h"
#include "ages.h"
#include "arrays.h"
#include "cgroups.h"
#include "condition.h"
#include "governed.h"
#include "hit.h"
#include "kernel_walk.h"
#include "ledger.h"
#include "modules.h"
#include "overhead.h"
#include "port_memory.h"
#include "port_unfinished.h"
#include "processes.h"
#include "processors.h"
#include "relay.h"
#include "report.h"
#include "session.h"
#include "stack_store.h"
#include "state.h"
#include "stretched.h"
#include "symbols.h"
#include "user_objects.h"

static struct task_struct *tapir_thread;
static bool tapir_globals_initialised;
static bool tapir_have_globals;

/* Kinds in the order in which the script first names them; they are armed in this order and disarmed in reverse. */
#define TAPIR_KINDS_MAX 16
static const struct tapir_kind_ops *tapir_kinds[TAPIR_KINDS_MAX];
static u32 tapir_nkinds;

static int tapir_kinds_collect(void)
{
	u32 i, k;

	for (i = 0; i < tapir_module.nprobes; i++) {
		for (k = 0; k < tapir_nkinds && tapir_kinds[k] != tapir_module.probes[i].kind; k++)
			;
		if (k < tapir_nkinds)
			continue;
		if (k == TAPIR_KINDS_MAX)
			return -E2BIG;
		tapir_kinds[tapir_nkinds++] = tapir_module.probes[i].kind;
	}
	return 0;
}

/* ---- settings ---- */

int tapir_session_configure(const struct tapir_ioc_config *config)
{
	s32 namespaces = config->namespaces ? tapir_initial_pid(config->namespaces) : current->tgid;
	u32 i;

	if (tapir_session.state != TAPIR_STATE_LOADED)
		return -EBUSY;
	if (!namespaces)
		return -ESRCH;
	if (config->flags & ~(TAPIR_CONFIG_TIMING | TAPIR_CONFIG_SUPPRESS_ERRORS | TAPIR_CONFIG_COMMAND | TAPIR_CONFIG_REMOTE))
		return -EINVAL;
	if ((config->flags & TAPIR_CONFIG_REMOTE) && config->remote_id < 0)
		return -EINVAL;
	if (config->limits_set >> TAPIR_LIMITS)
		return -EINVAL;
	for (i = 0; i < TAPIR_LIMITS; i++)
		if ((config->limits_set >> i & 1) && !tapir_session_limit_allowed(i, config->limits[i]))
			return -EINVAL;
	for (i = 0; i < TAPIR_LIMITS; i++)
		if (config->limits_set >> i & 1)
			tapir_session.limits[i] = config->limits[i];
	if ((config->limits_set >> TAPIR_LIMIT_MAXACTION & 3) == 1)
		tapir_session.limits[TAPIR_LIMIT_MAXACTION_INTERRUPTIBLE] =
		    TAPIR_ACTIONS_INTERRUPTIBLE * config->limits[TAPIR_LIMIT_MAXACTION];
	tapir_target_set(config->target, config->flags & TAPIR_CONFIG_COMMAND);
	tapir_session.seconds_west = config->seconds_west;
	strscpy(tapir_session.zone, config->zone, sizeof(tapir_session.zone));
	tapir_session.loader_pid = current->tgid;
	tapir_session.namespaces_pid = namespaces;
	tapir_session.loader_uid = __kuid_val(current_uid());
	if (config->flags & TAPIR_CONFIG_REMOTE) {
		tapir_session.remote_id = config->remote_id;
		strscpy(tapir_session.remote_uri, config->remote_uri, sizeof(tapir_session.remote_uri));
	}
	tapir_session.timing = tapir_session.timed = config->flags & TAPIR_CONFIG_TIMING;
	tapir_session.governed = tapir_session.limits[TAPIR_LIMIT_BUDGET] > 0;
	tapir_session.suppress_errors = config->flags & TAPIR_CONFIG_SUPPRESS_ERRORS;
	return 0;
}

/* Initialisers run once, before the first name=value. */
static void tapir_session_init_globals(void)
{
	if (!tapir_globals_initialised && tapir_module.init_globals)
		tapir_module.init_globals();
	tapir_globals_initialised = true;
}

int tapir_session_set_global(const char *name, const char *text)
{
	if (READ_ONCE(tapir_session.state) == TAPIR_STATE_RUNNING)
		return tapir_global_change(name, text);
	if (tapir_session.state != TAPIR_STATE_LOADED)
		return -EBUSY;
	tapir_session_init_globals();
	return tapir_global_set(name, text);
}

/* ---- the thread ---- */

static void tapir_session_phase(u8 phase)
{
	u32 i;

	for (i = 0; i < tapir_nkinds; i++)
		if (tapir_kinds[i]->phase)
			tapir_kinds[i]->phase(phase);
}

/* How many kinds are armed; under the lock of modules.h. */
static u32 tapir_narmed;

static void tapir_session_arm(void)
{
	tapir_modules_lock();
	while (tapir_narmed < tapir_nkinds && !tapir_session_ending()) {
		const struct tapir_kind_ops *kind = tapir_kinds[tapir_narmed];
		int error = kind->arm ? kind->arm() : 0;

		/* The kind has reported why, unless it was asked to stop; make sure that the session ends in any case. */
		if (error && error != -EINTR)
			tapir_session_set_failed();
		if (error)
			break;
		tapir_narmed++;
	}
	tapir_modules_unlock();
}

static void tapir_session_disarm(void)
{
	u32 i, count;

	tapir_modules_lock();
	count = tapir_narmed;
	tapir_grace_periods_hurry();
	while (tapir_narmed) {
		const struct tapir_kind_ops *kind = tapir_kinds[--tapir_narmed];

		if (kind->disarm)
			kind->disarm();
	}
	tapir_grace_periods_hurry_no_more();
	for (i = 0; i < count; i++)
		if (tapir_kinds[i]->settle)
			tapir_kinds[i]->settle();
	tapir_modules_unlock();
}

/* A module comes or goes. In the order of arming and disarming. */
static void tapir_session_follow(u32 module, enum tapir_module_event event)
{
	u32 i;

	for (i = 0; i < tapir_narmed; i++) {
		const struct tapir_kind_ops *kind = tapir_kinds[event == TAPIR_MODULE_CAME ? i : tapir_narmed - 1 - i];

		if (kind->follow)
			kind->follow(module, event);
	}
}

/* At most that often are probes armed or disarmed by their conditions: patching the kernel disturbs all CPUs. */
#define TAPIR_REARM_INTERVAL max(HZ / 50, 1)

static void tapir_session_rearm(void)
{
	u32 i;

	if (!tapir_conditions_update())
		return;
	tapir_modules_lock();
	for (i = 0; i < tapir_nkinds && !tapir_session_ending(); i++)
		if (tapir_kinds[i]->rearm)
			tapir_kinds[i]->rearm();
	tapir_modules_unlock();
}

static void tapir_session_run_reports(void)
{
	u32 i;

	if (!atomic_xchg(&tapir_session.reports_due, 0))
		return;
	for (i = 0; i < tapir_nkinds; i++)
		if (tapir_kinds[i]->report)
			tapir_kinds[i]->report();
}

static bool tapir_session_has_work(void)
{
	return tapir_session_ending() || tapir_globals_pending() || atomic_read(&tapir_session.reports_due);
}

/* Until the session ends. */
static void tapir_session_watch(void)
{
	unsigned long rearm = jiffies;

	for (;;) {
		long early = rearm - jiffies, next = tapir_overhead_next();

		next = min3(next, tapir_stretch_next(), tapir_ages_next());
		if (tapir_conditions_pending() && early > 0)
			wait_event_idle_timeout(tapir_session.state_changed, tapir_session_has_work(), min(early, next));
		else
			wait_event_idle_timeout(tapir_session.state_changed, tapir_session_has_work() || tapir_conditions_pending(),
						next);
		if (tapir_session_ending())
			return;
		tapir_overhead_tend();
		tapir_stretch_tend();
		tapir_globals_tend();
		tapir_ages_tend();
		tapir_session_run_reports();
		if (!tapir_conditions_pending() || time_before(jiffies, rearm))
			continue;
		tapir_session_rearm();
		rearm = jiffies + TAPIR_REARM_INTERVAL;
	}
}

/* Has all that the script waits for been hit? Snapshots have, and begin probes alone wait for the user to end them. */
static bool tapir_session_is_over(void)
{
	bool once = false;
	u32 i;

	for (i = 0; i < tapir_nkinds; i++) {
		if (!tapir_kinds[i]->once && tapir_kinds[i] != &tapir_kind_begin)
			return false;
		once |= tapir_kinds[i]->once;
	}
	return once;
}

static void tapir_session_lead(void)
{
	if (tapir_has_user_objects())
		tapir_user_object_ops.start();
	if (!tapir_session_ending())
		tapir_session_phase(TAPIR_PHASE_BEGIN);
	if (!tapir_session_ending())
		tapir_session_phase(TAPIR_PHASE_SNAPSHOT);
	if (!tapir_session_ending() && tapir_session_is_over())
		tapir_session_request_exit();
	tapir_conditions_update();
	tapir_session_arm();
	if (!tapir_session_ending()) {
		tapir_session_enter(TAPIR_STATE_RUNNING);
		tapir_session.extra = tapir_session.timing || tapir_cgroup || tapir_session.governed;
		tapir_governed_begin();
		tapir_stretch_begin();
		WRITE_ONCE(tapir_session.mode, tapir_session.extra ? TAPIR_MODE_EXTRA : TAPIR_MODE_ON);
		tapir_overhead_begin();
		tapir_ages_begin();
		tapir_session_watch();
		WRITE_ONCE(tapir_session.mode, TAPIR_MODE_OFF);
	}
	tapir_session_enter(TAPIR_STATE_STOPPING);
	tapir_session_disarm();
	if (tapir_has_user_objects())
		tapir_user_object_ops.stop();
	if (tapir_has_unfinished())
		tapir_unfinished_ops.await();
	tapir_modules_report();
	tapir_ages_tend();
	/* The kernel's missed hits are known only now. End probes have run: no report is lost. */
	if (!atomic_read(&tapir_session.failed))
		tapir_session_phase(TAPIR_PHASE_END);
	if (atomic_read(&tapir_session.skipped_too_many))
		tapir_session_fail(TAPIR_TEXT(TooManySkipped));
	if (atomic_read(&tapir_session.failed))
		tapir_session_phase(TAPIR_PHASE_ERROR);
}

/* Addresses that handlers use; modules.c sets those of modules. False: one is not there; the session has failed. */
static bool tapir_session_addresses(void)
{
	u32 i;

	for (i = 0; i < tapir_module.naddresses; i++) {
		u32 symbol = tapir_module.addresses[i];

		if (tapir_module_of(symbol) != TAPIR_NO_MODULE)
			continue;
		tapir_module.address_values[i] = tapir_symbol_address(symbol);
		if (!tapir_module.address_values[i]) {
			tapir_session_fail(TAPIR_TEXT(NoSymbolOfVariables), tapir_module.symbols[symbol]);
			return false;
		}
	}
	return true;
}

/*
 * Compares the memory that the script needs with what the machine can spare. Only the buffers are allocated by now; messages need
 * them. Returns false after failing the session.
 */
static bool tapir_session_affords(void)
{
	struct tapir_demand demand = {0};
	u64 spare = tapir_port_spare() + tapir_relay_bytes() / 2;
	u32 i;

	tapir_demand_add(&demand, tapir_relay_bytes(), "the buffers of ", "output", "make them smaller with -s MB");
	tapir_contexts_demand(&demand);
	tapir_globals_demand(&demand, tapir_session.limits[TAPIR_LIMIT_MAXMAPENTRIES]);
	if (tapir_has_stacks())
		tapir_demand_add(&demand, tapir_stacks_ops.least(tapir_session.limits[TAPIR_LIMIT_STACK_BYTES]), "the table of ",
				 "stacks", "make it smaller with --stack-memory=MB");
	for (i = 0; i < tapir_module.nprobes; i++)
		if (tapir_module.probes[i].kind->demand)
			tapir_module.probes[i].kind->demand(i, &demand);
	if (demand.bytes < spare)
		return true;
	tapir_session_fail(TAPIR_TEXT(AsksTooMuchMemory), demand.bytes >> 20, spare >> 20, demand.what, demand.name,
			   demand.largest >> 20, demand.advice);
	return false;
}

static int tapir_session_thread(void *unused)
{
	struct tapir_ctx *c = tapir_session_context;

	tapir_hit_calibrate();
	tapir_session_init_globals();
	if (!tapir_settings_apply(c)) {
		tapir_session_fail("%s", c->message);
		goto done;
	}
	if (tapir_modules_start(tapir_session_follow) || !tapir_session_addresses() || !tapir_session_affords() ||
	    !tapir_contexts_create() || !tapir_governed_create())
		goto done;
	tapir_have_globals = tapir_globals_create(c, tapir_session.limits[TAPIR_LIMIT_MAXMAPENTRIES]);
	if (tapir_have_globals)
		tapir_session_lead();
	else
		tapir_session_fail("%s", c->message);
done:
	tapir_modules_stop();
	tapir_session_enter(TAPIR_STATE_DONE);
	return 0;
}

int tapir_session_start(void)
{
	int error;

	if (tapir_session.state != TAPIR_STATE_LOADED)
		return -EBUSY;
	/* A failed start may be tried again. */
	tapir_nkinds = 0;
	error = tapir_kinds_collect();
	if (error)
		return error;
	error = tapir_processes_find();
	if (error)
		return error;
	error = tapir_ledger_create();
	if (error)
		return error;
	error = tapir_overhead_create();
	if (error)
		goto no_overhead;
	error = tapir_processors_create();
	if (error)
		goto no_processors;
	error = tapir_session_context_create();
	if (error)
		goto no_contexts;
	error = tapir_relay_create(tapir_session.limits[TAPIR_LIMIT_BUFFER_BYTES]);
	if (error)
		goto no_relay;
	error = tapir_arrays_create();
	if (error)
		goto no_arrays;
	error = tapir_has_stacks() ? tapir_stacks_ops.create(tapir_session.limits[TAPIR_LIMIT_STACK_BYTES]) : 0;
	if (error)
		goto no_stacks;
	error = tapir_has_walks() ? tapir_walk_ops.begin() : 0;
	if (error)
		goto no_walks;
	if (tapir_has_unfinished())
		tapir_unfinished_ops.create();
	tapir_pace_set(tapir_session_most_actions(), tapir_session.limits[TAPIR_LIMIT_MAXTIME]);
	tapir_session.first_actions = tapir_pace.at_once;
	tapir_session.min_stack = tapir_session.limits[TAPIR_LIMIT_MINSTACKSPACE];
	tapir_thread = kthread_create(tapir_session_thread, NULL, "tapir");
	if (IS_ERR(tapir_thread)) {
		error = PTR_ERR(tapir_thread);
		tapir_thread = NULL;
		goto no_thread;
	}
	get_task_struct(tapir_thread);
	WRITE_ONCE(tapir_session.state, TAPIR_STATE_STARTING);
	wake_up_process(tapir_thread);
	return 0;

no_thread:
	if (tapir_has_unfinished())
		tapir_unfinished_ops.destroy();
	if (tapir_has_walks())
		tapir_walk_ops.end();
no_walks:
	if (tapir_has_stacks())
		tapir_stacks_ops.destroy();
no_stacks:
	tapir_arrays_destroy();
no_arrays:
	tapir_relay_destroy();
no_relay:
	tapir_governed_destroy();
	tapir_contexts_destroy();
no_contexts:
	tapir_processors_destroy();
no_processors:
	tapir_overhead_destroy();
no_overhead:
	tapir_ledger_destroy();
	return error;
}

void tapir_session_stop(void)
{
	if (READ_ONCE(tapir_session.state) == TAPIR_STATE_LOADED)
		return;
	if (READ_ONCE(tapir_session.state) == TAPIR_STATE_STARTING)
		atomic_inc(&tapir_session.interrupts);
	tapir_session_request_exit();
}

void tapir_session_interrupt(void)
{
	atomic_inc(&tapir_session.interrupts);
	tapir_session_stop();
}

void tapir_session_abandon(void)
{
	WRITE_ONCE(tapir_session.abandoned, true);
	tapir_session_stop();
}

void tapir_session_destroy(void)
{
	if (!tapir_thread)
		return;
	tapir_session_abandon();
	kthread_stop(tapir_thread);
	put_task_struct(tapir_thread);
	tapir_thread = NULL;
	if (tapir_has_unfinished())
		tapir_unfinished_ops.destroy();
	if (tapir_has_walks())
		tapir_walk_ops.end();
	if (tapir_has_stacks())
		tapir_stacks_ops.destroy();
	tapir_arrays_destroy();
	if (tapir_have_globals)
		tapir_globals_destroy();
	tapir_relay_destroy();
	tapir_governed_destroy();
	tapir_contexts_destroy();
	tapir_processors_destroy();
	tapir_overhead_destroy();
	tapir_ledger_destroy();
}
