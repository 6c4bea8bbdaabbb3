/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands that the loader can send to a session. */
#ifndef TAPIR_COMMANDS_H
#define TAPIR_COMMANDS_H

#include <tapir/wire.h>

/* The argument of a command, as wire.h has it. */
union tapir_command {
	struct tapir_ioc_hello hello;
	struct tapir_ioc_config config;
	struct tapir_ioc_global global;
	struct tapir_ioc_symbol symbol;
	struct tapir_ioc_snapshot snapshot;
	struct tapir_ioc_read read;
	struct tapir_ioc_probe probe;
	struct tapir_ioc_switch switch_;
	struct tapir_ioc_stream stream;
	struct tapir_ioc_status status;
	struct tapir_ioc_calls calls;
	struct tapir_ioc_cut cut;
	struct tapir_ioc_stacks stacks;
	struct tapir_ioc_bulk bulk;
	struct tapir_ioc_profile profile;
	struct tapir_ioc_lock lock;
	struct tapir_ioc_object object;
	struct tapir_ioc_unwind_want unwind_want;
	struct tapir_ioc_unwind_put unwind_put;
	struct tapir_ioc_unwind_process unwind_process;
	struct tapir_ioc_unwind_file unwind_file;
	struct tapir_ioc_unwind_count unwind_count;
	struct tapir_ioc_frames frames;
	struct tapir_ioc_program program;
	struct tapir_ioc_cgroup cgroup;
	struct tapir_ioc_budget budget;
	struct tapir_ioc_format format;
	struct tapir_ioc_interpreter interpreter;
	struct tapir_ioc_put_interpreter put_interpreter;
	struct tapir_ioc_unknown_interpreter unknown;
};

/*
 * Does TAPIR_IOC_<number>. `c` is a copy of its argument; the result there is copied back if the number says so. `reader`: the
 * caller opened the control file for reading. -ENOTTY: no such command; -EBADF: it is for the reader; else as the command has it.
 * Process context, serialised by the caller.
 */
int tapir_command(unsigned int number, union tapir_command *c, bool reader);

#endif
