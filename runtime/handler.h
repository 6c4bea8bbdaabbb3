/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The runtime's interface for the ports (kmod/ and process/), and between its own parts. Not for emitted code. */
#ifndef TAPIR_HANDLER_H
#define TAPIR_HANDLER_H

#include <tapir/abi.h>
#include <tapir/context.h>
#include <tapir/default_limits.h>
#include <tapir/demand.h>
#include <tapir/format.h>
#include <tapir/port.h>

struct tapir_stat_sum;

static const u64 tapir_default_limits[TAPIR_LIMITS] = {
    [TAPIR_LIMIT_MAXACTION] = TAPIR_DEFAULT_MAXACTION,
    [TAPIR_LIMIT_MAXACTION_INTERRUPTIBLE] = TAPIR_DEFAULT_MAXACTION_INTERRUPTIBLE,
    [TAPIR_LIMIT_MAXERRORS] = TAPIR_DEFAULT_MAXERRORS,
    [TAPIR_LIMIT_MAXSKIPPED] = TAPIR_DEFAULT_MAXSKIPPED,
    [TAPIR_LIMIT_MAXNESTING] = TAPIR_DEFAULT_MAXNESTING,
    [TAPIR_LIMIT_MAXMAPENTRIES] = 0, /* TAPIR_DEFAULT_MAXMAPENTRIES, or TAPIR_DEFAULT_WRAPENTRIES */
    [TAPIR_LIMIT_MINSTACKSPACE] = TAPIR_DEFAULT_MINSTACKSPACE,
    [TAPIR_LIMIT_BUFFER_BYTES] = 0, /* by the number of CPUs */
    [TAPIR_LIMIT_MAXTIME] = TAPIR_DEFAULT_MAXTIME,
    [TAPIR_LIMIT_STACK_BYTES] = TAPIR_DEFAULT_STACK_BYTES,
    [TAPIR_LIMIT_OVERLOAD] = 0,
    [TAPIR_LIMIT_MAXRECALLTHREADS] = TAPIR_DEFAULT_MAXRECALLTHREADS,
    [TAPIR_LIMIT_BUDGET] = 0,
};

/* The module's own limit. */
static inline u64 tapir_module_limit(u32 limit)
{
	return tapir_module.limits_set >> limit & 1 ? tapir_module.limits[limit] : tapir_default_limits[limit];
}

/* Actions of a handler in the session thread between two chances to preempt or interrupt it. */
#define TAPIR_ACTIONS_AT_ONCE 1000

/*
 * How handlers outside of session level are paced: after `at_once` units one looks at the clock. The port sets it before the first
 * of them runs (tapir_pace_set).
 */
struct tapir_pace {
	s64 most;     /* units of a handler */
	s64 at_once;  /* of them until the first look, and between two */
	u64 limit_us; /* that a handler may take */
	u64 limit_ns; /* the same; 0: no limit */
};
extern struct tapir_pace tapir_pace;

/* `most` units and `limit_us` for a handler. */
void tapir_pace_set(s64 most, u64 limit_us);

/* The first look of a handler that starts. */
void tapir_clock_start(struct tapir_ctx *c);
/* A report has taken its locks: until it drops them, it has as much time and as many units as other handlers have. */
void tapir_report_holds(struct tapir_ctx *c);
/*
 * Charges the cost of an operation over elements of an array. Returns false if the budget or the time does not suffice, which is
 * raised at `site`. A handler that may pause is charged nothing, and false means that it is given up.
 */
bool tapir_afford(struct tapir_ctx *c, u64 units, const struct tapir_site *site);
/*
 * Call it during such an operation, every TAPIR_LOOK_ELEMENTS elements. `each`: estimated ns for an element. `margin`: ns that the
 * operation needs for an orderly end. Returns false after raising an error: the operation must come to that end.
 */
bool tapir_go_on(struct tapir_ctx *c, u64 each, u64 margin, const struct tapir_site *site);
#define TAPIR_LOOK_ELEMENTS 2048u

/*
 * Prepares a context for a handler: everything of the previous one is forgotten; level, cpu, frame and out are the port's and stay.
 * `budget` is MAXACTION_INTERRUPTIBLE.
 */
static inline void tapir_handler_start(struct tapir_ctx *c, const struct tapir_probe *probe, s64 budget)
{
	s64 at_once = c->level >= TAPIR_LEVEL_SESSION ? TAPIR_ACTIONS_AT_ONCE : tapir_pace.at_once;

	c->probe = probe;
	c->unsettled = 0;
	c->aborted = 0;
	c->budget = budget > at_once ? at_once : budget;
	c->reserve = budget - c->budget;
	c->frame_used = 0;
	c->nesting = 0;
	c->out_len = 0;
	c->out_items = 0;
	c->out_text = 0;
	if (c->level != TAPIR_LEVEL_SESSION)
		tapir_clock_start(c);
}

/* Ends a handler after its output was flushed; otherwise as tapir_handler_finish(). */
__attribute__((__cold__)) void tapir_handler_failed(struct tapir_ctx *c);
/*
 * Ends a handler that started: its output becomes records; an error that escaped it is reported and counted. The caller then counts
 * the hit as handled unless c->failed is TAPIR_FAIL_SKIP. Called where the handler ran, locks dropped.
 */
static inline void tapir_handler_finish(struct tapir_ctx *c)
{
	if (c->out_len)
		tapir_output_flush(c);
	if (TAPIR_UNLIKELY(c->failed))
		tapir_handler_failed(c);
}

/*
 * Storage of all globals of tapir_module. `max_entries` is TAPIR_LIMIT_MAXMAPENTRIES in force; 0: it is not set. May sleep. False:
 * what could not be done is in c->message (the session context's), nothing stays allocated.
 */
bool tapir_globals_create(struct tapir_ctx *c, u32 max_entries);
/*
 * Sets the numbers that globals decide, before arrays are made and probes are armed. False, with an error in `c`, if a global is
 * out of range.
 */
bool tapir_settings_apply(struct tapir_ctx *c);
/* Adds the bytes that tapir_globals_create() allocates, which are less than arrays may grow to. */
void tapir_globals_demand(struct tapir_demand *demand, u32 max_entries);
void tapir_globals_destroy(void);
/* Brings memory to arrays that asked for it. False: there was not enough. Process context, one caller at a time, from create to
 * destroy. May run beside handlers. */
bool tapir_globals_grow(void);
/*
 * Frees memory that arrays do not need any more, and gives them larger hash tables. Process context, one caller at a time; no
 * handler of session level may run. Takes and drops locks.
 */
void tapir_globals_tend(void);
/* Has that something to do? Any context. */
bool tapir_globals_pending(void);

/*
 * Takes out elements that have passed the age of their array, at `now` (monotonic ns). Returns when it is to be called again; 0: no
 * array has an age. The context is that of tapir_globals_tend(), which it does not run beside.
 */
u64 tapir_globals_age(u64 now);

/* The number of elements of an array, and the most that it may have; zeros if the global is none. Once they are created, in any
 * context; takes no locks. */
void tapir_array_room(u32 global, u32 *elements, u32 *most);
/* The memory that all arrays have taken. */
u64 tapir_arrays_bytes(void);

/* The rings of @recall, where the script has such (recall.c): as those of globals, which call them. */
bool tapir_recalls_create(struct tapir_ctx *c) __attribute__((weak));
void tapir_recalls_demand(struct tapir_demand *demand) __attribute__((weak));
void tapir_recalls_destroy(void) __attribute__((weak));
/* Triggers are as at the start of a session. */
void tapir_triggers_reset(void);

/* Further subjects of tapir_error_limit(), beside the limits. */
enum tapir_exceeded {
	TAPIR_EXCEEDED_SHARE = TAPIR_LIMITS, /* of the memory for arrays; with their memory, in MB */
	TAPIR_EXCEEDED_MEMORY,		     /* that the machine can give; likewise */
	TAPIR_EXCEEDED_GROWTH,		     /* elements of an array that cannot follow */
};
/* name=value at load time, after init_globals: 0, or -2 (no such settable global), or -22 (not a number). */
int tapir_global_set(const char *name, const char *value);

/*
 * The same while the session runs, beside handlers, under the global's lock: also -16 (it is not live), -34 (out of its range, or
 * none of its choices). Process context, one caller at a time.
 */
int tapir_global_change(const char *name, const char *value);

/* C notation with sign, the whole text: -2^63 .. 2^64-1 (wrapping). */
bool tapir_parse_long(const char *text, s64 *value);

/* False, with the reason in `reason` (cap bytes): one of the descriptor's histograms cannot be made. */
bool tapir_stat_check(const struct tapir_stat_desc *desc, char *reason, u32 cap);
/* The lock of a scalar's variance on one CPU; NULL without variance. */
struct tapir_lock *tapir_stat_lock(struct tapir_stat_slot *slots, const struct tapir_stat_desc *desc, u32 cpu);

/* Merging the slots of one statistic; `base` may be NULL. */
void tapir_sum_init(struct tapir_stat_sum *out, const struct tapir_stat_desc *desc);
/* The histogram's counts, too. */
void tapir_sum_want(struct tapir_stat_sum *out, const struct tapir_hist_desc *hist, u64 *buckets);
void tapir_sum_add(struct tapir_stat_sum *out, const u64 *slot, const u64 *base, bool min_max_valid);
/* Second pass over the slots, each under the lock of its variance if that can be had in a bounded time; then the end. */
void tapir_sum_variance(struct tapir_stat_sum *out, const u64 *slot, struct tapir_lock *lock);
void tapir_sum_finish(struct tapir_stat_sum *out);
void tapir_slot_variance_add(u64 *state, s64 value);

/*
 * True if this handler must not wait for a lock. Interrupts are off while a lock is held, so only a handler that came as an NMI can
 * have interrupted a holder.
 */
static inline bool tapir_must_not_wait(const struct tapir_ctx *c)
{
	return c->level == TAPIR_LEVEL_NMI && tapir_port_nested(c);
}

/* Returns true if no handler below this one on this CPU holds the locks of the array's elements. */
bool tapir_map_locks_free(struct tapir_map *m, u32 cpu);

/* snprintf of C without floating point and %n. Returns the length; always terminates. */
u32 tapir_vformat(char *dst, u32 cap, const char *format, __builtin_va_list arguments);
u32 tapir_format(char *dst, u32 cap, const char *format, ...) __attribute__((format(printf, 3, 4)));

#define TAPIR_DIGITS_MAX 24
/* Digits of n in base 8, 10 or 16, without sign or prefix, at the end of buffer[TAPIR_DIGITS_MAX]; returns the first. */
const char *tapir_digits(char *buffer, u64 n, u32 base, bool upper);

#endif
