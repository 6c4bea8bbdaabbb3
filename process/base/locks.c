// SPDX-License-Identifier: GPL-2.0-or-later
/* tapir/port.h for a process: mutual exclusion. In a lock, word 0 is the holder's mark, word 1 counts contention. */
#include <sched.h>

#include "process/base/base.h"
#include "handler.h"

#define TRY_SPINS 20000

u64 tapir_port_irq_save(void)
{
	return 0;
}

void tapir_port_irq_restore(u64 flags)
{
	(void)flags;
}

static bool try_once(struct tapir_lock *lock)
{
	u64 expected = 0;

	return __atomic_compare_exchange_n(&lock->opaque[0], &expected, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

void tapir_port_lock(struct tapir_lock *lock)
{
	u32 spins = 0;

	if (try_once(lock))
		return;
	__atomic_add_fetch(&lock->opaque[1], 1, __ATOMIC_RELAXED);
	while (!try_once(lock)) {
		if (++spins % 64 == 0)
			sched_yield();
	}
}

bool tapir_port_lock_patiently(struct tapir_lock *lock)
{
	if (tapir_host_fails(&tapir_host.fail_lock))
		return false;
	tapir_port_lock(lock);
	return true;
}

bool tapir_port_trylock(struct tapir_lock *lock)
{
	u32 spins;

	if (try_once(lock))
		return true;
	__atomic_add_fetch(&lock->opaque[1], 1, __ATOMIC_RELAXED);
	for (spins = 0; spins < TRY_SPINS; spins++) {
		if (try_once(lock))
			return true;
		if (spins % 64 == 63)
			sched_yield();
	}
	return false;
}

void tapir_port_unlock(struct tapir_lock *lock)
{
	__atomic_store_n(&lock->opaque[0], 0, __ATOMIC_RELEASE);
}

u64 tapir_port_lock_contended(const struct tapir_lock *lock)
{
	return __atomic_load_n(&lock->opaque[1], __ATOMIC_RELAXED);
}

u32 tapir_port_ncpus(void)
{
	return tapir_host.ncpus;
}

u32 tapir_port_processors(const u16 **numbers)
{
	static const u16 all[TAPIR_HOST_CPUS_MAX] = {
	    0,	1,  2,	3,  4,	5,  6,	7,  8,	9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
	    22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
	    44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
	};

	*numbers = tapir_host.processors ? tapir_host.processors : all;
	return tapir_host.processors ? tapir_host.nprocessors : tapir_host.ncpus;
}
