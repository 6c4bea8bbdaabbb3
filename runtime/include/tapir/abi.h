/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Descriptors of a translated script, for the runtime it is linked with. The emitter writes one `tapir_module` per script;
 * everything in it is constant except the storage it points to. All strings are NUL-terminated and live as long as the module.
 */
#ifndef TAPIR_ABI_H
#define TAPIR_ABI_H

#include <tapir/items.h>
#include <tapir/recall.h>
#include <tapir/syscall.h>
#include <tapir/types.h>
#include <tapir/wire.h>

struct tapir_ctx;
struct tapir_kind_ops;
struct tapir_map;
struct tapir_stat_slot;

/* A place in the script, for run-time errors: "identifier 'x' at file.stp:3:7". */
struct tapir_site {
	const char *text;
};

/* ---- globals ---- */

enum tapir_type { TAPIR_LONG, TAPIR_STRING, TAPIR_STAT };

#define TAPIR_MAX_KEYS 9

enum tapir_hist_type { TAPIR_HIST_LOG, TAPIR_HIST_LINEAR, TAPIR_HIST_LOGLINEAR };

struct tapir_hist_desc {
	u8 type;	      /* enum tapir_hist_type */
	s64 low, high, width; /* linear: limits; loglinear: powers of ten, and steps in each */
	u32 buckets;	      /* how many, as hist_shape.h says */
	u32 first;	      /* number of the first among the buckets of all histograms of the statistic */
};

struct tapir_stat_desc {
	u8 min_max;  /* @min or @max is read somewhere */
	u8 variance; /* @variance is read somewhere: takes the per-CPU lock */
	u8 sketch;   /* @percentile or @median is: takes it, too, and has counters by size */
	u32 nhists;
	u32 buckets; /* of all histograms */
	const struct tapir_hist_desc *hists;
};

#define TAPIR_REPORTED_COPIES 1u /* memory for copies of all elements is set aside */
#define TAPIR_REPORTED_CUT    2u /* elements are cut off while others come: memory for both is */

struct tapir_map_desc {
	u8 nkeys;		      /* 1..TAPIR_MAX_KEYS */
	u8 key_types[TAPIR_MAX_KEYS]; /* TAPIR_LONG or TAPIR_STRING */
	u8 value_type;		      /* enum tapir_type */
	u8 wrap;		      /* "%": a full map recycles the head of its list */
	u8 stable;		      /* no element is ever deleted or recycled: statistics need no per-CPU lock */
	u8 reported;		      /* how handlers take snapshots: TAPIR_REPORTED_* */
	u8 known;		      /* some handler finds elements by texts that stay: see tapir_map_attempt_stat() */
	u32 max_entries;	      /* [N]; 0 = TAPIR_LIMIT_MAXMAPENTRIES */
	u64 age;		      /* ns: an element that was not written for so long leaves; 0: it stays. Then not `stable` */
};

enum tapir_global_kind { TAPIR_GLOBAL_LONG, TAPIR_GLOBAL_STRING, TAPIR_GLOBAL_STAT, TAPIR_GLOBAL_MAP };

/* Protects one global. Handlers take locks in the order of their globals in tapir_module.globals. */
struct tapir_lock {
	u64 opaque[7]; /* the port's; zero = unlocked */
	u64 time;      /* no record that is made under it may have this time or an earlier one; under the lock */
};

/* Values that a global may be changed to while the session runs. */
struct tapir_live {
	s64 least, most;     /* of a long */
	const char *choices; /* of a string: those that there are, "a|b"; NULL: any */
};

struct tapir_global {
	const char *name;		    /* as the user knows it */
	u8 kind;			    /* enum tapir_global_kind */
	u8 settable;			    /* name=value at load time is allowed (scalar long or string) */
	const struct tapir_map_desc *map;   /* MAP */
	const struct tapir_stat_desc *stat; /* STAT, and MAP of statistics */
	void *storage; /* s64 * | char * (string_cap bytes, 8-aligned) | struct tapir_stat_slot ** | struct tapir_map ** */
	struct tapir_lock *lock;
	const struct tapir_live *live; /* NULL: it stays as the session began */
	u8 monitored;		       /* --monitor shows it */
};

/* ---- probes ---- */

/* TAPIR_PHASE_SNAPSHOT comes between begin and the arming of probes; begin, end and error probes do not run in it. */
enum tapir_phase { TAPIR_PHASE_BEGIN, TAPIR_PHASE_END, TAPIR_PHASE_ERROR, TAPIR_PHASE_SNAPSHOT };

struct tapir_begin_arg {
	u8 phase;  /* enum tapir_phase */
	s64 order; /* ascending; ties in descriptor order */
};

struct tapir_timer_arg {
	u8 jiffies;    /* unit of the two below: 0 = ns, 1 = jiffies */
	u64 period;    /* > 0 */
	u64 randomize; /* each period is period +- up to this much; <= period */
};

#define TAPIR_NO_SYMBOL (~0u)

struct tapir_function_site {
	u32 symbol;	      /* index into tapir_module.symbols; TAPIR_NO_SYMBOL: `offset` is the address */
	u8 entry;	      /* the first instruction of a function */
	s64 offset;	      /* from the symbol */
	const char *label;    /* pp() = prefix + label + suffix; "function", or "function@file:line", or an address */
	const char *function; /* if the label is an address: the function there, "" if it is not known; else NULL */
};

struct tapir_function_arg {
	u32 count;
	u8 wildcard; /* a site that cannot be attached is counted, not an error */
	u8 optional;
	u8 kprobe;     /* written as kprobe.function */
	u32 maxactive; /* returns: calls of one function that are followed at once; 0 = the default */
	const struct tapir_function_site *sites;
	const char *prefix, *suffix;
};

/* An instruction that brings user memory in: see tapir/touch.h. */
struct tapir_touch {
	u8 op; /* enum tapir_touch_op */
	u8 detail;
	s64 value;
};

#define TAPIR_PID_TARGET -1
#define TAPIR_NO_PROGRAM (~0u)

/* Places in a program or library, by their offsets in its file. */
struct tapir_user_arg {
	struct tapir_function_arg code; /* of a site, `offset` is that in the file */
	u32 program;			/* index into tapir_module.programs */
	s32 pid; /* in this process only, in the loader's view; TAPIR_PID_TARGET: in target() and its descendants; 0: in all */
	const u64 *semaphores; /* by site: the offset of a counter to raise while the site is probed, or 0; NULL: none */
	u32 ntouches, nentry_touches;
	const struct tapir_touch *touches;	 /* the handler's reads */
	const struct tapir_touch *entry_touches; /* the reads of the handler at the entry, for returns */
	/*
	 * Returns: the function at site i is left by the instructions exits[first_exit[i]] up to exits[first_exit[i + 1]], by their
	 * offsets in the file. Where there are none, the kernel's return probe follows the calls. NULL: none of any site.
	 */
	const u32 *first_exit;
	const u64 *exits;
	/* Returns: by site, whether a jump of the function leads to its entry, so that one call hits it several times. NULL: none
	 * do.
	 */
	const u8 *comes_back;
	u8 goroutines; /* returns: the functions are Go's, whose stacks move, and keep the goroutine in its register */
};

/* Frames of a program's functions, on stacks of a stopped or dead process. The `offset` of a site is that in the file; for a return
 * address it is that of the call's last byte. */
struct tapir_frame_arg {
	struct tapir_function_arg code;
	u32 program;	   /* index into tapir_module.programs */
	s32 pid;	   /* as in tapir_user_arg */
	const u32 *depths; /* by site: how many functions that were inlined there are within it */
};

enum tapir_process_event {
	TAPIR_PROCESS_BEGIN,
	TAPIR_PROCESS_END,
	TAPIR_THREAD_BEGIN,
	TAPIR_THREAD_END,
	TAPIR_SYSCALL,	      /* ctx->args: the number and six arguments */
	TAPIR_SYSCALL_RETURN, /* ctx->args: the number and the result */
	/* For a stopped or dead process: once in its first thread, once in each. */
	TAPIR_PROCESS_SNAPSHOT,
	TAPIR_THREAD_SNAPSHOT,
};

/* Events in the life of processes, and their actions. */
struct tapir_process_arg {
	u8 event; /* enum tapir_process_event */
	u8 wildcard, optional;
	u32 program; /* that they run: index into tapir_module.programs; TAPIR_NO_PROGRAM: any */
	s32 pid;     /* as in tapir_user_arg */
};

/* A system call of one ABI. */
struct tapir_syscall_entry {
	struct tapir_syscall call;
	const char *name; /* the kernel's, if that is another; else NULL */
	u16 number;
	u8 narrow; /* as 32-bit programs call it */
	u8 part; /* `number` is that of socketcall, or with `ipc` of ipc, whose first argument has to be this; 0: of the call itself
		  */
	u8 ipc;
};

/* Calls and returns of system calls. ctx->place: the tapir_syscall_entry, or NULL. */
struct tapir_syscall_arg {
	u8 at_return;
	u8 every; /* any number, whether or not an entry has it */
	u32 count;
	const u16 *entries; /* indices into tapir_module.syscalls */
};

/* The contents of ctx->args: the number, the result (0 at a call), the arguments as the kernel gets them. */
enum tapir_syscall_value { TAPIR_SYSCALL_NUMBER, TAPIR_SYSCALL_RESULT, TAPIR_SYSCALL_FIRST };

/* A performance event on every CPU; the numbers are those of struct perf_event_attr. */
struct tapir_perf_arg {
	u32 type;
	u8 optional;
	u64 config;
	u64 period;	     /* events per hit (ns, for clocks), or */
	u64 frequency;	     /* hits per second of a CPU; both 0: the kernel's clock tick */
	const char *counter; /* the name it is read by; such an event makes no hits. NULL: it makes hits */
	const char *program; /* hits of tasks that run this file only. NULL: all */
};

/* Memory of the kernel that the processor watches. */
struct tapir_data_arg {
	u32 symbol; /* index into tapir_module.symbols, if by_symbol */
	u32 length; /* 1, 2, 4 or 8 */
	u64 address;
	u8 by_symbol;
	u8 reads; /* not only writes */
	u8 optional;
};

/* Threads of a program, each with a performance event. */
struct tapir_task_arg {
	struct tapir_process_arg process; /* whose; `event` has no meaning */
	u64 start;			  /* of the first instruction that a process runs of the program, as linked */
	u64 start_offset;		  /* the same in its file */
};

/* Memory of a program that the processor watches in each thread of its processes. */
struct tapir_user_data_arg {
	struct tapir_task_arg task;
	u64 address; /* as linked */
	u32 length;  /* 1, 2, 4 or 8 */
	u8 reads;    /* not only writes */
};

/* A performance event that is counted in each thread of a program; the numbers are those of struct perf_event_attr. */
struct tapir_task_counter_arg {
	struct tapir_task_arg task;
	u32 type;
	u64 config;
	const char *name; /* that it is read by */
};

/* A file below /proc/systemtap/MODULE, read or written. Several probes may share one. */
struct tapir_procfs_arg {
	const char *path;
	u8 write;
	u8 has_umask;
	u16 umask;
	u32 max_size; /* bytes of a value and its NUL; of several probes the most counts */
};

/* Packets that pass a filter, by the kernel's numbers. */
struct tapir_netfilter_arg {
	u8 family, hook;
	s32 priority;
};

#define TAPIR_TRACE_ARGS 12 /* the most arguments of any tracepoint of Tapir, and the limit for those of the kernel */

struct tapir_tracepoint_arg {
	const char *name;   /* as the kernel has it, without a system */
	const char *module; /* that has it; NULL: the kernel itself */
	u8 nargs;	    /* <= TAPIR_TRACE_ARGS */
	u8 wildcard, optional;
};

/*
 * probe if (...). `armed` is the condition's value by which the port attached its probes. Until the port follows a change, every
 * hit asks `holds`. Handlers that may change the condition's globals end with tapir_condition_check().
 */
struct tapir_condition {
	bool (*holds)(void); /* called without a context and without locks */
	u8 armed;
};

/* The member of union tapir_leaf that the probes of a kind have: TAPIR_LEAF_OF_kind. */
enum tapir_leaf_form { TAPIR_LEAF_PLAIN, TAPIR_LEAF_REGISTERS, TAPIR_LEAF_ARGUMENTS };
enum tapir_kind_leaf {
#define TAPIR_KIND(Name, name, LEAF, registers, flags) TAPIR_LEAF_OF_##name = TAPIR_LEAF_##LEAF,
#include <tapir/kinds.def>
};

/*
 * A handler that touches nothing but atomics, per-CPU statistics and the first arguments of the hit needs no context: it has `leaf`
 * instead of `handler` and is called with preemption disabled. Exactly one of the two is set. Which member of `leaf` it is depends
 * on the kind alone.
 */
union tapir_leaf {
	void (*plain)(u32 cpu);
	/* Entries and returns of functions, places in programs; the registers are laid out as tapir/registers.h has it. */
	void (*registers)(u32 cpu, const void *registers);
	/* Tracepoints. Arguments from the sixth on need a context. */
	void (*arguments)(u32 cpu, u64 a, u64 b, u64 c, u64 d, u64 e);
};
struct tapir_probe {
	const char *point; /* expanded probe point; for several symbols that of the first */
	const char *where; /* "file:line:column" */
	const struct tapir_kind_ops *kind;
	const void *arg; /* the kind's tapir_*_arg */
	void (*handler)(struct tapir_ctx *c);
	union tapir_leaf leaf;
	struct tapir_condition *condition; /* NULL = always armed; several probes may share one */
	/* At a function's return: runs at the entry of the same call. ctx->saved points at `saved_bytes` bytes, zero at first,
	 * which the handler finds again. NULL: nothing to save. */
	void (*entry)(struct tapir_ctx *c);
	u32 saved_bytes;
	/* Does the handler's work without a context, if that is possible this time. Otherwise it does nothing and returns false:
	 * then the handler has to run. For kinds that try it; `place` is what ctx->place would be. NULL: it is never possible. */
	bool (*attempt)(const void *place, u32 cpu);
	/* For a timer: the handler uses nothing of the interrupted code, and runs in the session thread, at TAPIR_LEVEL_REPORT. */
	u8 report;
	/* The handler, or `entry`, may print where it is hit, rather than in the session thread. Without such handlers, no CPU has
	 * buffers for that. */
	u8 prints;
	/* Where probes have switches: the translator made it, and it has none. */
	u8 synthetic;
	/* Its hits are as many as the script asked for, or few: a budget leaves none of them out. */
	u8 steady;
	/* Not 0: it belongs to those, under this number, that hand elements of arrays to each other by the thread. Under a budget
	 * one that `follows` is handled if, and only if, the last hit of another one by the same thread was. */
	u8 pair, follows;
};

/* ---- module ---- */

/* An object that the script was translated for by its debug information, and that must be the very same at run time. */
struct tapir_object {
	const char *module;   /* "" = the kernel itself */
	const char *build_id; /* lower-case hexadecimal */
};

/* A program or library. The loader opens it, and compares it with the one that the script was translated for, before START. */
struct tapir_program {
	const char *path;
	const char *build_id; /* lower-case hexadecimal; "" = the file has none */
	u64 size;	      /* of the file, bytes; 0 = any file at the path */
	u64 text_bias;	      /* address of its code, as linked, minus the code's offset in the file, which is */
	u64 text_offset;
};

/* Programs that run those of another language, as @interpreter() in a tapset says. A file is of the interpreter if it defines the
 * first of the variables. */
#define TAPIR_INTERPRETERS 16u
struct tapir_interpreter {
	const char *name;
	const char *known; /* which of them its tapset can read */
	const char *files; /* patterns of the names that such files usually have, a space between them */
	const char *loop;  /* the function whose call runs frames of the language; "": no function identifies them */
	const char *variables[TAPIR_INTERPRETER_VARIABLES]; /* NULL after the last one */
};

/* A number of the module's data that a global decides when the session starts: the loader may have set it. */
struct tapir_setting {
	const char *name; /* of the global */
	const s64 *global;
	u64 *number;	 /* what it decides: this one, or */
	u32 *entries;	 /* this one */
	s64 least, most; /* of the global; the product below fits */
	u64 times;	 /* the number is `times` the global, or */
	u64 dividend;	 /* `dividend` by the global, if that is not 0 */
};

struct tapir_module {
	u32 abi;	 /* TAPIR_ABI */
	u32 string_cap;	 /* MAXSTRINGLEN: bytes of a string buffer including its NUL; multiple of 8, >= 16 */
	u32 frame_bytes; /* frame memory each context needs, recursion included */
	u32 nprobes, nglobals, nsymbols, nconditions;
	const struct tapir_probe *probes;
	const struct tapir_global *globals;
	const char *const *symbols; /* kernel symbols to resolve at start; "module:symbol" is one of a module */
	u32 nobjects;
	const struct tapir_object *objects;
	u32 nprograms;
	const struct tapir_program *programs;
	u32 ninterpreters;
	const struct tapir_interpreter *interpreters;
	u32 nsyscalls;
	const struct tapir_syscall_entry *syscalls; /* by `narrow`, then `number`, then `part` */
	u32 nformats;
	const struct tapir_item_format *formats; /* those that the loader formats */
	u32 naddresses;
	const u32 *addresses; /* the symbols whose addresses handlers use: each must be there at start */
	u64 *address_values;  /* of these, filled in at start */
	u32 nsettings;
	const struct tapir_setting *settings;
	u32 nrecalls;
	const struct tapir_recall_desc *recalls;
	struct tapir_condition *conditions;
	u8 *switches; /* for each probe: 0 = it is switched off, and its condition does not hold; NULL: probes have none */
	u64 limits[TAPIR_LIMITS]; /* of those in limits_set; others have the runtime's default */
	u32 limits_set;		  /* 1 << enum tapir_limit */
	s32 hist_elision;	  /* HIST_ELISION, default 2 */
	u32 hist_width;		  /* HIST_WIDTH, default 50 */
	u8 weighted;   /* samples count as tapir_weight() ones; the last 8 of `saved_bytes` are the weight of the call's entry */
	u8 hist_units; /* --units: rows say their range, large numbers have units */
	void (*init_globals)(void); /* assigns initialisers; called once per START, before -G values */
};

extern const struct tapir_module tapir_module;

/* Kinds; each is one file on the kernel side, linked only when named. */
#define TAPIR_KIND(Name, name, LEAF, registers, flags) extern const struct tapir_kind_ops tapir_kind_##name;
#include <tapir/kinds.def>

#endif
