// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Performance events: one kernel counter per probe and online CPU. A hit is an overflow: in an NMI where the event comes from the
 * processor, in a hard interrupt for clocks, where it happened for other software events. An event with a name makes no hits;
 * handlers read what their CPU has counted.
 *
 * The events of a CPU that goes away are dead, and must be made anew when it comes back. That cannot be done in the hotplug
 * callbacks themselves (creating and releasing software events waits for the hotplug lock), so these only leave notes for a work
 * item.
 */
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/mm_types.h>
#include <linux/mutex.h>
#include <linux/namei.h>
#include <linux/path.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include "condition.h"
#include "governed.h"
#include "hit.h"
#include "kind.h"
#include "perf_count.h"
#include "report.h"

/* A clock must not take the machine: as timers. */
#define TAPIR_PERF_MIN_NS    50000u
#define TAPIR_PERF_MAX_HERTZ (1000000000u / TAPIR_PERF_MIN_NS)

struct tapir_perf {
	struct tapir_hook hook;
	u32 probe;
	bool enabled;
	u64 period;			     /* at first: of an event with a frequency, in Hz */
	u64 released;			     /* what events that are gone had counted */
	struct path program;		     /* whose tasks are hit; dentry NULL: all */
	struct perf_event *__percpu *events; /* NULL where the CPU is off */
};
static struct tapir_perf *tapir_perfs;
static u32 tapir_nperfs;
static int tapir_perf_hotplug = -1;
static struct cpumask tapir_perf_stale;		  /* CPUs that went away since their events were made */
static DEFINE_MUTEX(tapir_perf_mutex);		  /* the events */
static DEFINE_PER_CPU(u32, tapir_perf_doublings); /* of their periods; under the mutex */

/* Does the current task run the program? Any context with preemption disabled. */
static bool tapir_perf_runs(const struct path *program)
{
	const struct mm_struct *mm = current->mm;
	const struct file *file;
	bool runs;

	if (!mm || current->flags & PF_KTHREAD)
		return false;
	rcu_read_lock();
	file = rcu_dereference(mm->exe_file);
	runs = file && file_inode(file) == d_inode(program->dentry);
	rcu_read_unlock();
	return runs;
}

static void tapir_perf_overflow(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	const struct tapir_perf *p = event->overflow_handler_context;

	if (p->program.dentry && !tapir_perf_runs(&p->program))
		return;
	tapir_hit(&p->hook, regs, regs ? instruction_pointer(regs) : 0);
}

static bool tapir_perf_is_clock(const struct tapir_perf_arg *arg)
{
	return arg->type == PERF_TYPE_SOFTWARE &&
	       (arg->config == PERF_COUNT_SW_CPU_CLOCK || arg->config == PERF_COUNT_SW_TASK_CLOCK);
}

static void tapir_perf_attr(struct perf_event_attr *attr, const struct tapir_perf_arg *arg)
{
	bool is_clock = tapir_perf_is_clock(arg);

	*attr = (struct perf_event_attr){.type = arg->type, .size = sizeof(*attr), .config = arg->config};
	/* The processor's events count for the host only: a hypervisor may have lent the counters to its guests. */
	attr->exclude_guest = arg->type != PERF_TYPE_SOFTWARE;
	if (arg->counter) {
		/* Never by turns with others: a part of the events would be no answer. */
		attr->pinned = attr->exclude_guest;
	} else if (arg->period) {
		attr->sample_period = is_clock ? max_t(u64, arg->period, TAPIR_PERF_MIN_NS) : arg->period;
	} else {
		attr->freq = 1;
		attr->sample_freq = arg->frequency ? arg->frequency : HZ;
		if (is_clock)
			attr->sample_freq = min_t(u64, attr->sample_freq, TAPIR_PERF_MAX_HERTZ);
	}
}

/* Makes the period what the budget says. Under the mutex. */
static void tapir_perf_stretch_one(struct tapir_perf *p, int cpu)
{
	struct perf_event *event = *per_cpu_ptr(p->events, cpu);
	u32 doublings = per_cpu(tapir_perf_doublings, cpu);
	const struct tapir_perf_arg *arg = p->hook.probe->arg;
	u64 value, times;

	if (!event || arg->counter)
		return;
	/* The kernel makes a period of a clock's frequency. */
	value = event->attr.freq ? max_t(u64, p->period >> doublings, 1) : p->period << doublings;
	times = event->attr.freq ? div64_u64(p->period * TAPIR_GOVERNOR_ONCE, value) : (u64)TAPIR_GOVERNOR_ONCE << doublings;
	if (!perf_event_period(event, value))
		tapir_governed_stretch(&p->hook, cpu, (u32)times);
}

static void tapir_perf_stretch(int cpu, u32 doublings)
{
	u32 i;

	mutex_lock(&tapir_perf_mutex);
	per_cpu(tapir_perf_doublings, cpu) = doublings;
	for (i = 0; i < tapir_nperfs; i++)
		tapir_perf_stretch_one(&tapir_perfs[i], cpu);
	mutex_unlock(&tapir_perf_mutex);
}

/* The event of a CPU that has none. -ENODEV: the CPU is off. Under the mutex. */
static int tapir_perf_create(struct tapir_perf *p, int cpu)
{
	const struct tapir_perf_arg *arg = p->hook.probe->arg;
	struct perf_event **slot = per_cpu_ptr(p->events, cpu);
	struct perf_event_attr attr;
	struct perf_event *event;

	if (*slot)
		return 0;
	tapir_perf_attr(&attr, arg);
	attr.disabled = !p->enabled;
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, arg->counter ? NULL : tapir_perf_overflow, p);
	if (IS_ERR(event))
		return PTR_ERR(event);
	*slot = event;
	if (!p->period)
		p->period = event->attr.freq ? event->attr.sample_freq : event->attr.sample_period;
	if (per_cpu(tapir_perf_doublings, cpu))
		tapir_perf_stretch_one(p, cpu);
	return 0;
}

static void tapir_perf_release(struct tapir_perf *p, int cpu)
{
	struct perf_event **slot = per_cpu_ptr(p->events, cpu);
	struct perf_event *event = *slot;
	u64 enabled, running;

	if (!event)
		return;
	WRITE_ONCE(*slot, NULL);
	/* Handlers that read it are done; and the kernel frees it later than that. */
	p->released += perf_event_read_value(event, &enabled, &running);
	perf_event_release_kernel(event);
}

/* ---- counters ---- */

#define TAPIR_PERF_COUNTERS 32 /* that one script may have */

struct tapir_perf_counter {
	const char *name;	 /* NULL: no more */
	struct tapir_perf *perf; /* NULL: not armed */
	u64 total;		 /* of all CPUs, once disarmed */
};
static struct tapir_perf_counter tapir_perf_counters[TAPIR_PERF_COUNTERS + 1];

/* The counter of this name, or the place for the next one; NULL: all are taken. */
static struct tapir_perf_counter *tapir_perf_counter(const char *name)
{
	struct tapir_perf_counter *counter = tapir_perf_counters;

	while (counter->name && strcmp(counter->name, name))
		counter++;
	return counter < tapir_perf_counters + TAPIR_PERF_COUNTERS ? counter : NULL;
}

s64 tapir_port_perf_counter(struct tapir_ctx *c, const char *name)
{
	struct tapir_perf_counter *counter = tapir_perf_counter(name);
	struct tapir_perf *p = counter ? READ_ONCE(counter->perf) : NULL;
	struct perf_event *event = p ? READ_ONCE(*this_cpu_ptr(p->events)) : NULL;

	if (event)
		return tapir_perf_count(c, event);
	if (counter && c->level == TAPIR_LEVEL_SESSION)
		return counter->total;
	tapir_errorf(c, NULL, "no events are counted as '%s'", name);
	return 0;
}

/* ---- CPUs that come and go ---- */

static void tapir_perf_follow(struct work_struct *work)
{
	u32 i;
	int cpu;

	mutex_lock(&tapir_perf_mutex);
	for_each_online_cpu(cpu) {
		bool stale = cpumask_test_and_clear_cpu(cpu, &tapir_perf_stale);

		for (i = 0; i < tapir_nperfs; i++) {
			if (stale)
				tapir_perf_release(&tapir_perfs[i], cpu);
			tapir_perf_create(&tapir_perfs[i], cpu);
		}
	}
	mutex_unlock(&tapir_perf_mutex);
}
static DECLARE_WORK(tapir_perf_work, tapir_perf_follow);

static int tapir_perf_cpu_online(unsigned int cpu)
{
	schedule_work(&tapir_perf_work);
	return 0;
}

static int tapir_perf_cpu_offline(unsigned int cpu)
{
	cpumask_set_cpu(cpu, &tapir_perf_stale);
	return 0;
}

/* ---- arming ---- */

static void tapir_perf_rearm(void)
{
	u32 i;
	int cpu;

	mutex_lock(&tapir_perf_mutex);
	for (i = 0; i < tapir_nperfs; i++) {
		struct tapir_perf *p = &tapir_perfs[i];
		bool wanted = tapir_probe_wanted(p->probe);

		if (p->enabled == wanted)
			continue;
		p->enabled = wanted;
		for_each_possible_cpu(cpu) {
			struct perf_event *event = *per_cpu_ptr(p->events, cpu);

			if (event && wanted)
				perf_event_enable(event);
			else if (event)
				perf_event_disable(event);
		}
	}
	mutex_unlock(&tapir_perf_mutex);
}

static int tapir_perf_refused(const struct tapir_perf *p, int error)
{
	const struct tapir_perf_arg *arg = p->hook.probe->arg;

	if (!arg->optional)
		tapir_perf_fail(p->hook.probe->point, arg->type, arg->config, error);
	return error;
}

/* Resolves the probe's program and finds a slot for its counter. */
static int tapir_perf_find(struct tapir_perf *p)
{
	const struct tapir_perf_arg *arg = p->hook.probe->arg;
	const char *point = p->hook.probe->point;
	struct tapir_perf_counter *counter;
	int error;

	if (arg->counter) {
		counter = tapir_perf_counter(arg->counter);
		if (!counter || counter->name) {
			tapir_session_fail(counter ? TAPIR_TEXT(CounterNameTaken) : TAPIR_TEXT(TooManyCounters), point);
			return -EEXIST;
		}
		*counter = (struct tapir_perf_counter){.name = arg->counter};
	}
	if (!arg->program)
		return 0;
	error = kern_path(arg->program, LOOKUP_FOLLOW, &p->program);
	if (error && !arg->optional)
		tapir_session_fail(TAPIR_TEXT(NoPerfProgram), point, arg->program, ERR_PTR(error));
	return error && arg->optional ? -ENOENT : error;
}

static void tapir_perf_release_all(struct tapir_perf *p)
{
	int cpu;

	for_each_possible_cpu(cpu)
		tapir_perf_release(p, cpu);
}

/* After a grace period: a release only makes sure that nothing begins any more. */
static void tapir_perf_free(struct tapir_perf *p)
{
	free_percpu(p->events);
	path_put(&p->program);
}

/* Makes the events of one probe, on all CPUs that are on. */
static int tapir_perf_make(struct tapir_perf *p)
{
	int cpu, error = tapir_perf_find(p);

	if (error)
		return error;
	for_each_online_cpu(cpu) {
		error = tapir_perf_create(p, cpu);
		if (error && error != -ENODEV)
			return tapir_perf_refused(p, error);
	}
	return 0;
}

static int tapir_perf_arm_probe(u32 probe)
{
	struct tapir_perf *p = &tapir_perfs[tapir_nperfs];
	const struct tapir_perf_arg *arg = tapir_module.probes[probe].arg;
	int error;

	*p = (struct tapir_perf){
	    .hook = tapir_hook_of(probe),
	    .probe = probe,
	    .enabled = tapir_probe_wanted(probe),
	    .events = alloc_percpu(struct perf_event *),
	};
	if (!p->events) {
		tapir_session_fail(TAPIR_TEXT(NoMemoryPerf));
		return -ENOMEM;
	}
	error = tapir_perf_make(p);
	if (error) {
		tapir_perf_release_all(p);
		synchronize_rcu();
		tapir_perf_free(p);
		return arg->optional ? 0 : error;
	}
	tapir_nperfs++;
	if (arg->counter)
		WRITE_ONCE(tapir_perf_counter(arg->counter)->perf, p);
	tapir_ledger_add_attached(probe, 1);
	return 0;
}

static void tapir_perf_disarm(void)
{
	u32 i;

	for (i = 0; tapir_perf_counters[i].name; i++)
		WRITE_ONCE(tapir_perf_counters[i].perf, NULL);
	/* Handlers of other kinds may be reading. */
	synchronize_rcu();
	if (tapir_perf_hotplug >= 0)
		cpuhp_remove_state_nocalls(tapir_perf_hotplug);
	tapir_perf_hotplug = -1;
	cancel_work_sync(&tapir_perf_work);
	for (i = 0; i < tapir_nperfs; i++) {
		struct tapir_perf *p = &tapir_perfs[i];
		const struct tapir_perf_arg *arg = p->hook.probe->arg;

		tapir_perf_release_all(p);
		if (arg->counter)
			tapir_perf_counter(arg->counter)->total = p->released;
	}
	synchronize_rcu();
	for (i = 0; i < tapir_nperfs; i++)
		tapir_perf_free(&tapir_perfs[i]);
	kfree(tapir_perfs);
	tapir_perfs = NULL;
	tapir_nperfs = 0;
}

static int tapir_perf_arm(void)
{
	u32 i, count = tapir_kind_probes(&tapir_kind_perf);
	int error;

	tapir_perfs = kcalloc(count, sizeof(*tapir_perfs), GFP_KERNEL);
	if (!tapir_perfs) {
		tapir_session_fail(TAPIR_TEXT(NoMemoryPerfEvents), count);
		return -ENOMEM;
	}
	cpumask_clear(&tapir_perf_stale);
	memset(tapir_perf_counters, 0, sizeof(tapir_perf_counters));
	error = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "tapir:perf", tapir_perf_cpu_online, tapir_perf_cpu_offline);
	if (error < 0) {
		tapir_session_fail(TAPIR_TEXT(CpusNotFollowed), ERR_PTR(error));
		kfree(tapir_perfs);
		tapir_perfs = NULL;
		return error;
	}
	tapir_perf_hotplug = error;
	error = 0;
	mutex_lock(&tapir_perf_mutex);
	for (i = 0; i < tapir_module.nprobes && !error && !tapir_session_ending(); i++)
		if (tapir_module.probes[i].kind == &tapir_kind_perf)
			error = tapir_perf_arm_probe(i);
	mutex_unlock(&tapir_perf_mutex);
	if (error)
		tapir_perf_disarm();
	return error;
}

const struct tapir_kind_ops tapir_kind_perf = {
    TAPIR_KIND_LISTED(perf),   TAPIR_KIND_WAY(Profile),	      .arm = tapir_perf_arm,
    .rearm = tapir_perf_rearm, .stretch = tapir_perf_stretch, .disarm = tapir_perf_disarm,
};
