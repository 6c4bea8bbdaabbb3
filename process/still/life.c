// SPDX-License-Identifier: GPL-2.0-or-later
/* The life of a script that looks at what stands still: begin, the process, each of its threads, end. */
#include <stdio.h>
#include <string.h>

#include "handler.h"
#include "process/still/still.h"

static bool runs(u32 program, s32 pid)
{
	const struct tapir_program *p;

	if (!tapir_still_is(pid))
		return false;
	if (program == TAPIR_NO_PROGRAM)
		return true;
	p = &tapir_module.programs[program];
	return tapir_core_runs(p->build_id, p->path);
}

/* Is a probe hit by a thread, which may be the process's first? */
static bool wants(const struct tapir_probe *p, bool first)
{
	const struct tapir_process_arg *process = p->arg;
	const struct tapir_perf_arg *perf = p->arg;

	if (p->kind == &tapir_kind_perf) /* a sample finds each thread where it stands */
		return !perf->counter && (!perf->program || tapir_core_runs("", perf->program));
	if ((p->kind != &tapir_kind_process && p->kind != &tapir_kind_snapshot) || !runs(process->program, process->pid))
		return false;
	switch (process->event) {
	case TAPIR_PROCESS_BEGIN:
	case TAPIR_PROCESS_SNAPSHOT:
		return first;
	case TAPIR_THREAD_SNAPSHOT:
		return true;
	default:
		return false;
	}
}

static void look_at(const struct tapir_core_thread *thread, bool first)
{
	u32 i;

	tapir_still_enter_thread(thread);
	for (i = 0; i < tapir_module.nprobes && !tapir_still_is_over(); i++) {
		const struct tapir_probe *p = &tapir_module.probes[i];

		if (wants(p, first) && tapir_host_wants(p))
			tapir_host_hit(0, TAPIR_LEVEL_SESSION, p);
	}
	tapir_still_each_frame();
}

/* Finds the kernel's variables. False after an error message: the dump is of another kernel, or does not identify it. */
static bool find_kernel(void)
{
	const char *id = tapir_core_kernel_build_id();
	u32 i;

	for (i = 0; i < tapir_module.nobjects; i++) {
		const struct tapir_object *object = &tapir_module.objects[i];

		if (object->module[0] || !object->build_id[0] || !id[0] || !strcmp(object->build_id, id))
			continue;
		fprintf(stderr,
			"ERROR: the script is for the kernel with build-id %s, and this one has %s; -r RELEASE names it to stap\n",
			object->build_id, id);
		return false;
	}
	for (i = 0; i < tapir_module.naddresses; i++) {
		const char *name = tapir_module.symbols[tapir_module.addresses[i]];

		if (tapir_core_kernel_symbol(name, &tapir_module.address_values[i]))
			continue;
		fprintf(stderr, "ERROR: it is not known where %s is: %s\n", name,
			strchr(name, ':') ? "variables of kernel modules are not found in a kernel's memory"
					  : "the kernel does not tell in VMCOREINFO");
		return false;
	}
	return true;
}

int tapir_still_run(const char *const *values)
{
	u32 i;

	if (tapir_still->kernel && !find_kernel())
		return 1;
	tapir_still_enter_thread(tapir_still->threads);
	if (tapir_host_prepare(values))
		return 1;
	tapir_host_stacks_create(tapir_port_limit(TAPIR_LIMIT_STACK_BYTES));
	if (!tapir_still_want_frames()) {
		fprintf(stderr, "ERROR: there is no memory for the places of frames\n");
		return 1;
	}
	tapir_host_run_phase(TAPIR_PHASE_BEGIN);
	for (i = 0; i < tapir_still->nthreads && !tapir_still->kernel && !tapir_still_is_over(); i++)
		look_at(&tapir_still->threads[i], i == 0);
	tapir_still_enter_thread(tapir_still->threads);
	tapir_still_forgive();
	if (!tapir_host_has_failed())
		tapir_host_run_phase(TAPIR_PHASE_END);
	if (tapir_host_has_failed())
		tapir_host_run_phase(TAPIR_PHASE_ERROR);
	tapir_globals_destroy();
	tapir_host_end_output();
	if (fflush(stdout) || ferror(stdout)) {
		perror("ERROR: cannot write the output");
		return 1;
	}
	if (tapir_host_errors() || tapir_host_skipped())
		fprintf(stderr, "WARNING: Number of errors: %llu, skipped probes: %llu\n", (unsigned long long)tapir_host_errors(),
			(unsigned long long)tapir_host_skipped());
	return tapir_host_errors() && !tapir_host.suppress_errors ? 1 : 0;
}
