// SPDX-License-Identifier: GPL-2.0-or-later
/* The state that all parts of a run share: its process, whether it goes on, and whether it warns. */
#include <signal.h>
#include <stdio.h>

#include "process/still/still.h"

static volatile sig_atomic_t interrupted;
static bool silent;

void tapir_still_interrupt(void)
{
	interrupted = 1;
}

void tapir_still_forgive(void)
{
	interrupted = 0;
}

#define FLUSH_NS 100000000

/* A handler may run for long; its reader should not have to wait for its end. */
static void flush_now_and_then(void)
{
	static s64 last;
	s64 now = tapir_port_ktime_ns();

	if (last && now - last < FLUSH_NS)
		return;
	last = now;
	fflush(stdout);
}

bool tapir_port_pause(struct tapir_ctx *c)
{
	(void)c;
	flush_now_and_then();
	return !interrupted;
}

bool tapir_still_is_over(void)
{
	return interrupted || tapir_host_exit_requested() || tapir_host_has_failed();
}

bool tapir_still_is(s32 pid)
{
	return pid == TAPIR_PID_TARGET || pid == 0 || pid == tapir_still->pid;
}

void tapir_still_silence(void)
{
	silent = true;
}

bool tapir_still_is_silent(void)
{
	return silent;
}

void tapir_still_warn(const char *text)
{
	if (silent)
		return;
	tapir_host_record_message("warning", text);
	fflush(stdout);
	fprintf(stderr, "WARNING: %s\n", text);
}
