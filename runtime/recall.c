// SPDX-License-Identifier: GPL-2.0-or-later
/* Rings of events: making them, finding a thread's, and printing them. See tapir/recall.h. */
#include <tapir/recall.h>
#include <tapir/string.h>
#include <tapir/tapir.h>
#include <tapir/work.h>
#include "handler.h"
#include "recall_write.h"

#define TRIES	      4
#define LEAST_THREADS 64u
/* A live thread keeps its ring at least that long after an event, in ns. */
#define KEEPS 1000000000ull

_Static_assert(sizeof(struct tapir_recall_event) == 40, "an event is documented to take 40 bytes");
_Static_assert(sizeof(struct tapir_recall_ring) == 64, "a ring is one line of the cache");

static u64 load(const u64 *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/* ---- making them ---- */

/* The threads for which there is a place of their own. */
static u32 threads_of(void)
{
	const u64 wanted = tapir_port_limit(TAPIR_LIMIT_MAXRECALLTHREADS);
	u32 threads = LEAST_THREADS;

	while (threads < wanted)
		threads *= 2;
	return threads;
}

static u32 slots_of(const struct tapir_recall_desc *d)
{
	u32 slots = 1;

	while (slots < d->events)
		slots *= 2;
	return slots;
}

static u32 rings_of(const struct tapir_recall_desc *d)
{
	return d->of_cpu ? tapir_port_ncpus() : threads_of() + TAPIR_RECALL_WINDOW;
}

static u64 table_bytes(u32 rings)
{
	return sizeof(struct tapir_recalls) + (u64)rings * sizeof(struct tapir_recall_ring); /* one more than is needed */
}

static u64 slot_bytes(const struct tapir_recall_desc *d, u32 rings)
{
	return (u64)rings * slots_of(d) * sizeof(struct tapir_recall_event);
}

void tapir_recalls_demand(struct tapir_demand *demand)
{
	u32 i;

	for (i = 0; i < tapir_module.nrecalls; i++) {
		const struct tapir_recall_desc *d = &tapir_module.recalls[i];

		tapir_demand_add(demand, table_bytes(rings_of(d)) + slot_bytes(d, rings_of(d)), "the rings of @recall ", d->name,
				 "keep fewer events (@recall(NAME, N, ...)), or those of fewer threads (MAXRECALLTHREADS)");
	}
}

void tapir_recalls_destroy(void)
{
	u32 i;

	for (i = tapir_module.nrecalls; i-- > 0;) {
		struct tapir_recalls **storage = tapir_module.recalls[i].storage;

		if (*storage)
			tapir_port_free((*storage)->slots);
		tapir_port_free(*storage);
		*storage = NULL;
	}
}

static struct tapir_recalls *create(const struct tapir_recall_desc *d)
{
	const u32 rings = rings_of(d), slots = slots_of(d);
	struct tapir_recalls *r = tapir_port_alloc(table_bytes(rings));
	u32 i;

	if (!r)
		return NULL;
	r->slots = tapir_port_alloc(slot_bytes(d, rings));
	if (!r->slots) {
		tapir_port_free(r);
		return NULL;
	}
	r->mask = slots - 1;
	r->nrings = rings;
	r->homes = d->of_cpu ? 0 : (threads_of() - 1) * (u32)sizeof(struct tapir_recall_ring);
	for (i = 0; i < rings; i++)
		r->rings[i].slots = r->slots + (u64)i * slots;
	r->began_clock = tapir_port_recall_clock();
	r->began_ns = (u64)tapir_port_ktime_ns();
	return r;
}

bool tapir_recalls_create(struct tapir_ctx *c)
{
	u32 i;

	tapir_port_recall_begin();
	for (i = 0; i < tapir_module.nrecalls; i++) {
		const struct tapir_recall_desc *d = &tapir_module.recalls[i];

		*d->storage = create(d);
		if (*d->storage)
			continue;
		tapir_errorf(c, NULL, "not enough memory for the rings of @recall %s", d->name);
		tapir_recalls_destroy();
		return false;
	}
	return true;
}

/* ---- time ---- */

struct moment {
	u64 clock, ns;
	u64 scale; /* ns of a unit of the clock, in 2^-31 */
};

/* The clock's rate is known from the time that passed by both clocks since the start. */
static struct moment moment_of(const struct tapir_recalls *r)
{
	struct moment m = {tapir_port_recall_clock(), (u64)tapir_port_ktime_ns(), 0};
	u64 units = m.clock - r->began_clock, ns = m.ns - r->began_ns;

	while (ns >> 32) {
		ns >>= 1;
		units >>= 1;
	}
	m.scale = units ? (ns << 31) / units : 0;
	return m;
}

/* Clocks of two CPUs may differ by a little. */
static u64 age_of(const struct moment *m, u64 time)
{
	__extension__ unsigned __int128 age = m->clock > time ? m->clock - time : 0;

	return (u64)(age * m->scale >> 31);
}

/* ---- finding a thread's ring ---- */

static void count_lost(u64 events)
{
	while (events--)
		tapir_port_count_cut(TAPIR_LOST_RECALL);
}

/* How many events of a ring can be printed. */
static u64 events_kept(const struct tapir_recalls *r, const struct tapir_recall_ring *ring)
{
	u64 events = load(&ring->events) - load(&ring->first);

	return events > r->mask ? (u64)r->mask + 1 : events;
}

static u64 last_time(const struct tapir_recalls *r, const struct tapir_recall_ring *ring)
{
	return load(&ring->slots[(u32)(load(&ring->events) - 1) & r->mask].time);
}

/* A ring that its owner does not need any more, or has not written to for longest. */
static struct tapir_recall_ring *aged(struct tapir_recalls *r, struct tapir_recall_ring *home, u64 *owner, bool *lives)
{
	const struct moment now = moment_of(r);
	struct tapir_recall_ring *oldest = NULL;
	u64 most = KEEPS;
	u32 i;

	*lives = false;
	for (i = 0; i < TAPIR_RECALL_WINDOW; i++) {
		*owner = load(&home[i].owner);
		if (!tapir_port_recall_lives(home[i].thread, *owner))
			return &home[i];
	}
	*lives = true;
	for (i = 0; i < TAPIR_RECALL_WINDOW; i++) {
		u64 age = age_of(&now, last_time(r, &home[i]));

		if (age < most)
			continue;
		most = age;
		oldest = &home[i];
		*owner = load(&oldest->owner);
	}
	return oldest;
}

/*
 * The thread may have been interrupted in here, and what interrupted it has given it a ring meanwhile: that is the first one that
 * is free, which this call then finds taken. A thread that writes to a ring that is taken from it, because it did not run for a
 * second in between, leaves a slot with a number that no reader looks for.
 */
struct tapir_recall_ring *tapir_recall_find(struct tapir_recalls *r, u32 thread, u64 owner)
{
	struct tapir_recall_ring *home = tapir_recall_home(r, thread), *ring;
	bool lives = false;
	u32 tries, i;
	u64 old;

	for (tries = 0; tries < TRIES; tries++) {
		for (old = 1, i = 0; i < TAPIR_RECALL_WINDOW && old; i++) {
			ring = &home[i];
			old = load(&ring->owner);
			if (old == owner)
				return ring;
		}
		if (old)
			ring = aged(r, home, &old, &lives);
		if (!ring)
			break;
		if (lives)
			count_lost(events_kept(r, ring));
		__atomic_store_n(&ring->first, load(&ring->events), __ATOMIC_RELAXED);
		if (__atomic_compare_exchange_n(&ring->owner, &old, owner, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
			__atomic_store_n(&ring->thread, thread, __ATOMIC_RELEASE);
			return ring;
		}
		if (old == owner)
			return ring;
	}
	count_lost(1);
	return NULL;
}

/* ---- printing them ---- */

/* The ring of a thread by its ID; of several owners, that which was written to last. NULL: none. */
static struct tapir_recall_ring *ring_of(struct tapir_recalls *r, u32 thread)
{
	struct tapir_recall_ring *home = tapir_recall_home(r, thread), *found = NULL;
	u32 i;

	for (i = 0; i < TAPIR_RECALL_WINDOW && load(&home[i].owner); i++) {
		if (__atomic_load_n(&home[i].thread, __ATOMIC_ACQUIRE) != thread || !load(&home[i].events))
			continue;
		if (!found || last_time(r, &home[i]) > last_time(r, found))
			found = &home[i];
	}
	return found;
}

/* False: another event is there, or it is being written. */
static bool read_event(const struct tapir_recall_event *from, u64 number, struct tapir_recall_event *to)
{
	if (__atomic_load_n(&from->turn, __ATOMIC_ACQUIRE) != tapir_recall_turn(number))
		return false;
	*to = *(const volatile struct tapir_recall_event *)from;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&from->turn, __ATOMIC_RELAXED) == tapir_recall_turn(number) && to->format < tapir_module.nformats;
}

static void print_event(struct tapir_ctx *c, const struct tapir_recall_event *event, s64 thread, const struct moment *now)
{
	const struct tapir_item_format *f = &tapir_module.formats[event->format];
	union tapir_val args[TAPIR_RECALL_ARGS + TAPIR_RECALL_VALUES];
	u64 age = age_of(now, event->time);
	u32 i;

	args[0].n = (s64)(now->ns - age);
	args[1].n = (s64)age;
	args[2].n = thread;
	args[3].n = event->cpu;
	for (i = 0; i < TAPIR_RECALL_VALUES; i++)
		args[TAPIR_RECALL_ARGS + i].n = event->values[i];
	if (f->nargs <= TAPIR_RECALL_ARGS + TAPIR_RECALL_VALUES && !f->strings)
		tapir_print(c, f, args);
}

/* `thread`: whose it is; -1: a CPU's. */
static void print_ring(struct tapir_ctx *c, const struct tapir_recall_desc *d, struct tapir_recall_ring *ring, s64 thread)
{
	const struct tapir_recalls *r = *d->storage;
	const struct moment now = moment_of(r);
	u64 end = __atomic_load_n(&ring->events, __ATOMIC_ACQUIRE), at = load(&ring->first);
	struct tapir_recall_event event;

	if (end - at > d->events)
		at = end - d->events;
	tapir_work_add(c, (end - at) * TAPIR_WORK_TEXT_FRAME);
	for (; at < end; at++) {
		if (read_event(&ring->slots[(u32)at & r->mask], at, &event))
			print_event(c, &event, thread, &now);
		else
			count_lost(1);
	}
	__atomic_store_n(&ring->first, end, __ATOMIC_RELAXED);
}

void tapir_recalled(struct tapir_ctx *c, s64 thread, s64 cpu)
{
	u64 owner = 0;
	u32 i, own = tapir_port_recall_thread(&owner);

	for (i = 0; i < tapir_module.nrecalls; i++) {
		const struct tapir_recall_desc *d = &tapir_module.recalls[i];
		struct tapir_recalls *r = *d->storage;
		struct tapir_recall_ring *ring = NULL;

		if (d->of_cpu) {
			u64 number = cpu < 0 ? c->cpu : (u64)cpu;

			if (number < r->nrings)
				ring = &r->rings[number];
		} else if (thread < 0) {
			ring = ring_of(r, own);
			if (ring && load(&ring->owner) != owner)
				ring = NULL;
		} else if (thread <= 0x7fffffff) {
			ring = ring_of(r, (u32)thread);
		}
		if (ring)
			print_ring(c, d, ring, d->of_cpu ? -1 : thread >= 0 ? thread : own & TAPIR_RECALL_IDLE ? 0 : own);
	}
}
