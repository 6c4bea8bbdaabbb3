// SPDX-License-Identifier: GPL-2.0-or-later
/* tapir/port.h for a process: counters and limits. */
#include <stdlib.h>
#include <string.h>

#include <tapir/limit_names.h>

#include "process/base/base.h"
#include "handler.h"

struct tapir_host_config tapir_host = {.ncpus = 4};

static struct tapir_host_probe *probes;
static bool exit_requested;
static u64 errors;
static u64 cuts[TAPIR_CUTS];

bool tapir_host_set_limit(const char *text, u64 interruptible)
{
	const char *equals = strchr(text, '=');
	u32 i;

	for (i = 0; equals && i < TAPIR_LIMITS; i++) {
		const char *name = tapir_limit_names[i];

		if (strlen(name) != (size_t)(equals - text) || strncmp(name, text, (size_t)(equals - text)))
			continue;
		tapir_host.limits[i] = strtoull(equals + 1, NULL, 0);
		if (i == TAPIR_LIMIT_MAXACTION)
			tapir_host.limits[TAPIR_LIMIT_MAXACTION_INTERRUPTIBLE] = interruptible * tapir_host.limits[i];
		return true;
	}
	return false;
}

void tapir_host_reset(void)
{
	free(probes);
	probes = calloc(tapir_module.nprobes + 1, sizeof(*probes));
	if (!probes)
		abort();
	exit_requested = false;
	errors = 0;
	memset(cuts, 0, sizeof(cuts));
}

struct tapir_host_probe *tapir_host_probe_of(const struct tapir_probe *probe)
{
	if (!probes)
		tapir_host_reset();
	if (!probe || probe < tapir_module.probes || probe >= tapir_module.probes + tapir_module.nprobes)
		return &probes[tapir_module.nprobes];
	return &probes[probe - tapir_module.probes];
}

bool tapir_host_exit_requested(void)
{
	return __atomic_load_n(&exit_requested, __ATOMIC_ACQUIRE);
}

u64 tapir_host_errors(void)
{
	return __atomic_load_n(&errors, __ATOMIC_ACQUIRE);
}

u64 tapir_host_cut(u32 what)
{
	return __atomic_load_n(&cuts[what], __ATOMIC_ACQUIRE);
}

void tapir_port_count_cut(u32 what)
{
	__atomic_fetch_add(&cuts[what], 1, __ATOMIC_RELAXED);
}

bool tapir_host_fails(u64 *countdown)
{
	u64 n = __atomic_load_n(countdown, __ATOMIC_RELAXED);

	while (n && !__atomic_compare_exchange_n(countdown, &n, n - 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	return n == 1;
}

void tapir_port_request_exit(struct tapir_ctx *c)
{
	(void)c;
	__atomic_store_n(&exit_requested, true, __ATOMIC_RELEASE);
}

void tapir_port_count_skip(struct tapir_ctx *c, u32 reason)
{
	__atomic_add_fetch(&tapir_host_probe_of(c->probe)->skipped[reason], 1, __ATOMIC_RELAXED);
}

/* Nothing is attached here: every simulated hit asks its condition. */
void tapir_port_condition_changed(void)
{
}

bool tapir_port_count_error(struct tapir_ctx *c)
{
	u64 n = __atomic_add_fetch(&errors, 1, __ATOMIC_ACQ_REL);

	__atomic_add_fetch(&tapir_host_probe_of(c->probe)->errors, 1, __ATOMIC_RELAXED);
	if (tapir_host.suppress_errors)
		return false;
	if (n > tapir_port_limit(TAPIR_LIMIT_MAXERRORS))
		tapir_port_request_exit(c);
	return true;
}

u64 tapir_port_limit(u32 limit)
{
	if (tapir_host.limits[limit])
		return tapir_host.limits[limit];
	return tapir_module_limit(limit);
}
