// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tapir/port.h for BPF: mutual exclusion. In a lock, word 0 is the holder's mark and word 1 counts contention.
 *
 * Interrupts stay on: BPF has no way to turn them off that all kernels know. The kernel does not run a second program of this kind
 * above one on the same processor, so no holder is interrupted by another handler.
 */
#include <tapir/context.h>
#include <tapir/port.h>
#include "helpers.h"
#include "bpf_state.h"

/* A holder on another CPU is done well before. */
#define SPINS 20000u

u64 tapir_port_irq_save(void)
{
	return 0;
}

void tapir_port_irq_restore(u64 flags)
{
	(void)flags;
}

static inline bool try_once(struct tapir_lock *lock)
{
	return __sync_lock_test_and_set(&lock->opaque[0], 1) == 0;
}

bool tapir_port_trylock(struct tapir_lock *lock)
{
	u32 spins;

	if (TAPIR_LIKELY(try_once(lock)))
		return true;
	for (spins = 0; spins < SPINS; spins++) {
		if (*(volatile u64 *)&lock->opaque[0] == 0 && try_once(lock)) {
			lock->opaque[1]++;
			return true;
		}
	}
	return false;
}

bool tapir_port_lock_patiently(struct tapir_lock *lock)
{
	return tapir_port_trylock(lock);
}

void tapir_port_lock(struct tapir_lock *lock)
{
	if (TAPIR_UNLIKELY(!tapir_port_trylock(lock)))
		tapir_bpf.cpus[bpf_get_smp_processor_id()].stuck++;
}

void tapir_port_unlock(struct tapir_lock *lock)
{
	*(volatile u64 *)&lock->opaque[0] = 0;
}

u64 tapir_port_lock_contended(const struct tapir_lock *lock)
{
	return *(const volatile u64 *)&lock->opaque[1];
}

bool tapir_port_nested(const struct tapir_ctx *c)
{
	(void)c;
	return false;
}

u64 tapir_port_tending_begin(void)
{
	return 0;
}

void tapir_port_tending_end(u64 state)
{
	(void)state;
}
