/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Performance events of the threads that run a program, each thread with its own.
 *
 * A process that executes the program gets an event when it runs the program's first instruction, from the uprobe there: in the
 * process itself, where one may sleep, and when it is known where the program is loaded. Threads that it makes, and children that
 * it forks, inherit the event before they run: the kernel makes and frees theirs. Threads that run already when the script starts
 * get one each from the session thread.
 *
 * An event is of one execution of the program. A task that executes again loses it, or keeps one that is of no use
 * (tapir_remove_on_exec()). Callers compare the executions in either case. A work item releases the events that no task has any
 * more.
 */
#ifndef TAPIR_KMOD_TASK_EVENTS_H
#define TAPIR_KMOD_TASK_EVENTS_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/workqueue.h>
#include <tapir/abi.h>
#include "compat/uprobe.h"
#include "process_probes.h"

/* Identifies an execution of a program, in all processes that come of it by fork(). For comparisons only. */
struct tapir_execution {
	const void *file;
	unsigned long stack;
};

/* One probe of a kind. */
struct tapir_task_probe {
	struct uprobe_consumer consumer;
	struct tapir_uprobe_handle handle;
	struct tapir_task_events *kind;
	const struct tapir_process_probe *probe;
	const struct tapir_task_arg *arg; /* the first member of the kind's */
	struct list_head events;
	bool armed;  /* the uprobe, for all probes of the program */
	bool wanted; /* its condition holds */
	bool told;   /* why a thread has no event */
	u64 refused; /* threads */
	u64 counted; /* by events that are gone */
};

/* An event of a task, which others have inherited. */
struct tapir_task_event {
	struct list_head link;
	const struct tapir_task_probe *of;
	struct tapir_execution execution;
	u64 bias;		  /* where the program is loaded, minus where it was linked to be */
	struct perf_event *event; /* its own of a task; those that are inherited are in its child_list */
	bool stays;		  /* with a task that executes another program */
	struct rcu_head rcu;
};

/* All probes of one kind. The kind sets the members above the line. */
struct tapir_task_events {
	struct tapir_process_probes probes;
	/* Describes the event. The program is loaded `bias` bytes behind the address it was linked for. */
	void (*describe)(const struct tapir_task_probe *p, u64 bias, struct perf_event_attr *attr);
	/* Handles a hit; the event's overflow_handler_context is the tapir_task_event. Only the kind's events have this handler. */
	perf_overflow_handler_t hit;
	const char *verb;		   /* what a thread without an event is not */
	const char *(*refusal)(int error); /* why the kernel makes no event; NULL, or returns NULL: the usual reasons */
	/* ---- */
	struct tapir_task_probe *list; /* as many as probes.list, in the same order */
	struct mutex mutex;	       /* the events */
	struct delayed_work work;
};

/* ---- the kind's operations; session thread ---- */

/* -errno: reported. */
int tapir_task_events_arm(struct tapir_task_events *kind);
void tapir_task_events_rearm(struct tapir_task_events *kind);
/* When it returns, no handler can find an event. `counted` of each probe is then complete until tapir_task_events_free(). */
void tapir_task_events_disarm(struct tapir_task_events *kind);
void tapir_task_events_free(struct tapir_task_events *kind);

/* ---- any context with preemption disabled ---- */

/* True if the current task executes the event's program. The task has a memory. */
bool tapir_task_event_current(const struct tapir_task_event *e);
/* The current task's event for the probe; NULL: it has none. */
struct perf_event *tapir_task_event_own(const struct tapir_task_probe *p);

#endif
