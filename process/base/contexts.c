// SPDX-License-Identifier: GPL-2.0-or-later
/* Handler contexts of a process, one per CPU and level, and hits. */
#include <pthread.h>
#include <stdlib.h>

#include <tapir/stacks.h>

#include "process/base/base.h"
#include "handler.h"

#define TAPIR_KIND(Name, name, LEAF, registers, flags) const struct tapir_kind_ops tapir_kind_##name = {#name, TAPIR_LEAF_##LEAF};
#include <tapir/kinds.def>

static struct tapir_ctx *contexts[TAPIR_HOST_CPUS_MAX][TAPIR_LEVELS];
static u32 active[TAPIR_HOST_CPUS_MAX]; /* bit per level */
static pthread_mutex_t create_mutex = PTHREAD_MUTEX_INITIALIZER;

static struct tapir_ctx *create(u32 cpu, u8 level)
{
	struct tapir_ctx *c = calloc(1, sizeof(*c));

	if (!c)
		abort();
	c->cpu = cpu;
	c->level = level;
	c->may_wait = level >= TAPIR_LEVEL_SESSION;
	c->out = malloc(TAPIR_OUTPUT_MAX);
	c->frame = aligned_alloc(64, (tapir_module.frame_bytes + 127u) & ~63u);
	c->scratch = malloc(TAPIR_SCRATCH_BYTES);
	c->stacks = calloc(1, tapir_stacks_space + tapir_user_stacks_space);
	if (!c->out || !c->frame || !c->scratch || !c->stacks)
		abort();
	return c;
}

struct tapir_ctx *tapir_host_enter(u32 cpu, u8 level, const struct tapir_probe *probe)
{
	struct tapir_ctx *c = __atomic_load_n(&contexts[cpu][level], __ATOMIC_ACQUIRE);

	if (!c) {
		pthread_mutex_lock(&create_mutex);
		c = contexts[cpu][level];
		if (!c) {
			c = create(cpu, level);
			__atomic_store_n(&contexts[cpu][level], c, __ATOMIC_RELEASE);
		}
		pthread_mutex_unlock(&create_mutex);
	}
	__atomic_or_fetch(&active[cpu], 1u << level, __ATOMIC_RELAXED);
	tapir_handler_start(c, probe, (s64)tapir_port_limit(TAPIR_LIMIT_MAXACTION_INTERRUPTIBLE));
	return c;
}

void tapir_host_leave(struct tapir_ctx *c)
{
	__atomic_and_fetch(&active[c->cpu], ~(1u << c->level), __ATOMIC_RELAXED);
	if (!tapir_host.idle)
		tapir_host_tend();
}

bool tapir_port_nested(const struct tapir_ctx *c)
{
	return c->level != TAPIR_LEVEL_SESSION && __atomic_load_n(&active[c->cpu], __ATOMIC_RELAXED) & ((1u << c->level) - 1);
}

/* Nothing is at a probe's place here: a leaf reads 0 for all facts about a hit. */
static void tapir_host_leaf(const struct tapir_probe *probe, u32 cpu)
{
	static const u64 registers[32];

	switch (probe->kind->leaf) {
	case TAPIR_LEAF_REGISTERS:
		probe->leaf.registers(cpu, registers);
		break;
	case TAPIR_LEAF_ARGUMENTS:
		probe->leaf.arguments(cpu, 0, 0, 0, 0, 0);
		break;
	default:
		probe->leaf.plain(cpu);
	}
}

void tapir_host_hit(u32 cpu, u8 level, const struct tapir_probe *probe)
{
	struct tapir_host_probe *counters = tapir_host_probe_of(probe);
	struct tapir_ctx *c;

	__atomic_add_fetch(&counters->hits, 1, __ATOMIC_RELAXED);
	if (probe->leaf.plain) {
		tapir_host_leaf(probe, cpu);
		__atomic_add_fetch(&counters->handled, 1, __ATOMIC_RELAXED);
		return;
	}
	if (probe->attempt && probe->attempt(NULL, cpu)) {
		__atomic_add_fetch(&counters->handled, 1, __ATOMIC_RELAXED);
		return;
	}
	c = tapir_host_enter(cpu, level, probe);
	tapir_host_describe(c);
	probe->handler(c);
	tapir_handler_finish(c);
	if (c->failed != TAPIR_FAIL_SKIP)
		__atomic_add_fetch(&counters->handled, 1, __ATOMIC_RELAXED);
	tapir_host_leave(c);
}
