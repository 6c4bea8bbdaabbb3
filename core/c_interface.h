/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process that stands still for C (process/still): one process per program, one thread at a time. */
#ifndef TAPIR_CORE_C_INTERFACE_H
#define TAPIR_CORE_C_INTERFACE_H

#include <tapir/types.h>
#include <tapir/unwind.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Most frames per stack. The walk delays no process, but a damaged stack could be endless. */
#define TAPIR_CORE_FRAMES (1u << 22)

struct tapir_interpreter;
struct tapir_interpreter_place;

struct tapir_core_options {
    const char *core;    /* path of the core file; NULL: a live process ... */
    s64 pid;             /* ... this one ... */
    bool stop;           /* ... which is stopped until tapir_core_release() */
    const char *held;    /* ... or which stap has stopped and described in this file; NULL: it has not */
    const char *sysroot; /* below which the process's files are; "": they are here */
    const char *program; /* file of the program itself; "": the one that the core names */
    bool lines;          /* tables of files have source lines */
    bool mangled;
    const struct tapir_interpreter *interpreters; /* that are looked for */
    u32 ninterpreters;
    void (*warn)(const char *text);
};

struct tapir_core_thread {
    s64 id;
    const char *name; /* "": that of the process */
    bool has_place;   /* `place` and the stack pointer are known */
    bool has_all;     /* all registers are known */
    u64 place;        /* the program counter */
    u64 thread_pointer;
    const u64 *words; /* the registers, laid out as struct pt_regs */
};

struct tapir_core_process {
    bool kernel; /* the memory of a kernel is looked at, and no process: all else is 0, with one thread */
    s64 pid, parent, group, session, uid, gid, euid, egid;
    const char *name;        /* as the kernel cuts it */
    s64 signal, signal_code; /* 0: none */
    u64 signal_address;
    u32 nthreads; /* > 0; the first is the one that died */
    const struct tapir_core_thread *threads;
};

/* Returns NULL if the core, or the process, cannot be read; `why` (cap bytes) then has the reason. The result is never
 * freed. */
const struct tapir_core_process *tapir_core_open(const struct tapir_core_options *options, char *why, u32 cap);

/* Lets a live process continue. Returns the nanoseconds it stood still; 0 if it did not. Not for signal handlers. */
u64 tapir_core_release(void);

/* False: not known; then dst is zeroed. */
bool tapir_core_read(void *dst, u64 address, u32 length);
/* Up to cap - 1 bytes to the first NUL; always terminates. Length, or -1. */
int tapir_core_read_string(char *dst, u64 address, u32 cap);
/* Finds the first writable memory at or above an address, as far as the core has it. False if there is no more. */
bool tapir_core_memory(u64 address, u64 *start, u64 *end);
/* How far from where it was linked a program is mapped. False: it is not. */
bool tapir_core_bias(const char *build_id, const char *path, u64 text_offset, u64 text_bias, u64 *bias);
/* Like tapir_core_read() and tapir_core_read_string(), for the kernel's memory. A process's core has none. */
bool tapir_core_read_kernel(void *dst, u64 address, u32 length);
int tapir_core_read_kernel_string(char *dst, u64 address, u32 cap);
/* Finds the address of a symbol of the kernel, if the dump has it. */
bool tapir_core_kernel_symbol(const char *name, u64 *address);
/* The build-id of the kernel whose memory is read; "": not known. */
const char *tapir_core_kernel_build_id(void);
/* Is this the program that the process runs, not only a file that it has mapped? */
bool tapir_core_runs(const char *build_id, const char *path);
/* Finds the unwind table for an address. NULL if it has no table; *end then has the reason (enum tapir_unwind_end). */
const struct tapir_unwind_table *tapir_core_table(u64 address, struct tapir_unwind_mapping *mapping, u8 *end);
/* Returns the table of a mapping's object, by its number, or NULL. */
const struct tapir_unwind_table *tapir_core_object_table(u32 object);
/* Where the interpreter of this number, from 1 on, is in the process. False: it has mapped none. */
bool tapir_core_interpreter(u32 number, struct tapir_interpreter_place *place);
/* Returns the number of an object's interpreter; 0: none. */
u32 tapir_core_object_interpreter(u32 object);
/* Up to cap - 1 bytes of the path that the process had for an object. */
void tapir_core_object_path(u32 object, char *dst, u32 cap);

#ifdef __cplusplus
}
#endif

#endif
