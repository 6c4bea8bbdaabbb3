// SPDX-License-Identifier: GPL-2.0-or-later
/* The life of a script in a process. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host/host.h"
#include "handler.h"

static bool wants(const struct tapir_probe *p)
{
	return !p->condition || p->condition->holds();
}

static int by_order(const void *a, const void *b)
{
	const struct tapir_probe *x = *(const struct tapir_probe *const *)a, *y = *(const struct tapir_probe *const *)b;
	const struct tapir_begin_arg *m = x->arg, *n = y->arg;

	if (m->order != n->order)
		return m->order < n->order ? -1 : 1;
	return x < y ? -1 : 1;
}

/* More errors than MAXERRORS. */
static bool has_failed(void)
{
	return !tapir_host.suppress_errors && tapir_host_errors() > tapir_port_limit(TAPIR_LIMIT_MAXERRORS);
}

/* Begin, end or error probes, ascending; begin probes stop at exit(), all but error probes at a failure. */
static void run_phase(u8 phase)
{
	const struct tapir_probe **list = calloc(tapir_module.nprobes + 1, sizeof(*list));
	u32 n = 0, i;

	if (!list)
		abort();
	for (i = 0; i < tapir_module.nprobes; i++) {
		const struct tapir_probe *p = &tapir_module.probes[i];

		if (p->kind == &tapir_kind_begin && ((const struct tapir_begin_arg *)p->arg)->phase == phase)
			list[n++] = p;
	}
	qsort(list, n, sizeof(*list), by_order);
	for (i = 0; i < n; i++) {
		if ((phase == TAPIR_PHASE_BEGIN && tapir_host_exit_requested()) || (phase != TAPIR_PHASE_ERROR && has_failed()))
			break;
		if (wants(list[i]))
			tapir_host_hit(0, TAPIR_LEVEL_SESSION, list[i]);
	}
	free(list);
}

/* ---- simulated hits ---- */

struct hitter {
	pthread_t thread;
	u32 cpu;
	u64 hits;
};

static void *hit_functions(void *arg)
{
	struct hitter *h = arg;
	u64 n;
	u32 i;

	for (n = 0; n < h->hits; n++) {
		for (i = 0; i < tapir_module.nprobes; i++) {
			if (tapir_module.probes[i].kind == &tapir_kind_function && wants(&tapir_module.probes[i]))
				tapir_host_hit(h->cpu, TAPIR_LEVEL_TASK, &tapir_module.probes[i]);
		}
	}
	return NULL;
}

static void run_hits(u32 threads, u64 hits)
{
	struct hitter *list = calloc(threads + 1, sizeof(*list));
	u32 i;

	if (!list)
		abort();
	for (i = 0; i < threads; i++) {
		list[i].cpu = i;
		list[i].hits = hits;
		if (pthread_create(&list[i].thread, NULL, hit_functions, &list[i]))
			abort();
	}
	for (i = 0; i < threads; i++)
		pthread_join(list[i].thread, NULL);
	free(list);
}

/* ---- timers ---- */

static s64 interval(const struct tapir_timer_arg *t)
{
	u64 unit = t->jiffies ? 1000000000ull / (u64)tapir_port_hz() : 1;
	s64 period = (s64)(t->period * unit);

	if (t->randomize)
		period += tapir_port_random((s64)(2 * t->randomize * unit) + 1) - (s64)(t->randomize * unit);
	return period > 0 ? period : 1;
}

static void sleep_ns(s64 ns)
{
	struct timespec t = {ns / 1000000000, ns % 1000000000};

	nanosleep(&t, NULL);
}

/* One loop for all: the next due timer in turn, until exit() or the time is over. */
static void run_timers(double seconds)
{
	s64 *due = calloc(tapir_module.nprobes + 1, sizeof(*due));
	s64 now = tapir_port_ktime_ns(), end = seconds > 0 ? now + (s64)(seconds * 1e9) : 0x7fffffffffffffffll;
	u32 i;

	if (!due)
		abort();
	for (i = 0; i < tapir_module.nprobes; i++) {
		if (tapir_module.probes[i].kind == &tapir_kind_timer)
			due[i] = now + interval(tapir_module.probes[i].arg);
	}
	while (!tapir_host_exit_requested()) {
		s64 first = end;
		u32 which = tapir_module.nprobes;

		for (i = 0; i < tapir_module.nprobes; i++) {
			if (due[i] && due[i] < first) {
				first = due[i];
				which = i;
			}
		}
		if (first == 0x7fffffffffffffffll)
			break; /* nothing can happen any more */
		now = tapir_port_ktime_ns();
		if (first > now)
			sleep_ns(first - now);
		if (which == tapir_module.nprobes)
			break;
		due[which] += interval(tapir_module.probes[which].arg);
		if (wants(&tapir_module.probes[which]))
			tapir_host_hit(0, TAPIR_LEVEL_HARDIRQ, &tapir_module.probes[which]);
	}
	free(due);
}

/* ---- start and end ---- */

static int set_values(const char *const *values)
{
	for (; values && *values; values++) {
		const char *equals = strchr(*values, '=');
		char name[TAPIR_NAME_MAX];

		if (!equals || (size_t)(equals - *values) >= sizeof(name)) {
			fprintf(stderr, "ERROR: Invalid parameters: '%s' is not name=value\n", *values);
			return 1;
		}
		memcpy(name, *values, (size_t)(equals - *values));
		name[equals - *values] = 0;
		if (tapir_global_set(name, equals + 1)) {
			fprintf(stderr, "ERROR: Invalid parameters: cannot set '%s'\n", *values);
			return 1;
		}
	}
	return 0;
}

static u64 skipped(void)
{
	u64 sum = 0;
	u32 i, reason;

	for (i = 0; i < tapir_module.nprobes; i++) {
		for (reason = 0; reason < TAPIR_SKIPS; reason++)
			sum += tapir_host_probe_of(&tapir_module.probes[i])->skipped[reason];
	}
	return sum;
}

int tapir_host_run(const struct tapir_host_options *run)
{
	struct tapir_ctx *c;

	tapir_host_reset();
	c = tapir_host_enter(0, TAPIR_LEVEL_SESSION, NULL);
	if (!tapir_globals_create(c, (u32)tapir_port_limit(TAPIR_LIMIT_MAXMAPENTRIES))) {
		fprintf(stderr, "ERROR: %s\n", c->message);
		return 1;
	}
	tapir_host_leave(c);
	if (tapir_module.init_globals)
		tapir_module.init_globals();
	if (set_values(run->values)) {
		tapir_globals_destroy();
		return 1;
	}
	run_phase(TAPIR_PHASE_BEGIN);
	if (!tapir_host_exit_requested())
		run_hits(run->threads, run->hits);
	if (!tapir_host_exit_requested())
		run_timers(run->seconds);
	if (!has_failed())
		run_phase(TAPIR_PHASE_END);
	if (has_failed())
		run_phase(TAPIR_PHASE_ERROR);
	tapir_globals_destroy();
	fflush(stdout);
	if (tapir_host_errors() || skipped())
		fprintf(stderr, "WARNING: Number of errors: %llu, skipped probes: %llu\n", (unsigned long long)tapir_host_errors(),
			(unsigned long long)skipped());
	return tapir_host_errors() && !tapir_host.suppress_errors ? 1 : 0;
}
