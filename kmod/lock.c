// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The locks of globals. They are held with interrupts off for a bounded time and in any context, so they are the architecture's
 * bare spinlocks: they spin under PREEMPT_RT, too, carry no debugging state that could trace or sleep, and are unlocked when zero.
 */
#include <linux/build_bug.h>
#include <linux/irqflags.h>
#include <linux/spinlock.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <tapir/context.h>
#include <tapir/port.h>
#include "hit.h"

struct tapir_lock_state {
	arch_spinlock_t lock;
	u64 contended; /* written under the lock */
};
static_assert(sizeof(struct tapir_lock_state) <= offsetof(struct tapir_lock, time));

/* A holder on another CPU is done well before; one on this CPU, interrupted by us, never is. */
#define TAPIR_TRYLOCK_SPINS 20000

static struct tapir_lock_state *tapir_lock_state(const struct tapir_lock *lock)
{
	return (struct tapir_lock_state *)lock;
}

u64 tapir_port_irq_save(void)
{
	unsigned long flags;

	raw_local_irq_save(flags);
	return flags;
}

void tapir_port_irq_restore(u64 flags)
{
	raw_local_irq_restore((unsigned long)flags);
}

void tapir_port_lock(struct tapir_lock *lock)
{
	struct tapir_lock_state *state = tapir_lock_state(lock);

	if (TAPIR_LIKELY(arch_spin_trylock(&state->lock)))
		return;
	arch_spin_lock(&state->lock);
	state->contended++;
}

/*
 * Handlers hold locks for less, with interrupts off. But an NMI that interrupts a holder may wait for a lock of the code that our
 * handler interrupted (CPUs that print out of an NMI wait for each other). Then it would never return to the holder.
 */
#define TAPIR_LOCK_PATIENCE_NS 1000000000u
#define TAPIR_SPINS_PER_LOOK   1024u

bool tapir_port_lock_patiently(struct tapir_lock *lock)
{
	struct tapir_lock_state *state = tapir_lock_state(lock);
	u64 since;
	u32 spins;

	if (TAPIR_LIKELY(arch_spin_trylock(&state->lock)))
		return true;
	since = ktime_get_mono_fast_ns();
	do {
		for (spins = 0; spins < TAPIR_SPINS_PER_LOOK; spins++) {
			cpu_relax();
			if (!arch_spin_is_locked(&state->lock) && arch_spin_trylock(&state->lock)) {
				state->contended++;
				return true;
			}
		}
	} while (ktime_get_mono_fast_ns() - since < TAPIR_LOCK_PATIENCE_NS);
	return false;
}

bool tapir_port_trylock(struct tapir_lock *lock)
{
	struct tapir_lock_state *state = tapir_lock_state(lock);
	u32 spins;

	if (TAPIR_LIKELY(arch_spin_trylock(&state->lock)))
		return true;
	for (spins = 0; spins < TAPIR_TRYLOCK_SPINS; spins++) {
		cpu_relax();
		if (!arch_spin_is_locked(&state->lock) && arch_spin_trylock(&state->lock)) {
			state->contended++;
			return true;
		}
	}
	return false;
}

void tapir_port_unlock(struct tapir_lock *lock)
{
	arch_spin_unlock(&tapir_lock_state(lock)->lock);
}

u64 tapir_port_lock_contended(const struct tapir_lock *lock)
{
	return READ_ONCE(tapir_lock_state(lock)->contended);
}

/*
 * Locks are only held with interrupts off, so only NMI level can interrupt a holder (the breakpoint of a kprobe is of that level,
 * too). Handlers of the other levels may wait: the code that they interrupted holds no lock.
 */
bool tapir_port_nested(const struct tapir_ctx *c)
{
	return c->level == TAPIR_LEVEL_NMI && tapir_handler_runs(TAPIR_LEVEL_NMI);
}

/* NMI handlers do not wait for locks that may be held below them, and know that by a busy context. */
u64 tapir_port_tending_begin(void)
{
	u64 flags = tapir_port_irq_save();

	tapir_context_here()->busy = 1;
	barrier();
	return flags;
}

void tapir_port_tending_end(u64 state)
{
	tapir_release(tapir_context_here());
	tapir_port_irq_restore(state);
	cond_resched();
}
