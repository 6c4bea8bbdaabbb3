// SPDX-License-Identifier: GPL-2.0-or-later
/* main() of a translated script that was linked into a native program. */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process/test/host.h"

static void usage(const char *program)
{
	fprintf(stderr,
		"usage: %s [-f FORMAT] [-T SECONDS] [-D LIMIT=VALUE]... [-c CPUS] [-n THREADS] [-m HITS] [-s] [name=value]...\n"
		"  -n, -m  THREADS threads, each on a CPU of its own, hit every function probe HITS times after the begin probes\n"
		"  -s      do not report run-time errors\n",
		program);
}

int main(int argc, char **argv)
{
	struct tapir_host_options run = {0};
	enum tapir_form form;
	int option;

	while ((option = getopt(argc, argv, "f:T:D:c:n:m:s")) != -1) {
		switch (option) {
		case 'f':
			if (!tapir_form_of(optarg, &form)) {
				fprintf(stderr, "%s: unknown format '%s'\n", argv[0], optarg);
				return 1;
			}
			tapir_host_begin_records(form);
			break;
		case 'T':
			run.seconds = atof(optarg);
			break;
		case 'D':
			if (!tapir_host_set_limit(optarg, TAPIR_ACTIONS_INTERRUPTIBLE)) {
				fprintf(stderr, "%s: unknown limit '%s'\n", argv[0], optarg);
				return 1;
			}
			break;
		case 'c':
			tapir_host.ncpus = (u32)atoi(optarg);
			break;
		case 'n':
			run.threads = (u32)atoi(optarg);
			break;
		case 'm':
			run.hits = strtoull(optarg, NULL, 0);
			break;
		case 's':
			tapir_host.suppress_errors = true;
			break;
		default:
			usage(argv[0]);
			return 1;
		}
	}
	if (!tapir_host.ncpus || tapir_host.ncpus > TAPIR_HOST_CPUS_MAX || run.threads > tapir_host.ncpus) {
		fprintf(stderr, "%s: CPUS must be 1..%d and not less than THREADS\n", argv[0], TAPIR_HOST_CPUS_MAX);
		return 1;
	}
	run.values = (const char *const *)argv + optind;
	return tapir_host_run(&run);
}
