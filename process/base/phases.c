// SPDX-License-Identifier: GPL-2.0-or-later
/* The beginning and the end of a script in a process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process/base/base.h"
#include "handler.h"

bool tapir_host_wants(const struct tapir_probe *p)
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

bool tapir_host_has_failed(void)
{
	return !tapir_host.suppress_errors && tapir_host_errors() > tapir_port_limit(TAPIR_LIMIT_MAXERRORS);
}

void tapir_host_run_phase(u8 phase)
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
		if ((phase == TAPIR_PHASE_BEGIN && tapir_host_exit_requested()) ||
		    (phase != TAPIR_PHASE_ERROR && tapir_host_has_failed()))
			break;
		if (tapir_host_wants(list[i]))
			tapir_host_hit(0, TAPIR_LEVEL_SESSION, list[i]);
	}
	free(list);
}

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

int tapir_host_prepare(const char *const *values)
{
	struct tapir_ctx *c;

	tapir_host_reset();
	tapir_pace_set((s64)tapir_port_limit(TAPIR_LIMIT_MAXACTION_INTERRUPTIBLE), tapir_port_limit(TAPIR_LIMIT_MAXTIME));
	c = tapir_host_enter(0, TAPIR_LEVEL_SESSION, NULL);
	if (tapir_module.init_globals)
		tapir_module.init_globals();
	if (set_values(values)) {
		tapir_host_leave(c);
		return 1;
	}
	if (!tapir_settings_apply(c) || !tapir_globals_create(c, (u32)tapir_port_limit(TAPIR_LIMIT_MAXMAPENTRIES))) {
		fprintf(stderr, "ERROR: %s\n", c->message);
		return 1;
	}
	tapir_host_leave(c);
	return 0;
}

u64 tapir_host_skipped(void)
{
	u64 sum = 0;
	u32 i, reason;

	for (i = 0; i < tapir_module.nprobes; i++) {
		for (reason = 0; reason < TAPIR_SKIPS; reason++)
			sum += tapir_host_probe_of(&tapir_module.probes[i])->skipped[reason];
	}
	return sum;
}
