/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The port for what stands still: the script looks at a core file or at another process (core/c_interface.h). */
#ifndef TAPIR_STILL_H
#define TAPIR_STILL_H

#include <tapir/ustack.h>
#include "process/base/base.h"
#include "core/c_interface.h"

extern const struct tapir_core_process *tapir_still; /* the process to look at */

/* The thread whose registers and ID handlers see from now on. */
void tapir_still_enter_thread(const struct tapir_core_thread *thread);
const struct tapir_core_thread *tapir_still_thread(void);
/* Enters one of the thread's frames instead; `known` has a bit for each register with a value. Number 0 is the innermost frame. */
void tapir_still_enter_frame(const struct tapir_unwind_frame *frame, u64 known, u32 number);
const struct tapir_unwind_frame *tapir_still_frame(void);
/* The registers of that frame that have a value, a bit for each. */
u64 tapir_still_known(void);
/* The place of a frame probe that is hit next, or NULL. */
void tapir_still_enter_site(const struct tapir_function_site *site);

/* Is this the process that a probe wants, by the `pid` of its argument? */
bool tapir_still_is(s32 pid);
/* Are no more handlers but those of the end to be run? */
bool tapir_still_is_over(void);

/* Once, before the first thread: false for want of memory. */
bool tapir_still_want_frames(void);
/* Hits the frame probes of the current thread, the innermost frame first. */
void tapir_still_each_frame(void);

/* Tells of something incomplete, unless warnings are off (-w). The text has neither "WARNING:" nor a newline. */
void tapir_still_warn(const char *text);

/* ---- accounts.c ---- */

/* The first record and the last ones, if the output is JSON; the format of all output. */
void tapir_still_begin_records(enum tapir_form form, const struct tapir_core_options *core);
void tapir_still_end_records(int status);
void tapir_still_silence(void);
bool tapir_still_is_silent(void);

/* Ctrl-C: gives up the handler that runs, and begins no others but those of the end. */
void tapir_still_interrupt(void);
/* Lets the end's handlers run in spite of an interruption, until the next one. */
void tapir_still_forgive(void);

/* Begin, what stands still, end. The exit status. */
int tapir_still_run(const char *const *values);

/* main() of a translated script. */
int tapir_still_main(int argc, char **argv);

#endif
