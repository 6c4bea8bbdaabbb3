// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf.type(T).config(C).process("P").counter("NAME"): a kernel counter for each thread that runs the program. There are no hits;
 * handlers read what their own thread has counted.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <tapir/context.h>
#include <tapir/port.h>
#include "kind.h"
#include "perf_count.h"
#include "report.h"
#include "task_events.h"

#define TAPIR_TASK_COUNTERS 32 /* names that one script may have */

struct tapir_task_counter {
	const char *name; /* NULL: no more */
	u64 total;	  /* of all threads, once disarmed */
};
static struct tapir_task_counter tapir_task_counters[TAPIR_TASK_COUNTERS + 1];
static bool tapir_task_counters_armed;

static const struct tapir_task_counter_arg *tapir_task_counter_arg(const struct tapir_task_probe *p)
{
	return container_of(p->arg, struct tapir_task_counter_arg, task);
}

/* The period is 0: nothing overflows. */
static void tapir_task_counter_hit(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
}

static void tapir_task_counter_attr(const struct tapir_task_counter_arg *arg, struct perf_event_attr *attr)
{
	*attr = (struct perf_event_attr){.type = arg->type, .size = sizeof(*attr), .config = arg->config};
	/* Threads that are switched for each other may exchange their events, not what these have counted. */
	attr->inherit_stat = 1;
	attr->exclude_guest = arg->type != PERF_TYPE_SOFTWARE;
	/* Never by turns with others: a part of the events would be no answer. */
	attr->pinned = attr->exclude_guest;
}

static void tapir_task_counter_describe(const struct tapir_task_probe *p, u64 bias, struct perf_event_attr *attr)
{
	tapir_task_counter_attr(tapir_task_counter_arg(p), attr);
}

static struct tapir_task_events tapir_task_counts = {
    .probes = {.kind = &tapir_kind_task_counter},
    .describe = tapir_task_counter_describe,
    .hit = tapir_task_counter_hit,
    .verb = "counted",
};

/* ---- reading ---- */

static s64 tapir_task_counter_total(const char *name)
{
	const struct tapir_task_counter *counter = tapir_task_counters;

	while (counter->name && strcmp(counter->name, name))
		counter++;
	return counter->total;
}

/* Does the current process run the program, without having got to its first instruction? */
static bool tapir_task_counter_waits(const struct tapir_ctx *c, const struct tapir_task_probe *p)
{
	if (!p->wanted || p->refused || c->level == TAPIR_LEVEL_NMI || !tapir_is_process(current))
		return false;
	return p->probe->program == tapir_running(current->mm) && tapir_whose_has(&p->probe->whose, current);
}

/* Several files of one pattern have the same name. */
static bool tapir_task_counter_read(struct tapir_ctx *c, const char *name, s64 *count)
{
	const struct tapir_task_probe *p;
	struct perf_event *event;
	u32 i;

	for (i = 0; i < tapir_task_counts.probes.count; i++) {
		p = &tapir_task_counts.list[i];
		if (strcmp(tapir_task_counter_arg(p)->name, name))
			continue;
		event = tapir_task_event_own(p);
		if (!event && !tapir_task_counter_waits(c, p))
			continue;
		*count = event ? tapir_perf_count(c, event) : 0;
		return true;
	}
	return false;
}

s64 tapir_port_task_counter(struct tapir_ctx *c, const char *name)
{
	s64 count = 0;

	if (c->level == TAPIR_LEVEL_SESSION)
		return tapir_task_counter_total(name);
	rcu_read_lock();
	if (!READ_ONCE(tapir_task_counters_armed) || !tapir_task_counter_read(c, name, &count))
		tapir_errorf(c, NULL, "no events of this thread are counted as '%s'", name);
	rcu_read_unlock();
	return count;
}

/* ---- arming ---- */

/* The counter of this name; NULL: all are taken. */
static struct tapir_task_counter *tapir_task_counter_of(const char *name)
{
	struct tapir_task_counter *counter = tapir_task_counters;

	while (counter->name && strcmp(counter->name, name))
		counter++;
	if (counter == tapir_task_counters + TAPIR_TASK_COUNTERS)
		return NULL;
	counter->name = name;
	return counter;
}

/* Can such an event be counted at all? -errno: reported, unless the probe may do without. */
static int tapir_task_counter_try(u32 probe)
{
	const struct tapir_task_counter_arg *arg = tapir_module.probes[probe].arg;
	const char *point = tapir_module.probes[probe].point;
	struct perf_event_attr attr;
	struct perf_event *event;
	int error;

	if (!tapir_task_counter_of(arg->name)) {
		tapir_session_fail(TAPIR_TEXT(TooManyCounters), point);
		return -EEXIST;
	}
	tapir_task_counter_attr(arg, &attr);
	attr.disabled = 1;
	event = perf_event_create_kernel_counter(&attr, -1, current, tapir_task_counter_hit, NULL);
	error = PTR_ERR_OR_ZERO(event);
	if (!error)
		perf_event_release_kernel(event);
	if (!error || arg->task.process.optional)
		return 0;
	tapir_perf_fail(point, arg->type, arg->config, error);
	return error;
}

static int tapir_task_counter_arm(void)
{
	int error = 0;
	u32 i;

	memset(tapir_task_counters, 0, sizeof(tapir_task_counters));
	for (i = 0; i < tapir_module.nprobes && !error; i++)
		if (tapir_module.probes[i].kind == &tapir_kind_task_counter)
			error = tapir_task_counter_try(i);
	if (!error)
		error = tapir_task_events_arm(&tapir_task_counts);
	if (error)
		return error;
	/* Handlers of other kinds may be reading. */
	smp_store_release(&tapir_task_counters_armed, true);
	return 0;
}

static void tapir_task_counter_rearm(void)
{
	tapir_task_events_rearm(&tapir_task_counts);
}

static void tapir_task_counter_disarm(void)
{
	const struct tapir_task_probe *p;
	u32 i;

	WRITE_ONCE(tapir_task_counters_armed, false);
	tapir_task_events_disarm(&tapir_task_counts);
	for (i = 0; i < tapir_task_counts.probes.count; i++) {
		p = &tapir_task_counts.list[i];
		tapir_task_counter_of(tapir_task_counter_arg(p)->name)->total += p->counted;
	}
	tapir_task_events_free(&tapir_task_counts);
}

const struct tapir_kind_ops tapir_kind_task_counter = {
    TAPIR_KIND_LISTED(task_counter),
    .arm = tapir_task_counter_arm,
    .rearm = tapir_task_counter_rearm,
    .disarm = tapir_task_counter_disarm,
    .pid_at = offsetof(struct tapir_task_counter_arg, task.process.pid),
};
