// SPDX-License-Identifier: GPL-2.0-or-later
/* main() of a translated script that looks at a core file, or at a process. Its arguments are stap's business. */
#define _GNU_SOURCE
#include <getopt.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "handler.h"
#include "process/still/still.h"

extern const bool tapir_user_lines __attribute__((weak)); /* tapir/ustack.h */

static sigjmp_buf cut_off;

enum option_number {
	OPTION_CORE = 256,
	OPTION_SNAPSHOT,
	OPTION_HELD,
	OPTION_HELP,
	OPTION_SYSROOT,
	OPTION_EXEC,
	OPTION_LIMIT,
	OPTION_MANGLED,
	OPTION_COMPATIBLE,
	OPTION_SUPPRESS,
	OPTION_DURATION,
	OPTION_FORMAT
};

static const struct option long_options[] = {
    {"core", required_argument, NULL, OPTION_CORE},
    {"snapshot", optional_argument, NULL, OPTION_SNAPSHOT},
    {"held", required_argument, NULL, OPTION_HELD}, /* for stap alone */
    {"help", no_argument, NULL, OPTION_HELP},
    {"sysroot", required_argument, NULL, OPTION_SYSROOT},
    {"exec", required_argument, NULL, OPTION_EXEC},
    {"limit", required_argument, NULL, OPTION_LIMIT},
    {"mangled", no_argument, NULL, OPTION_MANGLED},
    {"compatible", no_argument, NULL, OPTION_COMPATIBLE},
    {"suppress-handler-errors", no_argument, NULL, OPTION_SUPPRESS},
    {"duration", required_argument, NULL, OPTION_DURATION},
    {"format", required_argument, NULL, OPTION_FORMAT},
    {NULL, 0, NULL, 0},
};

static const char usage_text[] = "Looks at a process with a script that was translated by stap(1).\n\n"
				 "  --core=FILE            its core file, not compressed; or a kernel's memory\n"
				 "  -x PID                 or itself, while it lives\n"
				 "  --snapshot[=stop|run]  it stands still meanwhile (the default), or runs on\n"
				 "  --sysroot=DIR          the core's files are below this directory\n"
				 "  --exec=FILE            the file of the core's program\n"
				 "  --limit=NAME=VALUE     a limit, as by stap -D\n"
				 "  --format=FORMAT        of the output: text, json or csv\n"
				 "  --duration=SECONDS     end after this time\n"
				 "  --compatible           print globals as SystemTap does, on a terminal, too\n"
				 "  --mangled              show names of C++ and Rust as they are linked\n"
				 "  --suppress-handler-errors\n"
				 "  -w                     no warnings\n"
				 "  NAME=VALUE             the first value of a global variable\n";

/* A second signal ends the program at once. */
static void interrupt(int number)
{
	struct sigaction action = {.sa_handler = SIG_DFL};

	tapir_still_interrupt();
	sigaction(number, &action, NULL);
}

/* Files are mapped: what somebody has cut off meanwhile cannot be read any more. */
static void lost(int number)
{
	(void)number;
	siglongjmp(cut_off, 1);
}

static void catch_signals(void)
{
	struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_RESTART};
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
	size_t i;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		sigaction(ends[i], &action, NULL);
	action.sa_handler = lost;
	action.sa_flags = SA_NODEFER;
	sigaction(SIGBUS, &action, NULL);
}

static void end_after(double seconds)
{
	struct itimerval timer = {.it_value = {.tv_sec = (time_t)seconds}};

	timer.it_value.tv_usec = (suseconds_t)((seconds - (double)timer.it_value.tv_sec) * 1e6);
	setitimer(ITIMER_REAL, &timer, NULL);
}

static bool read_options(int argc, char **argv, struct tapir_core_options *core, enum tapir_form *form)
{
	int option;

	while ((option = getopt_long(argc, argv, "wx:", long_options, NULL)) != -1) {
		switch (option) {
		case OPTION_CORE:
			core->core = optarg;
			break;
		case 'x':
			core->pid = strtoll(optarg, NULL, 10);
			break;
		case OPTION_SNAPSHOT:
			core->stop = !optarg || !strcmp(optarg, "stop");
			if (core->stop || !strcmp(optarg, "run"))
				break;
			fprintf(stderr, "ERROR: --snapshot: '%s' is neither stop nor run\n", optarg);
			return false;
		case OPTION_HELD:
			core->held = optarg;
			break;
		case OPTION_HELP:
			fputs(usage_text, stdout);
			exit(0);
		case OPTION_SYSROOT:
			core->sysroot = optarg;
			break;
		case OPTION_EXEC:
			core->program = optarg;
			break;
		case OPTION_LIMIT:
			/* Handlers here delay no process, so any limit is allowed. */
			if (!tapir_host_set_limit(optarg, 1)) {
				fprintf(stderr, "ERROR: --limit: unknown limit '%s'\n", optarg);
				return false;
			}
			break;
		case OPTION_MANGLED:
			core->mangled = true;
			break;
		case OPTION_COMPATIBLE:
			tapir_host.compatible = true;
			break;
		case OPTION_SUPPRESS:
			tapir_host.suppress_errors = true;
			break;
		case OPTION_DURATION:
			end_after(strtod(optarg, NULL));
			break;
		case OPTION_FORMAT:
			if (tapir_form_of(optarg, form))
				break;
			fprintf(stderr, "ERROR: --format: '%s' is not one of text, json, csv\n", optarg);
			return false;
		case 'w':
			tapir_still_silence();
			break;
		default:
			return false;
		}
	}
	if (!core->core && !core->pid)
		fprintf(stderr,
			"ERROR: which core file, or which process? --core=FILE or -x PID names it; --help has all options\n");
	return core->core || core->pid;
}

/* Lets the process continue, and tells the user how long it stood still. */
static void let_go(const struct tapir_core_options *core)
{
	u64 ns = tapir_core_release();

	if (ns && !tapir_still_is_silent())
		fprintf(stderr, "process %lld stood still for %llu.%llu ms\n", (long long)core->pid,
			(unsigned long long)(ns / 1000000), (unsigned long long)(ns / 100000 % 10));
}

int tapir_still_main(int argc, char **argv)
{
	struct tapir_core_options core = {.sysroot = "",
					  .program = "",
					  .stop = true,
					  .interpreters = tapir_module.interpreters,
					  .ninterpreters = tapir_module.ninterpreters,
					  .warn = tapir_still_warn};
	enum tapir_form form = TAPIR_FORM_TEXT;
	static char why[4096];
	int status;

	/* A limit of the script's own holds for handlers of any level. */
	if (tapir_module.limits_set >> TAPIR_LIMIT_MAXACTION & 1)
		tapir_host.limits[TAPIR_LIMIT_MAXACTION_INTERRUPTIBLE] = tapir_module.limits[TAPIR_LIMIT_MAXACTION];
	tapir_host.ncpus = 1;
	core.lines = &tapir_user_lines;
	catch_signals();
	if (!read_options(argc, argv, &core, &form))
		return 1;
	if (sigsetjmp(cut_off, 1)) {
		fflush(stdout);
		fprintf(stderr, "ERROR: %s got shorter while it was read\n",
			core.core ? "the core file, or a file that its process had mapped," : "a file that the process has mapped");
		let_go(&core);
		return 1;
	}
	tapir_still = tapir_core_open(&core, why, sizeof(why));
	if (!tapir_still) {
		fprintf(stderr, "ERROR: %s\n", why);
		return 1;
	}
	tapir_still_begin_records(form, &core);
	status = tapir_still_run((const char *const *)argv + optind);
	tapir_still_end_records(status);
	if (fflush(stdout) != 0)
		status = 1;
	let_go(&core);
	return status;
}
