// SPDX-License-Identifier: GPL-2.0-or-later
/* The records of a run on what stands still that are not of the script: what was looked at, and what the figures are worth. */
#include "process/still/still.h"

static void put_subject(struct tapir_json *j, void *with)
{
	const struct tapir_core_options *core = with;

	tapir_json_text_member(j, "source", core->core ? "core" : "snapshot");
	if (core->core)
		tapir_json_text_member(j, "core", core->core);
	else
		tapir_json_number_member(j, "pid", core->pid);
}

void tapir_still_begin_records(enum tapir_form form, const struct tapir_core_options *core)
{
	struct tapir_core_options copy = *core;

	tapir_host_begin_records(form);
	tapir_host_record("meta", put_subject, &copy);
}

static void put_quality(struct tapir_json *j, void *with)
{
	const u64 cut = tapir_host_cut(TAPIR_CUT_STRING) + tapir_host_cut(TAPIR_CUT_STACK);
	const u64 events = tapir_host_cut(TAPIR_LOST_RECALL), samples = tapir_host_cut(TAPIR_LOST_SAMPLE);
	const bool complete = !tapir_host_errors() && !tapir_host_skipped() && !cut && !events && !samples;

	(void)with;
	tapir_json_member(j, "complete");
	tapir_json_puts(j, complete ? "true" : "false");
	tapir_json_unsigned_member(j, "lost_hits", tapir_host_skipped());
	tapir_json_unsigned_member(j, "errors", tapir_host_errors());
	tapir_json_unsigned_member(j, "cut_texts", cut);
	tapir_json_unsigned_member(j, "lost_events", events);
	tapir_json_unsigned_member(j, "lost_samples", samples);
}

static void put_status(struct tapir_json *j, void *with)
{
	tapir_json_number_member(j, "status", *(const int *)with);
}

void tapir_still_end_records(int status)
{
	tapir_host_record("quality", put_quality, NULL);
	tapir_host_record("end", put_status, &status);
}
