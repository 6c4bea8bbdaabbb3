// SPDX-License-Identifier: GPL-2.0-or-later
/* Whether triggers fire: see tapir/recall.h. Any handler context; no locks. */
#include <tapir/recall.h>
#include <tapir/tapir.h>
#include "handler.h"

/* `counted` has the firings in a window below the window's number. */
#define COUNT_BITS 24
#define COUNT_MASK ((1ull << COUNT_BITS) - 1)

struct trigger {
	u64 name;  /* 0: free */
	u64 since; /* when the condition began to hold; 0: it does not; HELD_LONG: it has fired since */
	u64 began; /* when it fired first: the windows' beginning */
	u64 counted;
	u64 suppressed;
};
#define HELD_LONG 1ull

/* As many as a script can have, and of two in three the place is free. */
#define PLACES (2 * TAPIR_TRIGGERS)
static struct trigger triggers[PLACES];
static u64 fired; /* by all */
static bool over; /* none fires any more */

/* NULL: there are too many. */
static struct trigger *trigger_of(s64 name)
{
	u64 wanted = (u64)name | 1, old;
	u32 i;

	for (i = 0; i < PLACES; i++) {
		struct trigger *t = &triggers[((u32)wanted / 2 + i) % PLACES];

		old = __atomic_load_n(&t->name, __ATOMIC_RELAXED);
		if (old == wanted ||
		    (!old && (__atomic_compare_exchange_n(&t->name, &old, wanted, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
			      old == wanted)))
			return t;
	}
	return NULL;
}

void tapir_triggers_reset(void)
{
	__builtin_memset(triggers, 0, sizeof(triggers));
	fired = 0;
	over = false;
}

/* Never 0 nor HELD_LONG. */
static u64 now_ns(void)
{
	return (u64)tapir_port_ktime_ns() | 2;
}

bool tapir_trigger_held(s64 trigger, bool holds, s64 ns)
{
	struct trigger *t = trigger_of(trigger);
	u64 since, now;

	if (!t)
		return false;
	since = __atomic_load_n(&t->since, __ATOMIC_RELAXED);
	if (!holds) {
		if (since)
			__atomic_store_n(&t->since, 0, __ATOMIC_RELAXED);
		return false;
	}
	if (since == HELD_LONG)
		return false;
	now = now_ns();
	if (!since) {
		if (ns > 0) {
			__atomic_compare_exchange_n(&t->since, &since, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
			return false;
		}
	} else if (now < since || now - since < (u64)(ns > 0 ? ns : 0)) {
		return false;
	}
	return __atomic_compare_exchange_n(&t->since, &since, HELD_LONG, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Counts a firing in its window. False: the window has had as many as it may. */
static bool within_limit(struct trigger *t, u64 limit, u64 window)
{
	u64 now = now_ns(), began = 0, counted, number, count;

	if (__atomic_compare_exchange_n(&t->began, &began, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		began = now;
	number = window && now > began ? (now - began) / window : 0;
	counted = __atomic_load_n(&t->counted, __ATOMIC_RELAXED);
	do {
		count = 0;
		/* Another CPU may have been in the next window by now. */
		if (counted >> COUNT_BITS >= number) {
			number = counted >> COUNT_BITS;
			count = counted & COUNT_MASK;
		}
		if (count >= limit || count == COUNT_MASK)
			return false;
	} while (!__atomic_compare_exchange_n(&t->counted, &counted, number << COUNT_BITS | (count + 1), false, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	return true;
}

bool tapir_trigger_fires(struct tapir_ctx *c, s64 trigger, s64 limit, s64 window, s64 most, bool last)
{
	struct trigger *t = trigger_of(trigger);
	u64 number;

	if (!t || __atomic_load_n(&over, __ATOMIC_RELAXED))
		return false;
	if (limit > 0 && !within_limit(t, (u64)limit, (u64)(window > 0 ? window : 0))) {
		__atomic_fetch_add(&t->suppressed, 1, __ATOMIC_RELAXED);
		return false;
	}
	number = __atomic_add_fetch(&fired, 1, __ATOMIC_RELAXED);
	if (most > 0 && number > (u64)most)
		return false;
	if (last || (most > 0 && number == (u64)most)) {
		if (__atomic_exchange_n(&over, true, __ATOMIC_RELAXED))
			return false;
		tapir_exit(c);
	}
	return true;
}

s64 tapir_trigger_suppressed(s64 trigger)
{
	struct trigger *t = trigger_of(trigger);

	return t && __atomic_load_n(&t->suppressed, __ATOMIC_RELAXED)
		   ? (s64)__atomic_exchange_n(&t->suppressed, 0, __ATOMIC_RELAXED)
		   : 0;
}
