/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing an event: inlined into each port's tapir_port_recall(), since it is to cost no more than 60 instructions. */
#ifndef TAPIR_RECALL_WRITE_H
#define TAPIR_RECALL_WRITE_H

#include <tapir/abi.h>
#include <tapir/recall.h>
#include <tapir/registers.h>

/* A ring knows its thread by this number. IDs are used again; IDs with the time when the thread began are not. */
static inline __attribute__((__always_inline__)) u64 tapir_recall_owner(u32 thread, u64 began)
{
	return began ^ (u64)thread << 40;
}

/* The first ring that may be the thread's. IDs are given in turn. */
static inline __attribute__((__always_inline__)) struct tapir_recall_ring *tapir_recall_home(struct tapir_recalls *r, u32 thread)
{
	return (struct tapir_recall_ring *)((char *)r->rings + ((thread * (u32)sizeof(struct tapir_recall_ring)) & r->homes));
}

static inline __attribute__((__always_inline__)) u32 tapir_recall_turn(u64 number)
{
	return (u32)number << 1 | 1;
}

/* The ring of a thread that has none in its first place. NULL: there is none, which is counted. */
struct tapir_recall_ring *tapir_recall_find(struct tapir_recalls *r, u32 thread, u64 owner);

static inline __attribute__((__always_inline__)) void tapir_recall_fill(struct tapir_recall_event *event, u64 number, u64 time,
									u32 cpu, u32 format, s64 a, s64 b, s64 c)
{
	__atomic_store_n(&event->turn, 0, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	event->time = time;
	event->cpu = (u16)cpu;
	event->format = (u16)format;
	event->values[0] = a;
	event->values[1] = b;
	event->values[2] = c;
	__atomic_store_n(&event->turn, tapir_recall_turn(number), __ATOMIC_RELEASE);
}

/* Only the thread itself writes the ring, and what interrupts it. */
static inline __attribute__((__always_inline__)) struct tapir_recall_event *
tapir_recall_take(struct tapir_recalls *r, struct tapir_recall_ring *ring, u64 *number)
{
	*number = tapir_percpu_fetch_add(&ring->events, 1);
	return &ring->slots[(u32)*number & r->mask];
}

#endif
