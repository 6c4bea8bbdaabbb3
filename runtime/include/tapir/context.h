/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of one running handler. There is one context per CPU and nesting level, and one more for the session thread (begin, end
 * and error probes run there, preemptible, with nothing else running: they take no locks and may wait for room in the output).
 * Reports of timers run there, too, beside the handlers of other levels: preemptible, but for the time in which they hold locks.
 */
#ifndef TAPIR_CONTEXT_H
#define TAPIR_CONTEXT_H

#include <tapir/abi.h>
#include <tapir/port.h>

enum tapir_level {
	TAPIR_LEVEL_TASK,
	TAPIR_LEVEL_SOFTIRQ,
	TAPIR_LEVEL_HARDIRQ,
	TAPIR_LEVEL_NMI,
	TAPIR_LEVEL_SESSION, /* the session thread */
	TAPIR_LEVEL_REPORT,  /* likewise, while others run */
	TAPIR_LEVELS
};

#define TAPIR_MESSAGE_MAX   512	 /* bytes of a run-time error message with its NUL */
#define TAPIR_OUTPUT_MAX    8192 /* bytes a handler prints before they are flushed as a record */
#define TAPIR_SCRATCH_BYTES 4096 /* of memory that runtime functions may use while they run */
#define TAPIR_TRACE_MAX	    16	 /* "called from" frames kept */

enum tapir_failure {
	TAPIR_FAIL_NONE,
	TAPIR_FAIL_ERROR,   /* a run-time error: can be caught */
	TAPIR_FAIL_ACTIONS, /* MAXACTION or MAXTIME exhausted: reported like an error, cannot be caught */
	TAPIR_FAIL_ABORT,   /* abort(): nothing is reported */
	TAPIR_FAIL_SKIP,    /* a nested handler met a lock it cannot wait for: counted as a skip, not as handled */
};

struct tapir_lockset;

struct tapir_ctx {
	/* Hot. */
	const struct tapir_probe *probe;
	union {
		struct {
			u32 failed; /* enum tapir_failure; != 0: unwinding. Emitted code tests it after calls that may fail */
			u32 looks;  /* at the clock so far; below session level */
		};
		u64 unsettled; /* zero for nearly every handler at its end */
	};
	u32 cpu;	/* index of per-CPU slots; constant while the handler runs */
	s64 budget;	/* actions left until the next look: at the clock, or in the session thread at what else is to be done */
	s64 work;	/* ns of estimated work left until the next look; carries over from handler to handler (tapir/work.h) */
	s64 reserve;	/* actions left beyond these; below session level, only after the first look */
	char *frame;	/* module.frame_bytes of string buffers and locals, 16-aligned */
	u32 frame_used; /* bump allocation by function calls */
	u32 nesting;	/* script function calls active */
	u8 level;	/* enum tapir_level */
	u8 busy;
	u8 reads_clock; /* to measure handlers: hits that come from it do not count */
	u8 may_wait;	/* in the session thread: output waits for the reader */
	u8 aborted;	/* abort(): unwinding without an error message */
	u32 out_len;	/* not 0: there is output, and `out_items` and `out_text` say what; else these are 0 */
	u32 out_header; /* where the header of the text is that is being written, among items */
	u8 out_items;	/* the output is items (tapir/items.h); 0: it is text */
	u8 out_text;	/* text may be appended */
	char *out;	/* TAPIR_OUTPUT_MAX bytes, 8-aligned */

	/* The hit, as the kind describes it. */
	void *regs;			  /* struct pt_regs *, or NULL */
	unsigned long ip;		  /* probed address, or 0 */
	const u64 *args;		  /* the kind's values, as a tracepoint's arguments; or NULL */
	const void *place;		  /* which of the probe's places it was, in the kind's terms; or NULL */
	char *saved;			  /* probe->saved_bytes of this call, at its entry and return; or NULL */
	u8 at_entry;			  /* of a probe of returns: this is the call's entry */
	u32 left_out;			  /* hits that a budget left out, and for which this one stands, too */
	u64 irqflags;			  /* the port's, while locks are held */
	u64 started;			  /* ns, when timing */
	const struct tapir_lockset *held; /* between tapir_locks_take and tapir_locks_drop */
	u64 time; /* the port's clock: the next record is later; tapir_port_emit() sets it to the record's time */

	/* Cold: the number of the table that rows of histograms are printed of, and the error being unwound. */
	u64 hist_table;
	char message[TAPIR_MESSAGE_MAX];
	const struct tapir_site *site; /* where it happened; NULL if unknown */
	u32 exceeded;		       /* the limit that it is about, plus 1; 0: none */
	u64 exceeded_at;	       /* its value */
	u32 trace_len;
	const struct tapir_site *trace[TAPIR_TRACE_MAX]; /* call sites, innermost first */

	u64 looked_at;	 /* ns of tapir_port_work_ns(): the last look */
	u64 own;	 /* ns since the first look that were all the handler's */
	u64 passed;	 /* the others */
	u64 reckoned;	 /* the handler's estimated part of these */
	s64 reckoned_to; /* of the budget: units above it are in `reckoned` */

	s64 spare;	 /* statements that are not units, left until the next look at their number */
	s64 spare_looks; /* how many more looks */
	void *scratch;	 /* TAPIR_SCRATCH_BYTES, 16-aligned */
	u64 hold_units;	 /* a report that holds locks: the cost limit of operations over elements until it drops them */
	void *stacks;	 /* memory of walks whose stacks are kept (tapir/stacks.h), 16-aligned; NULL: the script keeps none */
};

/* Is the handler preemptible here? It may pause then, and be given up; else it has a limit of time. */
static inline bool tapir_may_pause(const struct tapir_ctx *c)
{
	return c->level == TAPIR_LEVEL_SESSION || (c->level == TAPIR_LEVEL_REPORT && !c->held);
}

/* The number of hits for which this one stands: a budget left out the others. */
static inline u64 tapir_weight(const struct tapir_ctx *c)
{
	return (u64)c->left_out + 1;
}

/* So many statements that SystemTap does not count may run for each unit of the budget. */
#define TAPIR_SPARE 1024

/*
 * Raises a run-time error: the first one wins, later ones in the same unwinding are ignored. Callable in any context.
 * `site` may be NULL; emitted code then adds its own with tapir_error_site().
 */
void tapir_error(struct tapir_ctx *c, const struct tapir_site *site, const char *message);
void tapir_errorf(struct tapir_ctx *c, const struct tapir_site *site, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Names the place of an error raised without one. */
void tapir_error_site(struct tapir_ctx *c, const struct tapir_site *site);
/* Unwinding passes a call: remembers "(called from ...)". */
void tapir_error_frame(struct tapir_ctx *c, const struct tapir_site *call);
/* An error came out of a call: the call is its place, or one more step of the way there. */
void tapir_call_failed(struct tapir_ctx *c, const struct tapir_site *call) __attribute__((__cold__));
/* catch: clears the error and copies its message (without location) to `dst` if not NULL. MAXACTION exhaustion and abort are not
 * caught: returns false and leaves the error standing. */
bool tapir_error_catch(struct tapir_ctx *c, char *dst, u32 cap);

/* Standard errors with their exact texts. */
void tapir_error_actions(struct tapir_ctx *c, const struct tapir_site *site); /* "MAXACTION exceeded" */
/* This part of the budget is used up. Returns false if the handler continues with a part of its reserve. */
bool tapir_actions_spent(struct tapir_ctx *c, const struct tapir_site *site);
/* The part of the budget at hand is below `units`. False: with the reserve it is not. */
bool tapir_actions_lacking(struct tapir_ctx *c, s64 units, const struct tapir_site *site);

/* Begins a handler that may run statements that are not units: recursive calls, and calls in return values of functions. */
void tapir_spare_begin(struct tapir_ctx *c);
/* c->spare is used up. False: there is more. */
bool tapir_spare_spent(struct tapir_ctx *c, const struct tapir_site *site);

/* c->work is used up. Returns false if the handler continues. */
bool tapir_work_spent(struct tapir_ctx *c, const struct tapir_site *site);

/* The error just raised is about this limit: its report says how to raise it. */
void tapir_error_limit(struct tapir_ctx *c, u32 limit, u64 value);
void tapir_error_nesting(struct tapir_ctx *c, const struct tapir_site *site); /* "MAXNESTING exceeded" */
void tapir_error_div0(struct tapir_ctx *c, const struct tapir_site *site);    /* "division by 0" */

/* exit(): asks the session to end; the handler continues. Any context. */
void tapir_exit(struct tapir_ctx *c);
/* abort(): as exit(), and unwinds the handler at once. */
void tapir_abort(struct tapir_ctx *c);

/*
 * Ends a handler that may have changed the globals of `condition`; no locks are held. `holds` is its value now. Either this sees
 * the port's value of the condition, or the port sees the handler's writes.
 */
#define tapir_condition_check(condition, holds)                                                                                    \
	do {                                                                                                                       \
		__atomic_thread_fence(__ATOMIC_SEQ_CST);                                                                           \
		if (TAPIR_UNLIKELY((holds) != !!__atomic_load_n(&(condition)->armed, __ATOMIC_RELAXED)))                           \
			tapir_port_condition_changed();                                                                            \
	} while (0)

/* Locks. `set` lists globals by index into tapir_module.globals, ascending. Disables interrupts while held. */
struct tapir_lockset {
	u32 count;
	u16 globals[];
};
/* False: the handler must be skipped (nested over a holder); the skip has been counted and c->failed is TAPIR_FAIL_SKIP. Does
 * nothing at session level. */
bool tapir_locks_take(struct tapir_ctx *c, const struct tapir_lockset *set);
void tapir_locks_drop(struct tapir_ctx *c, const struct tapir_lockset *set);

#endif
