/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The port API: the only door from portable code (emitted C, tapsets' embedded C, runtime/ .c) to the machine below. kmod/
 * implements it for the kernel, process/ for a program. Callable from any handler context unless said otherwise;
 * nothing here sleeps there.
 */
#ifndef TAPIR_PORT_H
#define TAPIR_PORT_H

#include <tapir/types.h>

struct tapir_ctx;
struct tapir_lock;

enum tapir_cut { TAPIR_CUT_STRING, TAPIR_CUT_STACK, TAPIR_LOST_RECALL, TAPIR_LOST_SAMPLE, TAPIR_CUTS };

enum tapir_program_found {
	TAPIR_PROGRAM_MAPPED,
	TAPIR_PROGRAM_NOT_MAPPED,
	TAPIR_PROGRAM_NO_PROCESS, /* a kernel thread */
	TAPIR_PROGRAM_NO_FILE,	  /* the file was missing at the start */
	TAPIR_PROGRAM_NOT_FOUND,  /* not among as many mappings as are searched */
	TAPIR_PROGRAM_BUSY,	  /* the process's mappings are being changed */
};

/* ---- memory below ---- */

/* Fault-safe copies. 0, or -EFAULT (-14) with dst zeroed. Kernel addresses only / user addresses of the current task only. */
int tapir_port_read_kernel(void *dst, u64 address, u32 length);
int tapir_port_read_user(void *dst, u64 address, u32 length);
/* Up to cap - 1 bytes to the first NUL; always terminates. Length, or -14. */
int tapir_port_read_kernel_string(char *dst, u64 address, u32 cap);
int tapir_port_read_user_string(char *dst, u64 address, u32 cap);
int tapir_port_write_kernel(u64 address, const void *src, u32 length);
int tapir_port_write_user(u64 address, const void *src, u32 length);

/* ---- allocation: start and stop only, may sleep; zeroed, aligned to 64 bytes ---- */
void *tapir_port_alloc(u64 bytes);
void tapir_port_free(void *p);

/* How many bytes the machine can give at this moment and keep the reserve that no session takes. Process context. */
u64 tapir_port_room(void);
/* tapir_globals_grow() is to run soon. */
void tapir_port_grow(void);
/* The same, and waits for it. Session level without locks; may sleep. */
void tapir_port_grow_now(void);
/* tapir_globals_tend() is to run. */
void tapir_port_tend(void);
/* Around a change under locks by it: to handlers that interrupt it, it is like a handler. Interrupts are off. */
u64 tapir_port_tending_begin(void);
void tapir_port_tending_end(u64 state);

/* ---- mutual exclusion ---- */
u64 tapir_port_irq_save(void);
void tapir_port_irq_restore(u64 flags);
/* Interrupts are off. Spins; counts contention. */
void tapir_port_lock(struct tapir_lock *lock);
/* Like tapir_port_lock(), but returns false after one second. */
bool tapir_port_lock_patiently(struct tapir_lock *lock);
/* Spins for a bounded time. Returns false if the lock stays taken. */
bool tapir_port_trylock(struct tapir_lock *lock);
void tapir_port_unlock(struct tapir_lock *lock);
u64 tapir_port_lock_contended(const struct tapir_lock *lock);
/* True when a handler on this CPU at a lower level is interrupted by this one. */
bool tapir_port_nested(const struct tapir_ctx *c);
u32 tapir_port_ncpus(void);
/*
 * The processors, of tapir_port_ncpus(), that a handler can have run on: how many, and their numbers. The list only grows, before
 * a handler runs on the one that is new.
 */
u32 tapir_port_processors(const u16 **numbers);

/* ---- output and session ---- */

/* Writes one whole record into the stream of the context's level, with a time later than c->time, which becomes the record's.
 * Returns false if the stream has no room (counted). A handler that tapir_may_pause() waits for room while a reader lives. */
bool tapir_port_emit(struct tapir_ctx *c, u8 type, const void *data, u32 length);
void tapir_port_request_exit(struct tapir_ctx *c);
/* In the session thread, where tapir_may_pause(), now and then: lets others run. False: the handler is to be given up. */
bool tapir_port_pause(struct tapir_ctx *c);
/* A clock that measures how long handlers take, in ns. Any context. */
u64 tapir_port_work_ns(void);
/* Is all that passes of it the handler's? Nothing interrupts it, and no hypervisor gives its processor to others. Any context. */
bool tapir_port_work_is_own(void);
/* A condition of the module no longer agrees with its `armed`. Cheap if the session thread has not acted since the last call. */
void tapir_port_condition_changed(void);
void tapir_port_count_skip(struct tapir_ctx *c, u32 reason); /* enum tapir_skip */
/* A text was cut since MAXSTRINGLEN had no room for it, or an event of @recall was lost. */
void tapir_port_count_cut(u32 what); /* enum tapir_cut */
/* An error escaped the handler: counts it for the probe and the session (more than MAXERRORS end it). False: the error is not to be
 * reported (--suppress-handler-errors). */
bool tapir_port_count_error(struct tapir_ctx *c);
u64 tapir_port_limit(u32 limit); /* enum tapir_limit, in force now */

/* ---- context functions ---- */
s64 tapir_port_pid(void); /* tgid in the initial namespace */
/* Its number for itself, in the innermost of its PID namespaces, and the number of that namespace; 0: not known. */
void tapir_port_own_pid(u32 *own, u32 *space);
s64 tapir_port_tid(void);
s64 tapir_port_ppid(void);
s64 tapir_port_pgrp(void);
s64 tapir_port_sid(void);
s64 tapir_port_uid(void);
s64 tapir_port_euid(void);
s64 tapir_port_gid(void);
s64 tapir_port_egid(void);
s64 tapir_port_cpu(void);
s64 tapir_port_numa_node(void);
/* The interrupt whose code the handler looks at instead of the current task's. NMIs are not told from breakpoints. */
enum tapir_interrupted_by { TAPIR_BY_NOTHING, TAPIR_BY_SOFTIRQ, TAPIR_BY_HARDIRQ };
s64 tapir_port_interrupted_by(void);
void tapir_port_execname(char *dst, u32 cap); /* dst 8-aligned */
void tapir_port_pexecname(char *dst, u32 cap);
s64 tapir_port_target(void);
/* Facts about a process's crash; 0 if it did not crash, or runs. */
enum tapir_crash { TAPIR_CRASH_SIGNAL, TAPIR_CRASH_CODE, TAPIR_CRASH_ADDRESS };
s64 tapir_port_crash(u32 what);
/* The number of the frame that a frame probe looks at: 0 is where the thread stands, the next its caller. 0 in other probes. */
s64 tapir_port_frame(void);
/* Finds the first writable memory at or above an address of a stopped or dead process. False if it has none there, or runs. */
bool tapir_port_user_memory(u64 address, u64 *start, u64 *end);
void tapir_port_module_name(char *dst, u32 cap);
s64 tapir_port_module_size(void);
void tapir_port_pp(struct tapir_ctx *c, char *dst, u32 cap);	    /* expanded probe point of this hit */
void tapir_port_probefunc(struct tapir_ctx *c, char *dst, u32 cap); /* symbol at ctx->ip, "" if none */
const char *tapir_port_kind(struct tapir_ctx *c);		    /* name of the probe's kind, as in kmod/kind_NAME.c */
bool tapir_port_is_return(struct tapir_ctx *c);			    /* a function's return was hit */
/* Addresses of the kernel's stack: the place of the hit, then the return addresses outwards; at most `max`, how many. None where
 * user mode was interrupted and at session level. */
u32 tapir_port_kernel_stack(struct tapir_ctx *c, u64 *addresses, u32 max);
/* Where the thread that was hit waits, and for what: see tapir/wait.h. The latter is an enum tapir_wait_kind. */
s64 tapir_port_wait_site(struct tapir_ctx *c);
u32 tapir_port_wait_kind(struct tapir_ctx *c);
/* The same of any task: `task` is any number. Nothing has to keep the task. */
s64 tapir_port_task_wait_site(struct tapir_ctx *c, u64 task);
u32 tapir_port_task_wait_kind(struct tapir_ctx *c, u64 task);
/* Addresses of its stack from where it left its processor outwards, return addresses all; at most `max`, how many. 0 if it runs. */
u32 tapir_port_task_stack(struct tapir_ctx *c, u64 task, u64 *addresses, u32 max);
/* "NAME+0xOFFSET/0xSIZE", and " [MODULE]" if it is not of the kernel itself. False: nothing known. */
bool tapir_port_symbol(u64 address, char *dst, u32 cap);
/* The same of a return address: the call before it may be a function's last instruction. */
bool tapir_port_return_symbol(u64 address, char *dst, u32 cap);
/* Is there a call right before this address of the kernel's code? */
bool tapir_port_behind_call(u64 address);
/* Returns the events a perf counter has counted on this CPU; in end and error probes, on all. Raises an error for an unknown
 * counter.
 */
s64 tapir_port_perf_counter(struct tapir_ctx *c, const char *name);
/* The events that the handler's thread has counted since it runs the program of the counter's probe; in end and error probes, those
 * of all threads. Raises an error if the thread's are not counted. */
s64 tapir_port_task_counter(struct tapir_ctx *c, const char *name);
bool tapir_port_user_mode(struct tapir_ctx *c); /* the hit interrupted user mode */
u64 tapir_port_addr(struct tapir_ctx *c);
/* Where the current task left user mode, or 0. */
u64 tapir_port_user_address(void);
enum tapir_registers { TAPIR_REGISTERS_NONE, TAPIR_REGISTERS_ARGUMENTS, TAPIR_REGISTERS_ALL };
/* Returns the registers of the hit that are saved: enum tapir_registers. */
u32 tapir_port_registers(struct tapir_ctx *c);
/* Returns a register of the hit by its name, zero-extended. `bytes` is its width; 0 if the name is unknown or the register not
 * saved here. */
u64 tapir_port_register(struct tapir_ctx *c, const char *name, u32 *bytes);
/* Registers of the hit by DWARF number, zero-extended; of the interrupted user program, also that of the thread pointer. False: not
 * saved here. */
bool tapir_port_hit_register(struct tapir_ctx *c, u32 number, u64 *value);
bool tapir_port_set_hit_register(struct tapir_ctx *c, u32 number, u64 value);
bool tapir_port_user_register(struct tapir_ctx *c, u32 number, u64 *value);
/* How far from where it was linked a program of the module (tapir_module.programs) is mapped in the current process; of several
 * mappings, the lowest. enum tapir_program_found; `bias` is set if it is MAPPED. */
u32 tapir_port_program_bias(struct tapir_ctx *c, u32 program, u64 *bias);
/* Argument n (from 1) of the function at whose entry the hit is; registers of the calling convention only. */
u64 tapir_port_argument(struct tapir_ctx *c, s64 n, bool *ok);
/* Sets it; false: not saved here. */
bool tapir_port_set_argument(struct tapir_ctx *c, s64 n, u64 value);
/* The register in which the function whose return was hit hands over an integer. */
u64 tapir_port_return_value(struct tapir_ctx *c, bool *ok);
bool tapir_port_set_return_value(struct tapir_ctx *c, u64 value);
/* 32 or 64: of the current task's program; 0 for kernel threads. */
u32 tapir_port_user_bits(void);
s64 tapir_port_gettimeofday_ns(void); /* wall clock, NMI-safe */
s64 tapir_port_ktime_ns(void);	      /* monotonic */
s64 tapir_port_cpu_clock_ns(s64 cpu);
s64 tapir_port_local_clock_ns(void);
s64 tapir_port_cycles(void);
s64 tapir_port_jiffies(void);
s64 tapir_port_hz(void);
s64 tapir_port_random(s64 n);	 /* 0 .. n-1 */
s64 tapir_port_stack_left(void); /* bytes of kernel stack still free */
/* True if the stack cannot hold one more script call and the deepest runtime call below it. */
bool tapir_port_stack_low(const struct tapir_ctx *c);
s64 tapir_port_task_current(void); /* address of the current task_struct */
/* The number of the system call that the current task is in; -1: none, as far as is known. `narrow`: a 32-bit program's way to
 * call. */
s64 tapir_port_syscall_number(bool *narrow);
/* Returns the call's argument `n`, from 0; 0 if the call has fewer. */
u64 tapir_port_syscall_argument(s64 n);
s64 tapir_port_timezone_offset(void); /* seconds west of UTC, as given by the loader */
void tapir_port_timezone_name(char *dst, u32 cap);
s64 tapir_port_loader_pid(void); /* of staprun, in the initial namespace */
/* Returns the PID, in the initial namespace, of the process whose namespaces IDs are in: staprun unless the user named one. */
s64 tapir_port_namespaces_pid(void);
s64 tapir_port_loader_uid(void); /* of the user who runs staprun, in the initial namespace */
/* Number of this machine among those that the script was sent to, and how it was named; -1 and "" when it was not sent. */
s64 tapir_port_remote_id(void);
void tapir_port_remote_uri(char *dst, u32 cap);

/* ---- tasks and the machine ---- */

/* Address of the task_struct of a process or thread ID in the initial namespace; 0: none. Nothing keeps the task. */
u64 tapir_port_task_of_pid(s64 pid);
s64 tapir_port_page_size(void);
s64 tapir_port_stack_size(void); /* bytes of a task's kernel stack */
/* Number of a kernel address's memory node; -1: the address is not one of plain memory. */
s64 tapir_port_memory_node(u64 address);
/* Pages that the machine uses in some way, of enum node_stat_item or zone_stat_item; or all. 0: there is no such kind. */
enum tapir_pages { TAPIR_PAGES_NODE, TAPIR_PAGES_ZONE, TAPIR_PAGES_TOTAL };
s64 tapir_port_memory_pages(u32 place, u64 kind);
/* The struct page, of a compound page the first one, that an address as of kmalloc() is on; 0: of no such address. */
u64 tapir_port_page(u64 address);
/* Returns the sum over the CPUs of a struct percpu_counter, whose member `counters` this is; unreadable parts count as 0. */
s64 tapir_port_cpu_counts(u64 counters);
/* Load average over 1, 5 or 15 minutes (0, 1, 2) in 2048ths. */
s64 tapir_port_load_average(u32 which);
/* Names of allocation flags (gfp_t), as the kernel itself writes them. */
void tapir_port_allocation_flags(u64 flags, char *dst, u32 cap);

/* ---- the machine's own logs ---- */

void tapir_port_kernel_log(s64 level, const char *text); /* 0 .. 7, others: the default level; a line of the kernel's log */
bool tapir_port_trace_log(const char *text);		 /* a line of ftrace's buffer; false: not written */

/* ---- guru ---- */

/* Sends the current task a signal as soon as interrupts are on: before it is back in user mode. Returns 0, -EINVAL (-22) for an
 * unknown signal, or -EAGAIN (-11) if too many have yet to be sent on this CPU. */
int tapir_port_raise(s64 signal);
void tapir_port_panic(const char *text);
void tapir_port_dump_stack(void); /* to the kernel's log */

#endif
