// SPDX-License-Identifier: GPL-2.0-or-later
/* tapir/port.h for BPF: output, limits and counts. */
#include <tapir/context.h>
#include <tapir/port.h>
#include <tapir/wire.h>
#include "helpers.h"
#include "memory.h"
#include "bpf_state.h"

struct tapir_bpf_state tapir_bpf;
/* Numbers that the verifier does not know (bpf/compile/casts.cc), and a word for fences. */
volatile u64 tapir_bpf_zero;
u64 tapir_bpf_fence;
/* Loops that the limit of turns of the verifier ended (bpf/link/program.cc): a fault of ours. */
u64 tapir_bpf_looped;

static struct tapir_bpf_cpu *this_cpu(const struct tapir_ctx *c)
{
	return &tapir_bpf.cpus[c->cpu];
}

static void count(u64 *word)
{
	(void)__atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
}

bool tapir_port_emit(struct tapir_ctx *c, u8 type, const void *data, u32 length)
{
	struct tapir_bpf_ring *ring = &this_cpu(c)->ring;
	u64 bytes = TAPIR_RECORD_SIZE(length), at = ring->head & (ring->bytes - 1), left = ring->bytes - at, skip = 0;
	u64 now = (u64)bpf_ktime_get_ns();
	struct tapir_record *record;

	if (left < bytes)
		skip = left;
	if (ring->head + skip + bytes - *(volatile u64 *)&ring->tail > ring->bytes) {
		ring->dropped++;
		return false;
	}
	if (skip) {
		/* Records are multiples of 8 bytes, so there is room for the length at least. */
		*(volatile u64 *)(ring->data + at) = 0;
		at = 0;
	}
	if (now <= c->time)
		now = c->time + 1;
	c->time = now;
	record = (struct tapir_record *)(ring->data + at);
	record->time = now;
	record->length = length;
	record->type = type;
	record->level = c->level;
	record->cpu = (u16)c->cpu;
	tapir_bpf_copy((char *)(record + 1), data, (length + 7u) & ~7u);
	ring->records++;
	__atomic_thread_fence(__ATOMIC_RELEASE);
	*(volatile u64 *)&ring->head = ring->head + skip + bytes;
	return true;
}

void tapir_port_request_exit(struct tapir_ctx *c)
{
	(void)c;
	*(volatile u64 *)&tapir_bpf.exit = 1;
}

bool tapir_port_pause(struct tapir_ctx *c)
{
	(void)c;
	return true;
}

u64 tapir_port_work_ns(void)
{
	return (u64)bpf_ktime_get_ns();
}

bool tapir_port_work_is_own(void)
{
	return false;
}

void tapir_port_condition_changed(void)
{
	*(volatile u64 *)&tapir_bpf.conditions = 1;
}

void tapir_port_count_skip(struct tapir_ctx *c, u32 reason)
{
	count(&TAPIR_BPF_COUNTS(c)->skipped[reason & 7]);
}

void tapir_port_count_cut(u32 what)
{
	count(&tapir_bpf.cuts[what & 7]);
}

bool tapir_port_count_error(struct tapir_ctx *c)
{
	count(&TAPIR_BPF_COUNTS(c)->errors);
	if (__atomic_fetch_add(&tapir_bpf.errors, 1, __ATOMIC_RELAXED) >= tapir_bpf.limits[TAPIR_LIMIT_MAXERRORS])
		*(volatile u64 *)&tapir_bpf.exit = 1;
	return true;
}

u64 tapir_port_limit(u32 limit)
{
	return limit < TAPIR_LIMITS ? tapir_bpf.limits[limit] : 0;
}

u32 tapir_port_ncpus(void)
{
	return tapir_bpf.ncpus;
}

u32 tapir_port_processors(const u16 **numbers)
{
	*numbers = tapir_bpf.processors;
	return tapir_bpf.nprocessors;
}

/* The loader looks at these when it wakes. */
void tapir_port_grow(void)
{
	*(volatile u64 *)&tapir_bpf.grow = 1;
}

void tapir_port_tend(void)
{
	*(volatile u64 *)&tapir_bpf.tend = 1;
}

void tapir_port_grow_now(void)
{
	tapir_port_grow();
}

/*
 * Memory is the loader's to give. Code of the session level asks for it, which the loader runs with functions of its own in the
 * place of these. They are weak so that no compiler builds their results in.
 */
__attribute__((__weak__)) void *tapir_port_alloc(u64 bytes)
{
	(void)bytes;
	return NULL;
}

__attribute__((__weak__)) void tapir_port_free(void *p)
{
	(void)p;
}

__attribute__((__weak__)) u64 tapir_port_room(void)
{
	return 0;
}
