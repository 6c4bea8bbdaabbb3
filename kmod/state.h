/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The life of a session, from START to DONE. */
#ifndef TAPIR_STATE_H
#define TAPIR_STATE_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/wait.h>
#include <tapir/abi.h>

/* Whether handlers of armed probes may run. */
enum tapir_mode {
	TAPIR_MODE_OFF,
	TAPIR_MODE_ON,
	TAPIR_MODE_TIMED, /* and are measured */
};

struct tapir_session {
	/* Read by every hit; written when the state changes. */
	u32 mode;	/* enum tapir_mode */
	u32 min_stack;	/* bytes */
	u64 max_action; /* statements of a handler in probe context */

	/* Rarely written. */
	bool timing;
	bool suppress_errors;
	u64 limits[TAPIR_LIMITS];  /* in force, no zeros */
	s64 target;		   /* by its PID among all of the machine */
	bool target_waits;	   /* it has yet to run the command of -c */
	s32 seconds_west;	   /* of UTC */
	char zone[TAPIR_ZONE_MAX]; /* name of the time zone */
	s32 loader_pid;		   /* in the initial namespaces */
	u32 loader_uid;
	s32 remote_id; /* -1: the script was not started from another machine */
	char remote_uri[TAPIR_REMOTE_MAX];
	u32 state; /* enum tapir_state */
	atomic_t exit_requested;
	atomic_t interrupts; /* how often the session-level handler of the moment was to be given up */
	bool abandoned;	     /* nobody is left to wait for any of them */
	atomic_t failed;     /* too many errors or skips, or an attach error: error probes run, not end probes */
	atomic64_t errors;
	atomic64_t skipped; /* by a handler's own CPU: re-entry, locks, stack */
	wait_queue_head_t state_changed;
};
extern struct tapir_session tapir_session;

/* ---- control; process context, serialised by the caller ---- */

void tapir_session_init(void);
/* Settings, before START: -EBUSY afterwards, -EINVAL for a value out of range. */
int tapir_session_configure(const struct tapir_ioc_config *config);
/* name=value: -ENOENT no such settable global, -EINVAL not a number, -EBUSY after START. */
int tapir_session_set_global(const char *name, const char *text);
/* Allocates and starts the session thread: -EBUSY if it was started before, -ENOMEM. */
int tapir_session_start(void);
/* Asks a session that was started to end; gives a begin handler up that is running. */
void tapir_session_stop(void);
/* The same, and gives up whatever session-level handler is running. */
void tapir_session_interrupt(void);
/* The same, and those that follow, too, unless they are short: the loader is gone. */
void tapir_session_abandon(void);
/* Stops a session in whatever state and waits; frees everything. Once, at module exit. */
void tapir_session_destroy(void);

/* ---- any context ---- */

/* exit(): the end probes run, then DONE. */
void tapir_session_request_exit(void);
/* Counts a run-time error that escaped a handler, and what it means for MAXERRORS. */
void tapir_session_count_error(void);
/* Counts a skipped hit, and what it means for MAXSKIPPED. */
void tapir_session_count_skip(u32 reason);

/* Is the session asked to stop? What takes long in the session thread asks between its steps. Session thread only. */
bool tapir_session_ending(void);

/* A fatal error: reported, and the session ends through its error probes. Session thread only. */
void tapir_session_fail(const char *format, ...) __printf(1, 2);
void tapir_session_warn(const char *format, ...) __printf(1, 2);
/* A warning of another thread: does not wait until there is room for it. May sleep. */
void tapir_session_note(const char *format, ...) __printf(1, 2);

#endif
