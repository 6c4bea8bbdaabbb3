/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The interface between the module and staprun: the records in the relay buffers and the control file's ioctls. Fixed layout, host
 * byte order, natural alignment without holes; both sides check TAPIR_ABI first.
 *
 * A loaded module creates /proc/tapir-<module name>/control, mode 0600. One process may have it open for reading records; opening
 * pins the module. When the last opener goes away without TAPIR_IOC_DETACH, the module stops its probes as TAPIR_IOC_STOP does.
 */
#ifndef TAPIR_WIRE_H
#define TAPIR_WIRE_H

#include <tapir/types.h>

#define TAPIR_INTERPRETER_VARIABLES 8

/* Changes with any change of this file, of abi.h, or of the port API. Also in the module's .modinfo as "tapir_abi=<n>". */
#define TAPIR_ABI 28

/* ---- records ---- */

enum tapir_record_type {
	TAPIR_REC_DATA = 1, /* script output: bytes for stdout or the -o file */
	TAPIR_REC_ERROR,    /* run-time error text without "ERROR: " and newline */
	TAPIR_REC_WARNING,  /* warning text without "WARNING: " and newline */
	TAPIR_REC_SYSTEM,   /* system(): a command line for sh -c */
	TAPIR_REC_PRINT,    /* script output that the reader formats: items, see tapir/items.h */
};

/*
 * Payload follows, then zero bytes up to a multiple of 8. A record never straddles two reads. `time` is the kernel's monotonic
 * clock in ns; within one stream it never decreases.
 */
struct tapir_record {
	u64 time;
	u32 length; /* payload bytes, without padding; <= TAPIR_RECORD_MAX */
	u8 type;    /* enum tapir_record_type */
	u8 level;   /* enum tapir_level of the handler */
	u16 cpu;
};
#define TAPIR_RECORD_MAX	  16384u
#define TAPIR_RECORD_SIZE(length) (sizeof(struct tapir_record) + (((length) + 7u) & ~7u))

/* Streams. Each exists once per possible CPU. Data and control are separate so that a flood of output cannot lose an error. */
enum tapir_stream {
	TAPIR_STREAM_DATA,    /* DATA and PRINT from task, softirq and hardirq level */
	TAPIR_STREAM_CONTROL, /* everything else from those levels */
	TAPIR_STREAM_NMI,     /* all records from NMI level */
	TAPIR_STREAMS
};

/* ---- control ---- */

enum tapir_state {
	TAPIR_STATE_LOADED,   /* inserted, not started */
	TAPIR_STATE_STARTING, /* begin probes run, then probes are armed */
	TAPIR_STATE_RUNNING,
	TAPIR_STATE_STOPPING, /* probes are disarmed, end (or error) probes run */
	TAPIR_STATE_DONE,     /* no handler will run again; the streams hold what is left */
};

#define TAPIR_NAME_MAX 64

struct tapir_ioc_hello { /* read-only facts */
	u32 abi;
	u32 state;  /* enum tapir_state */
	u32 cpus;   /* number of possible CPU ids (nr_cpu_ids) */
	u32 probes; /* number of probe descriptors */
	u32 globals;
	u32 symbols;	  /* how many symbol names TAPIR_IOC_SYMBOL knows */
	u32 limits;	  /* TAPIR_LIMITS */
	u32 flags;	  /* TAPIR_HELLO_* */
	u32 objects;	  /* how many TAPIR_IOC_OBJECT knows */
	u32 programs;	  /* how many TAPIR_IOC_PROGRAM_GET knows */
	u32 formats;	  /* how many TAPIR_IOC_FORMAT knows */
	u32 interpreters; /* how many TAPIR_IOC_INTERPRETER knows */
	char name[TAPIR_NAME_MAX];
};
#define TAPIR_HELLO_USER_STACKS (1u << 0) /* the script looks at user stacks or symbols: the module takes unwind tables */
#define TAPIR_HELLO_USER_LINES	(1u << 1) /* and at source lines: tables are to have them */
#define TAPIR_HELLO_CALLS	(1u << 2) /* it keeps something of the entries of calls in programs for their returns */
#define TAPIR_HELLO_STACKS	(1u << 3) /* it stores stacks: TAPIR_IOC_STACKS knows how many */
#define TAPIR_HELLO_SNAPSHOTS	(1u << 4) /* it looks at processes while it is STARTING, which may take long */
#define TAPIR_HELLO_SWITCHES	(1u << 5) /* for --monitor: its probes have switches */

enum tapir_limit {					/* what -D NAME=VALUE sets */
		   TAPIR_LIMIT_MAXACTION,		/* the next is ten times as much, unless set */
		   TAPIR_LIMIT_MAXACTION_INTERRUPTIBLE, /* statements of one run of a handler */
		   TAPIR_LIMIT_MAXERRORS,
		   TAPIR_LIMIT_MAXSKIPPED,
		   TAPIR_LIMIT_MAXNESTING,
		   TAPIR_LIMIT_MAXMAPENTRIES,	 /* arrays without [N] */
		   TAPIR_LIMIT_MINSTACKSPACE,	 /* bytes of kernel stack below which a handler is skipped */
		   TAPIR_LIMIT_BUFFER_BYTES,	 /* data stream, per CPU */
		   TAPIR_LIMIT_MAXTIME,		 /* us that a handler may take with preemption disabled */
		   TAPIR_LIMIT_STACK_BYTES,	 /* of stacks as values, 1 MB to 1 GB */
		   TAPIR_LIMIT_OVERLOAD,	 /* share of a processor that ends the session, of TAPIR_SHARE_ALL; 0: none does */
		   TAPIR_LIMIT_MAXRECALLTHREADS, /* that have events of @recall at the same time */
		   TAPIR_LIMIT_BUDGET,		 /* share of a processor that probes may take, of TAPIR_SHARE_ALL; 0: any */
		   TAPIR_LIMITS
};

#define TAPIR_SHARE_ALL 10000u /* shares of a processor's time are in hundredths of a percent */

#define TAPIR_ACTIONS_INTERRUPTIBLE 10 /* MAXACTION_INTERRUPTIBLE by MAXACTION, where only that is set */

#define TAPIR_ZONE_MAX	 16
#define TAPIR_REMOTE_MAX 256

struct tapir_ioc_config { /* before START */
	s64 target;	  /* target(): PID in the caller's view, 0 = none */
	s64 namespaces;	  /* PID in the caller's view of a process whose namespaces ns_pid() and the like mean; 0 = the caller */
	u64 limits[TAPIR_LIMITS];
	u32 flags;		   /* TAPIR_CONFIG_* */
	s32 seconds_west;	   /* of UTC: the loader's time zone, for functions that print local time */
	u32 limits_set;		   /* 1 << enum tapir_limit: which of the limits count; others are the module's own */
	s32 remote_id;		   /* with TAPIR_CONFIG_REMOTE: number of this machine among those the script was sent to, from 0 */
	char zone[TAPIR_ZONE_MAX]; /* name of that time zone, NUL-terminated */
	char remote_uri[TAPIR_REMOTE_MAX]; /* with TAPIR_CONFIG_REMOTE: how this machine was named, NUL-terminated */
};
#define TAPIR_CONFIG_TIMING	     (1u << 0) /* -t: measure handlers */
#define TAPIR_CONFIG_SUPPRESS_ERRORS (1u << 1) /* --suppress-handler-errors */
#define TAPIR_CONFIG_COMMAND	     (1u << 2) /* -c: the target has yet to execute the command */
#define TAPIR_CONFIG_REMOTE	     (1u << 3) /* the script was started from another machine */

struct tapir_ioc_global { /* before START: name=value; while RUNNING of those that are live, else -EBUSY */
	char name[TAPIR_NAME_MAX];
	u64 value;  /* user pointer to NUL-terminated text; longs in C notation */
	u32 length; /* strlen */
	u32 reserved;
};

struct tapir_ioc_budget { /* before START: shares the budget with the other sessions that were given the same pages */
	u64 address;	  /* a struct tapir_budget_file in memory that others may write, at the beginning of a page */
	u64 bytes;	  /* of it, at least TAPIR_BUDGET_BYTES(hello.cpus) */
};

/*
 * Memory that sessions with a budget share, a file of a file system in memory: this head, and for each CPU a row of
 * TAPIR_BUDGET_ROW bytes that runtime/budget_share.h describes.
 */
struct tapir_budget_file {
	u64 magic; /* TAPIR_BUDGET_MAGIC */
	u32 cpus;  /* how many rows follow */
	u32 reserved;
	u64 unused[6];
};
#define TAPIR_BUDGET_MAGIC	 0x3174656764756274ull /* "tbudget1" */
#define TAPIR_BUDGET_ROW	 64u
#define TAPIR_BUDGET_BYTES(cpus) (sizeof(struct tapir_budget_file) + (u64)(cpus)*TAPIR_BUDGET_ROW)

struct tapir_ioc_symbol { /* before START: staprun resolves symbols from /proc/kallsyms in one pass */
	u32 index;	  /* in: 0 .. hello.symbols-1 */
	u32 reserved;
	u64 address;	/* SYMBOL_GET: out, 0; SYMBOL_SET: in, 0 = not found */
	char name[128]; /* SYMBOL_GET: out */
};

#define TAPIR_BUILD_ID_MAX 72
struct tapir_ioc_object { /* what the script was translated for; staprun compares before START */
	u32 index;	  /* in: 0 .. hello.objects-1 */
	u32 reserved;
	char module[TAPIR_NAME_MAX];	   /* out: "" = the kernel itself */
	char build_id[TAPIR_BUILD_ID_MAX]; /* out: lower-case hexadecimal */
};

struct tapir_ioc_program {		   /* before START: a program or library that the script probes */
	u32 index;			   /* in: 0 .. hello.programs-1 */
	s32 fd;				   /* PROGRAM_SET: in, the file open for reading */
	u64 size;			   /* PROGRAM_GET: out, bytes of the file that the script was translated for; 0: any */
	char build_id[TAPIR_BUILD_ID_MAX]; /* PROGRAM_GET: out, lower-case hexadecimal; "" = the file has none */
	char path[1024];		   /* PROGRAM_GET: out, absolute */
};

struct tapir_ioc_cgroup { /* before START: limits handlers to the tasks of a control group, and of those below it */
	s32 fd;		  /* its directory in the hierarchy of version 2, open */
	u32 reserved;
};

/* A piece of a script's format, followed by `literal` bytes of literal text. */
struct tapir_piece {
	u8 conv; /* as in struct tapir_fmt */
	u8 flags;
	u16 reserved;
	s32 width, precision;
	u32 literal;
};

struct tapir_ioc_format { /* how to make text of records of type PRINT */
	u32 index;	  /* in: 0 .. hello.formats-1 */
	u32 length;	  /* in: room; out: bytes of the description, which is written only if there is room */
	u64 buffer;	  /* user pointer */
};

struct tapir_ioc_snapshot {
	u64 time;  /* out: every record with a smaller or equal time is readable now */
	u64 ready; /* out: bytes readable over all streams */
	u32 state; /* out: enum tapir_state at that moment */
	u32 flags; /* in: TAPIR_SNAPSHOT_* */
};
/* If this finds nothing, the reader looks again only when the control file polls readable, which the next record makes it do. */
#define TAPIR_SNAPSHOT_WAITS (1u << 0)

struct tapir_ioc_read { /* reads whole records of one stream, up to the last snapshot */
	u32 stream;	/* enum tapir_stream */
	u32 cpu;
	u64 buffer; /* user pointer */
	u32 length; /* in: room; at least TAPIR_RECORD_SIZE(TAPIR_RECORD_MAX) */
	u32 filled; /* out */
};

enum tapir_skip {
	TAPIR_SKIP_REENTRY, /* the same level of this CPU was already in a handler */
	TAPIR_SKIP_LOCK,    /* a lock was held by the handler this one interrupted, or could not be had for a second */
	TAPIR_SKIP_STACK,   /* less than MINSTACKSPACE left */
	TAPIR_SKIP_STATE,   /* session was not running yet or any more */
	TAPIR_SKIP_BUDGET,  /* more hits than the budget has time for */
	TAPIR_SKIPS
};

struct tapir_ioc_probe { /* one row of the ledger; sums over CPUs */
	u32 index;	 /* in */
	u32 attached;	 /* out: attach sites that are or were armed */
	u64 hits;	 /* out: = handled + sum(skipped) */
	u64 handled;
	u64 skipped[TAPIR_SKIPS];
	u64 refused;   /* of those that the budget left out: those for which no other one stands */
	u64 stretched; /* hits at a longer period than the script's, because of the budget */
	u64 missed;    /* out: hits the kernel did not deliver (nmissed), not in `hits` */
	u64 errors;    /* handled hits that ended in a run-time error */
	u64 timed;     /* of those handled: how many were measured: all with TAPIR_CONFIG_TIMING, else a sample */
	u64 time_min, time_max, time_sum; /* ns, of these */
	u64 way_ns;			  /* estimate of what a hit costs besides its handler */
	u32 flags;			  /* TAPIR_PROBE_* */
	u32 reserved;
	char point[256]; /* out: expanded probe point, truncated */
	char where[128]; /* out: "file:line:column" of the handler */
};

#define TAPIR_PROBE_OFF	      (1u << 0) /* TAPIR_IOC_SWITCH switched it off */
#define TAPIR_PROBE_SYNTHETIC (1u << 1) /* the translator made it; it has no switch */

struct tapir_ioc_switch { /* STARTING or RUNNING; of a module with TAPIR_HELLO_SWITCHES, else -EOPNOTSUPP */
	u32 index;	  /* of a probe of the script; -EINVAL: there is none */
	u32 on;		  /* 0: its handler runs no more, and soon it is disarmed */
};

struct tapir_ioc_stream {			/* one row of the output ledger */
	u32 stream, cpu;			/* in */
	u64 records_produced, bytes_produced;	/* offered by handlers, records with their padding */
	u64 records_dropped, bytes_dropped;	/* no room */
	u64 records_delivered, bytes_delivered; /* handed to a reader */
};

struct tapir_ioc_calls { /* calls in programs whose entry left something for the return, of all probes */
	u64 followed;	 /* out: = returned + left + inside + missed, while none begins or ends */
	u64 returned;
	u64 left;   /* without a return: by longjmp or an exception, or their process ended or executed another program */
	u64 inside; /* neither yet, or when their probe was detached */
	u64 missed; /* for want of memory; they are in the `missed` of their probes, too */
};

struct tapir_ioc_cut {	/* what there was no room for: texts that were cut, and what is lost */
	u64 strings;	/* out: texts */
	u64 stacks;	/* out: texts of stacks */
	u64 recalls;	/* out: events of @recall that are lost */
	u64 samples;	/* out: samples that found no room in their array */
	u32 string_cap; /* out: bytes of a string with its NUL (MAXSTRINGLEN) */
	u32 weighted;	/* out: samples count for hits that the budget left out, too */
};

struct tapir_ioc_stacks {      /* stacks as values; -ENOTTY if the script stores none */
	u64 kept, refused;     /* out: different stacks; walks whose stack there was no room to keep */
	u64 used, bytes, most; /* out: of the room for them; taken; that may be */
};

enum tapir_bulk {		      /* what TAPIR_IOC_BULK reads */
		  TAPIR_BULK_STACKS,  /* at any time; stacks that are kept meanwhile may be left out */
		  TAPIR_BULK_SAMPLES, /* when the session is DONE, else -EBUSY */
		  TAPIR_BULK_TIMES,   /* likewise: samples with their times, the last first; the sums contain them, too */
};
struct tapir_ioc_bulk { /* -ENOTTY if the script stores no stacks */
	u64 at;		/* in: 0, or what the last one left here; out: where to go on, 0: that was all */
	u64 buffer;	/* user pointer */
	u32 length;	/* in: room, 64 KB at least */
	u32 filled;	/* out */
	u32 what;	/* enum tapir_bulk */
	u32 reserved;
};
struct tapir_bulk_stack { /* followed by its frames as <tapir/unwind.h> has them, innermost first, the kernel's before the program's
			   */
	u64 number;
	u16 frames, kernel_frames;
	u8 kernel_end, user_end; /* enum tapir_unwind_end; MORE: the stack has no such part */
	u16 reserved;
	u32 process; /* thread group, if a frame of user code is in no file; else 0 */
	u32 owner;   /* its user, as the initial namespace has it; 0 without a process */
	u32 own;     /* the thread group's number in the innermost of its PID namespaces, and */
	u32 space;   /* the number of that namespace; 0: not known */
};
struct tapir_bulk_sample { /* followed by the label, with zero bytes up to a multiple of 8 */
	u64 stack, waker;  /* numbers of stacks; 0: none, 1: there was no room to keep it */
	u64 count;
	s64 sum;
	u32 label_bytes;
	u16 frames;   /* whether the label has frames of an interpreted language, as interp_frames() gives them */
	u16 overflow; /* whether the sum may have needed more than 64 bits: then it is not known */
};

struct tapir_bulk_time { /* followed by the label, as above */
	s64 time;	 /* ns since the epoch */
	u64 stack, waker;
	s64 value;
	u32 pid, tid; /* in the initial namespace */
	u32 label_bytes;
	u32 frames; /* as above */
	u32 cpu;
	u32 reserved;
	char comm[16]; /* of the thread */
};

struct tapir_ioc_profile { /* what @profile says; when the session is DONE, else -EBUSY */
	char title[128], unit[64];
};

struct tapir_ioc_status {
	u32 state;
	u32 exit_requested; /* exit() or a fatal error was seen */
	u64 errors;	    /* run-time errors that escaped a handler */
	u64 skipped;	    /* sum over probes of skipped + missed */
	u64 fatal;	    /* 1: MAXERRORS or MAXSKIPPED exceeded, or an attach failed */
	u64 warnings_lost;  /* control records dropped */
	u64 array_bytes;    /* memory that arrays have taken */
};

struct tapir_ioc_lock {		   /* one global */
	u32 index;		   /* in: 0 .. hello.globals-1 */
	u8 kind;		   /* out: enum tapir_global_kind */
	u8 value_type;		   /* out: enum tapir_type; of an array: of its values */
	u8 keys;		   /* out: of an array */
	u8 monitored;		   /* out: --monitor shows it */
	u32 elements;		   /* out: that an array has now */
	u32 most;		   /* out: that it has room for */
	u64 contended;		   /* out: how often hits found it locked, for -t */
	char name[TAPIR_NAME_MAX]; /* out */
};

/*
 * Tables of user objects (tapir/unwind.h), which staprun makes when the module wants them: -ENOTTY unless TAPIR_HELLO_USER_STACKS.
 * An object is wanted from the moment a walk meets it, or its process or file is announced; the control file then polls readable.
 */
struct tapir_ioc_unwind_want { /* -ENODATA: nothing is wanted now */
	u32 index;	       /* out */
	s32 file;	       /* out: a new descriptor of the object's file, or -1 for the vDSO */
};

/* The interpreter that a file is, and the places of its variables. */
struct tapir_file_interpreter {
	u32 number; /* from 1 on; 0: none, and the rest is 0 */
	u32 reserved;
	u64 lead, bias; /* added to a place in the file, of its first bytes and of its code, they give the address as linked */
	u64 variables[TAPIR_INTERPRETER_VARIABLES]; /* addresses as linked; 0: the file has no such */
	u64 contents[TAPIR_INTERPRETER_VARIABLES];  /* their first 8 bytes as the file has them; 0: it has none */
};

struct tapir_ioc_unwind_put {
	u32 index; /* in: what was wanted */
	u32 reserved;
	u64 block;  /* user pointer to a table */
	u64 length; /* bytes; 0: no table */
};

struct tapir_ioc_put_interpreter { /* before the table, which takes longer to make */
	u32 index;		   /* in: what was wanted */
	u32 reserved;
	struct tapir_file_interpreter interpreter;
};

struct tapir_ioc_interpreter { /* struct tapir_interpreter */
	u32 index;	       /* in: 0 .. hello.interpreters-1 */
	u32 reserved;
	char name[32], known[96], files[192], loop[64];
	char variables[TAPIR_INTERPRETER_VARIABLES][48]; /* "" after the last one */
};

/* A file of an interpreter that a handler met, and whose tapset cannot read it. */
struct tapir_ioc_unknown_interpreter {
	u32 index; /* in: objects from this on; out: its object. -ENODATA after the last one */
	u32 number;
	char what[32]; /* which one it is */
};

struct tapir_ioc_unwind_process { /* wants the objects that a process has mapped; -ESRCH */
	s64 pid;		  /* in the caller's namespace */
};

struct tapir_ioc_unwind_file { /* wants an object that is about to be mapped */
	s32 file;
	u32 reserved;
};

#define TAPIR_UNWIND_ENDS_MAX 16
struct tapir_ioc_unwind_count {
	u64 ends[TAPIR_UNWIND_ENDS_MAX]; /* out: walks by enum tapir_unwind_end */
	u64 bytes;			 /* of tables */
	u32 objects, tables;		 /* met, of these with a table */
	u64 finished, refused;		 /* walks that went on when a table came, and for which there was no room to do so */
};

/* Lines of a stack that an item of TAPIR_ITEM_FRAMES stands for (tapir/items.h). -ESRCH if the stack is unknown or forgotten;
 * -EAGAIN if a table is still missing, and `last` is 0. */
struct tapir_ioc_frames {
	u64 buffer;
	u32 length, filled; /* out: bytes of whole lines */
	u32 id;
	u32 at; /* the frame to begin with, 0 at first; out: for the next call, 0: these were all, and they are forgotten */
	u16 form;
	u16 last; /* as much as there is */
	u32 reserved;
};

/* ioctl numbers: 'T' is the direction-less group; sizes are part of the number, so a mismatch is -ENOTTY. */
#define TAPIR_IOC_TYPE		  0xb7
#define TAPIR_IOC_(dir, nr, type) (((dir) << 30) | ((u32)sizeof(type) << 16) | (TAPIR_IOC_TYPE << 8) | (nr))
#define TAPIR_IOC_HELLO		  TAPIR_IOC_(2u, 0, struct tapir_ioc_hello)
#define TAPIR_IOC_CONFIG	  TAPIR_IOC_(1u, 1, struct tapir_ioc_config)
#define TAPIR_IOC_GLOBAL	  TAPIR_IOC_(1u, 2, struct tapir_ioc_global)
#define TAPIR_IOC_SYMBOL_GET	  TAPIR_IOC_(3u, 3, struct tapir_ioc_symbol)
#define TAPIR_IOC_SYMBOL_SET	  TAPIR_IOC_(1u, 4, struct tapir_ioc_symbol)
#define TAPIR_IOC_START		  ((TAPIR_IOC_TYPE << 8) | 5u) /* returns at once; begin probes run in the session thread */
#define TAPIR_IOC_STOP		  ((TAPIR_IOC_TYPE << 8) | 6u) /* asks; a begin handler is given up; DONE follows */
#define TAPIR_IOC_SNAPSHOT	  TAPIR_IOC_(3u, 7, struct tapir_ioc_snapshot)
#define TAPIR_IOC_READ		  TAPIR_IOC_(3u, 8, struct tapir_ioc_read)
#define TAPIR_IOC_PROBE		  TAPIR_IOC_(3u, 9, struct tapir_ioc_probe)
#define TAPIR_IOC_STREAM	  TAPIR_IOC_(3u, 10, struct tapir_ioc_stream)
#define TAPIR_IOC_STATUS	  TAPIR_IOC_(2u, 11, struct tapir_ioc_status)
#define TAPIR_IOC_DETACH	  ((TAPIR_IOC_TYPE << 8) | 12u) /* closing will not stop the session */
#define TAPIR_IOC_LOCK		  TAPIR_IOC_(3u, 13, struct tapir_ioc_lock)
#define TAPIR_IOC_INTERRUPT	  ((TAPIR_IOC_TYPE << 8) | 14u) /* STOP; gives up the begin, end or error handler that is running */
#define TAPIR_IOC_OBJECT	  TAPIR_IOC_(3u, 15, struct tapir_ioc_object)
#define TAPIR_IOC_UNWIND_WANT	  TAPIR_IOC_(2u, 16, struct tapir_ioc_unwind_want)
#define TAPIR_IOC_UNWIND_PUT	  TAPIR_IOC_(1u, 17, struct tapir_ioc_unwind_put)
#define TAPIR_IOC_UNWIND_PROCESS  TAPIR_IOC_(1u, 18, struct tapir_ioc_unwind_process)
#define TAPIR_IOC_UNWIND_FILE	  TAPIR_IOC_(1u, 19, struct tapir_ioc_unwind_file)
#define TAPIR_IOC_UNWIND_COUNT	  TAPIR_IOC_(2u, 20, struct tapir_ioc_unwind_count)
#define TAPIR_IOC_PROGRAM_GET	  TAPIR_IOC_(3u, 21, struct tapir_ioc_program)
#define TAPIR_IOC_PROGRAM_SET	  TAPIR_IOC_(1u, 22, struct tapir_ioc_program)
#define TAPIR_IOC_CGROUP	  TAPIR_IOC_(1u, 23, struct tapir_ioc_cgroup)
#define TAPIR_IOC_CALLS		  TAPIR_IOC_(2u, 24, struct tapir_ioc_calls) /* zeros unless TAPIR_HELLO_CALLS */
#define TAPIR_IOC_CUT		  TAPIR_IOC_(2u, 25, struct tapir_ioc_cut)
#define TAPIR_IOC_STACKS	  TAPIR_IOC_(2u, 26, struct tapir_ioc_stacks)
#define TAPIR_IOC_FORMAT	  TAPIR_IOC_(3u, 28, struct tapir_ioc_format)
#define TAPIR_IOC_BULK		  TAPIR_IOC_(3u, 31, struct tapir_ioc_bulk)
#define TAPIR_IOC_PROFILE	  TAPIR_IOC_(2u, 32, struct tapir_ioc_profile)
#define TAPIR_IOC_FRAMES	  TAPIR_IOC_(3u, 33, struct tapir_ioc_frames)
#define TAPIR_IOC_INTERPRETER	  TAPIR_IOC_(3u, 34, struct tapir_ioc_interpreter)
#define TAPIR_IOC_PUT_INTERPRETER TAPIR_IOC_(1u, 35, struct tapir_ioc_put_interpreter)
#define TAPIR_IOC_UNKNOWN	  TAPIR_IOC_(3u, 36, struct tapir_ioc_unknown_interpreter)
#define TAPIR_IOC_SWITCH	  TAPIR_IOC_(1u, 37, struct tapir_ioc_switch)
#define TAPIR_IOC_BUDGET	  TAPIR_IOC_(1u, 38, struct tapir_ioc_budget)
/*
 * Begin, end and error handlers wait for a reader: who took a SNAPSHOT, before START or later, until it closes the control file.
 */
/*
 * The control file polls readable when a stream is over a quarter full, a control record waits, or the state changed, and after
 * TAPIR_SNAPSHOT_WAITS with the first record.
 */

#endif
