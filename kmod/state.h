/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of a session, for everything in the module: whether handlers may run, what ends it, and what was lost on the way. */
#ifndef TAPIR_STATE_H
#define TAPIR_STATE_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/percpu.h>
#include <linux/wait.h>
#include <tapir/context.h>

/* Whether handlers of armed probes may run. */
enum tapir_mode {
	TAPIR_MODE_OFF,
	TAPIR_MODE_ON,
	TAPIR_MODE_EXTRA, /* and are measured, or limited to a control group, or both: all through tapir_hit_at() */
};

struct tapir_session {
	/* Read by every hit; written when the state changes. */
	u32 mode;	   /* enum tapir_mode */
	u32 min_stack;	   /* bytes */
	s64 first_actions; /* units of a handler in probe context until it looks at the clock */

	/* Rarely written. */
	bool timing;	 /* -t: all handlers are measured */
	bool timed;	 /* now they are */
	bool governed;	 /* there is a budget */
	bool extra;	 /* all hits go through tapir_hit_at(), all the time */
	u32 more_way_ns; /* what a hit costs more on its way to the handler because of the budget */
	bool suppress_errors;
	u64 limits[TAPIR_LIMITS];  /* in force; 0 of MAXMAPENTRIES: not set */
	s64 target;		   /* by its PID among all of the machine */
	bool target_waits;	   /* it has yet to run the command of -c */
	s32 seconds_west;	   /* of UTC */
	char zone[TAPIR_ZONE_MAX]; /* name of the time zone */
	s32 loader_pid;		   /* in the initial namespaces */
	s32 namespaces_pid;	   /* likewise: whose namespaces functions like ns_pid() mean */
	u32 loader_uid;
	s32 remote_id; /* -1: the script was not started from another machine */
	char remote_uri[TAPIR_REMOTE_MAX];
	u32 state; /* enum tapir_state */
	atomic_t exit_requested;
	atomic_t interrupts;	   /* requests to interrupt: a handler in the session thread aborts when it changes */
	bool abandoned;		   /* the loader is gone: handlers in the session thread that run long abort */
	atomic_t failed;	   /* too many errors or skips, or an attach error: error probes run, end probes no more */
	atomic_t skipped_too_many; /* MAXSKIPPED was exceeded */
	atomic64_t errors;
	atomic64_t skipped; /* hits without a handler: re-entry, locks, stack; and what the kernel has missed, when that is known */
	atomic_t reports_due; /* tapir_session_report_due() was called */
	wait_queue_head_t state_changed;
};
extern struct tapir_session tapir_session;

/* The context of session-level handlers: the session thread's. NULL before START. */
extern struct tapir_ctx *tapir_session_context;
/* Those of the other handlers, by level. */
DECLARE_PER_CPU(struct tapir_ctx *, tapir_contexts[TAPIR_LEVEL_SESSION]);

/* Module init. */
void tapir_session_init(void);

/* True if a limit of enum tapir_limit may be set to this. Any context. */
bool tapir_session_limit_allowed(u32 limit, u64 value);
/* Units of a handler with preemption disabled, by the limits that are set. Any context. */
s64 tapir_session_most_actions(void);

/* ---- session thread ---- */

/* While handlers run: whether they go through tapir_hit_at() from now on. */
void tapir_session_switch(bool extra);
/* Goes to an enum tapir_state and wakes the tasks that wait. */
void tapir_session_enter(u32 state);
/* Is the session asked to stop? What takes long in the session thread asks between its steps. */
bool tapir_session_ending(void);
/* A handler in the session thread begins: interrupts that were asked for before are not meant for it. */
void tapir_session_handler_begins(void);
/* Is the one that is running to be given up? */
bool tapir_session_handler_interrupted(void);

/* ---- any context ---- */

/* exit(): the end probes run, then DONE. */
void tapir_session_request_exit(void);
/* Something failed that ends the session: its error probes run, then DONE. */
void tapir_session_set_failed(void);
/* Counts a run-time error that escaped a handler, and acts on MAXERRORS. */
void tapir_session_count_error(void);
/* Counts a skipped hit, and acts on MAXSKIPPED. */
void tapir_session_count_skip(u32 reason);
/* Like tapir_session_count_skip(), for hits that the kernel did not deliver. The kernel reports most of them at the end of a
 * session, when end probes still run. */
void tapir_session_count_missed(u64 hits);

/* Something changed that the reader or the session thread may wait for. */
void tapir_session_notify(void);
/* Wakes the session thread without news for the reader. */
void tapir_session_wake(void);
/* Is there news that the reader has not seen? */
bool tapir_session_has_news(void);
/* The reader is about to look. */
void tapir_session_news_seen(void);

/* A report is to run: the session thread asks its kind, tapir_kind_ops.report(). */
void tapir_session_report_due(void);

/* Waits for notifications under way. Process context. */
void tapir_session_quiesce(void);

#endif
