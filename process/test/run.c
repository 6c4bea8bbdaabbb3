// SPDX-License-Identifier: GPL-2.0-or-later
/* The life of a script in a process. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "process/test/host.h"
#include "handler.h"

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
			if (tapir_module.probes[i].kind == &tapir_kind_function && tapir_host_wants(&tapir_module.probes[i]))
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
		if (tapir_host_wants(&tapir_module.probes[which]))
			tapir_host_hit(0, tapir_module.probes[which].report ? TAPIR_LEVEL_REPORT : TAPIR_LEVEL_HARDIRQ,
				       &tapir_module.probes[which]);
	}
	free(due);
}

/* ---- start and end ---- */

int tapir_host_run(const struct tapir_host_options *run)
{
	if (tapir_host_prepare(run->values))
		return 1;
	tapir_host_run_phase(TAPIR_PHASE_BEGIN);
	if (!tapir_host_exit_requested())
		run_hits(run->threads, run->hits);
	if (!tapir_host_exit_requested())
		run_timers(run->seconds);
	if (!tapir_host_has_failed())
		tapir_host_run_phase(TAPIR_PHASE_END);
	if (tapir_host_has_failed())
		tapir_host_run_phase(TAPIR_PHASE_ERROR);
	tapir_globals_destroy();
	fflush(stdout);
	if (tapir_host_errors() || tapir_host_skipped())
		fprintf(stderr, "WARNING: Number of errors: %llu, skipped probes: %llu\n", (unsigned long long)tapir_host_errors(),
			(unsigned long long)tapir_host_skipped());
	return tapir_host_errors() && !tapir_host.suppress_errors ? 1 : 0;
}
