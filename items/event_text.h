/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Triggers and the events of @recall, as their items have them (TAPIR_FMT_TRIGGER, TAPIR_FMT_RECALL). A line of text each:
 *
 *	TRIGGER NAME 15:04:05.123456 PROGRAM(PROCESS, THREAD): what the script prints (3 held back by the limit)
 *	    -1.000132 s  NAME, THREAD: what the script recalls; for the ring of a CPU "CPU NUMBER" in place of the thread
 */
#ifndef TAPIR_EVENT_TEXT_H
#define TAPIR_EVENT_TEXT_H

#include <tapir/items.h>

enum tapir_event_kind { TAPIR_EVENT_TRIGGER, TAPIR_EVENT_RECALLED };

struct tapir_event {
	enum tapir_event_kind kind;
	const char *name;
	s64 thread;
	/* A trigger has: */
	const char *program;
	s64 process, wall_ns, suppressed;
	/* An event has: */
	s64 time, age, cpu;
	/* The script prints: its first piece, its first argument by number, and where that stands in the item. */
	u32 piece, argument;
	bool is_bare; /* it prints nothing */
	const char *at;
};

/* The texts refer to the format and the item. False: it is another format. */
bool tapir_event_read(struct tapir_event *event, const struct tapir_item_format *f, const char *item);

#define TAPIR_EVENT_FRAME TAPIR_EVENT_SPREAD /* bytes, which suffice for each of the following */
/* Write what stands in front of the script's text and behind it, and return the length. The program's name is cut. */
u32 tapir_event_front(const struct tapir_event *event, char *text);
u32 tapir_event_back(const struct tapir_event *event, char *text);

#endif
