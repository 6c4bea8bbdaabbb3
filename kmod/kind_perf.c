// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Performance events: one kernel counter per probe and online CPU. A hit is an overflow: in an NMI where the event comes from the
 * processor, in a hard interrupt for clocks, where it happened for other software events.
 *
 * The events of a CPU that goes away are dead, and must be made anew when it comes back. That cannot be done in the hotplug
 * callbacks themselves (creating and releasing software events waits for the hotplug lock), so these only leave notes for a work
 * item.
 */
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/workqueue.h>
#include "condition.h"
#include "context.h"
#include "kind.h"

/* A clock must not take the machine: as timers. */
#define TAPIR_PERF_MIN_NS    50000u
#define TAPIR_PERF_MAX_HERTZ (1000000000u / TAPIR_PERF_MIN_NS)

struct tapir_perf {
	struct tapir_hook hook;
	u32 probe;
	bool enabled;
	struct perf_event *__percpu *events; /* NULL where the CPU is off */
};
static struct tapir_perf *tapir_perfs;
static u32 tapir_nperfs;
static int tapir_perf_hotplug = -1;
static struct cpumask tapir_perf_stale; /* CPUs that went away since their events were made */
static DEFINE_MUTEX(tapir_perf_mutex);	/* the events */

static void tapir_perf_overflow(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	const struct tapir_perf *p = event->overflow_handler_context;

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
	if (arg->period) {
		attr->sample_period = is_clock ? max_t(u64, arg->period, TAPIR_PERF_MIN_NS) : arg->period;
	} else {
		attr->freq = 1;
		attr->sample_freq = arg->frequency ? arg->frequency : HZ;
		if (is_clock)
			attr->sample_freq = min_t(u64, attr->sample_freq, TAPIR_PERF_MAX_HERTZ);
	}
}

/* The event of a CPU that has none. -ENODEV: the CPU is off. Under the mutex. */
static int tapir_perf_create(struct tapir_perf *p, int cpu)
{
	struct perf_event **slot = per_cpu_ptr(p->events, cpu);
	struct perf_event_attr attr;
	struct perf_event *event;

	if (*slot)
		return 0;
	tapir_perf_attr(&attr, p->hook.probe->arg);
	attr.disabled = !p->enabled;
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, tapir_perf_overflow, p);
	if (IS_ERR(event))
		return PTR_ERR(event);
	*slot = event;
	return 0;
}

static void tapir_perf_release(struct tapir_perf *p, int cpu)
{
	struct perf_event **slot = per_cpu_ptr(p->events, cpu);

	if (*slot)
		perf_event_release_kernel(*slot);
	*slot = NULL;
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

static void tapir_perf_disarm(void)
{
	u32 i;
	int cpu;

	if (tapir_perf_hotplug >= 0)
		cpuhp_remove_state_nocalls(tapir_perf_hotplug);
	tapir_perf_hotplug = -1;
	cancel_work_sync(&tapir_perf_work);
	for (i = 0; i < tapir_nperfs; i++)
		for_each_possible_cpu(cpu)
			tapir_perf_release(&tapir_perfs[i], cpu);
	/* A release only makes sure that nothing begins any more. */
	synchronize_rcu();
	for (i = 0; i < tapir_nperfs; i++)
		free_percpu(tapir_perfs[i].events);
	kfree(tapir_perfs);
	tapir_perfs = NULL;
	tapir_nperfs = 0;
}

static int tapir_perf_refused(const struct tapir_perf *p, int error)
{
	const struct tapir_perf_arg *arg = p->hook.probe->arg;
	const char *point = p->hook.probe->point;

	if (arg->optional)
		return 0;
	if (error == -ENOENT || error == -EOPNOTSUPP || error == -EINVAL)
		tapir_session_fail(
		    "probe %s registration error: this machine has no performance event of type %u with configuration %llu", point,
		    arg->type, arg->config);
	else
		tapir_session_fail("probe %s registration error: the performance event cannot be counted (error %d)", point, error);
	return error;
}

/* One probe, on all CPUs that are on. */
static int tapir_perf_arm_probe(u32 probe)
{
	struct tapir_perf *p = &tapir_perfs[tapir_nperfs];
	int cpu, error = 0;

	p->events = alloc_percpu(struct perf_event *);
	if (!p->events) {
		tapir_session_fail("not enough memory for performance events");
		return -ENOMEM;
	}
	p->hook = tapir_hook_of(probe);
	p->probe = probe;
	p->enabled = tapir_probe_wanted(probe);
	tapir_nperfs++;
	for_each_online_cpu(cpu) {
		error = tapir_perf_create(p, cpu);
		if (error && error != -ENODEV)
			return tapir_perf_refused(p, error);
	}
	tapir_ledger_add_attached(probe, 1);
	return 0;
}

static int tapir_perf_arm(void)
{
	u32 i, count = tapir_kind_probes(&tapir_kind_perf);
	int error;

	tapir_perfs = kcalloc(count, sizeof(*tapir_perfs), GFP_KERNEL);
	if (!tapir_perfs) {
		tapir_session_fail("not enough memory for %u performance events", count);
		return -ENOMEM;
	}
	cpumask_clear(&tapir_perf_stale);
	error = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "tapir:perf", tapir_perf_cpu_online, tapir_perf_cpu_offline);
	if (error < 0) {
		tapir_session_fail("cannot follow CPUs that come and go (error %d)", error);
		kfree(tapir_perfs);
		tapir_perfs = NULL;
		return error;
	}
	tapir_perf_hotplug = error;
	error = 0;
	mutex_lock(&tapir_perf_mutex);
	for (i = 0; i < tapir_module.nprobes && !error; i++)
		if (tapir_module.probes[i].kind == &tapir_kind_perf)
			error = tapir_perf_arm_probe(i);
	mutex_unlock(&tapir_perf_mutex);
	if (error)
		tapir_perf_disarm();
	return error;
}

const struct tapir_kind_ops tapir_kind_perf = {
    .name = "perf",
    .arm = tapir_perf_arm,
    .rearm = tapir_perf_rearm,
    .disarm = tapir_perf_disarm,
};
