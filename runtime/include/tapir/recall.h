/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rings of events (@recall) and triggers (@trigger), which have them printed.
 *
 * Each @recall writes an event of 40 bytes into the ring of the current thread, or CPU. Nothing reads it until a trigger fires.
 * Rings are made when the session starts, and are as many as MAXRECALLTHREADS says. They stand in a hash table by the threads' IDs.
 * A thread takes a ring when it writes its first event: one that no thread had, else that of a thread that has ended, else the one
 * that was not written to for longest, a second at least. Where there is none of these, the event is lost, which is counted.
 *
 * No locks: a thread writes its ring alone, and what interrupts it is done before it goes on. Writing reserves a slot by one
 * instruction. A slot says which event is in it, last; a reader on another CPU that finds another one there leaves it out.
 */
#ifndef TAPIR_RECALL_H
#define TAPIR_RECALL_H

#include <tapir/items.h>
#include <tapir/types.h>

struct tapir_ctx;

#define TAPIR_RECALL_WINDOW 16u /* so many rings from its own place on may be a thread's */
/* The idle thread of the CPU whose number are the other bits: their IDs are all 0. Other IDs are smaller. */
#define TAPIR_RECALL_IDLE (1u << 23)

struct tapir_recall_event {
	u64 time; /* of tapir_port_recall_clock() */
	u32 turn; /* tapir_recall_turn() of its number; 0: it is being written */
	u16 cpu;
	u16 format; /* index in tapir_module.formats */
	s64 values[TAPIR_RECALL_VALUES];
};

struct tapir_recall_ring {
	u64 owner;  /* tapir_recall_owner() of the thread; 0: none had it */
	u64 events; /* that were written into it, by all owners: the number of the next one */
	struct tapir_recall_event *slots;
	u64 first; /* the number of the first event that is this owner's and was not printed */
	u32 thread;
} __attribute__((__aligned__(64)));

struct tapir_recalls {
	u32 homes;  /* (threads that have a place of their own - 1) * sizeof(struct tapir_recall_ring) */
	u32 mask;   /* slots of a ring - 1 */
	u32 nrings; /* in all */
	u32 reserved;
	u64 began_clock, began_ns; /* the same moment by tapir_port_recall_clock() and CLOCK_MONOTONIC */
	struct tapir_recall_event *slots;
	struct tapir_recall_ring rings[1]; /* as many as `nrings` says */
};

/* A name of @recall. */
struct tapir_recall_desc {
	const char *name;
	u32 events; /* that are printed at most */
	u32 of_cpu; /* rings are the CPUs', not threads' */
	struct tapir_recalls **storage;
};

/* ---- for emitted code; any handler context but that of reports ---- */

/* Adds an event to the ring of the current thread, or CPU. Traced by nothing. */
void tapir_port_recall(struct tapir_recalls *recalls, u32 format, s64 a, s64 b, s64 c);
void tapir_port_recall_of_cpu(struct tapir_recalls *recalls, u32 format, s64 a, s64 b, s64 c);
/*
 * Prints the events of all rings of a thread and of a CPU that were not printed before, the oldest first. `thread`: its ID; below
 * 0: the current one. `cpu`: its number; below 0: the current one.
 */
void tapir_recalled(struct tapir_ctx *c, s64 thread, s64 cpu);

/* Triggers, by a number that stands for their name. */
/* True once for each time that `holds` was true for `ns` at every call. */
bool tapir_trigger_held(s64 trigger, bool holds, s64 ns);
/* `limit` firings in any window of `window` ns that follows the last one; `window` 0: in the session; `limit` 0: no limit. `most`:
 * in the session, of all triggers; 0: any number. `last`: this is the last one. False: it does not fire. */
bool tapir_trigger_fires(struct tapir_ctx *c, s64 trigger, s64 limit, s64 window, s64 most, bool last);
/* How many firings the limit has held back since the last call. */
s64 tapir_trigger_suppressed(s64 trigger);

/* ---- of the port ---- */

/* Before all others, when the session starts. */
void tapir_port_recall_begin(void);
u64 tapir_port_recall_clock(void); /* any unit, but the same all the time */
/* The current thread and its tapir_recall_owner(). */
u32 tapir_port_recall_thread(u64 *owner);
/* False: the thread has ended. Any context. */
bool tapir_port_recall_lives(u32 thread, u64 owner);

#endif
