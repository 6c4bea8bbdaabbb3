// SPDX-License-Identifier: GPL-2.0-or-later
/* Around a handler: the program at a probe's place calls these, and the handler between them (bpf/link/program.cc). */
#include <tapir/context.h>
#include <runtime/handler.h>
#include "helpers.h"
#include "bpf_hit.h"
#include "bpf_state.h"

struct tapir_bpf_context *tapir_bpf_enter(u64 probe, u64 ip, u64 level)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct tapir_bpf_context *context = &tapir_bpf.cpus[cpu].contexts[level & 3];
	struct tapir_bpf_probe *counts = &tapir_bpf.probes[probe];
	struct tapir_ctx *c;

	(void)__atomic_fetch_add(&counts->hits, 1, __ATOMIC_RELAXED);
	if (TAPIR_UNLIKELY(__sync_lock_test_and_set(&context->busy, 1))) {
		(void)__atomic_fetch_add(&counts->skipped[TAPIR_SKIP_REENTRY], 1, __ATOMIC_RELAXED);
		return NULL;
	}
	c = context->ctx;
	c->probe = &tapir_module.probes[probe];
	c->budget = (s64)tapir_bpf.first_actions;
	c->regs = context->registers;
	c->ip = ip;
	return context;
}

void tapir_bpf_leave(struct tapir_bpf_context *context)
{
	struct tapir_ctx *c = context->ctx;

	if (TAPIR_UNLIKELY(c->unsettled | c->out_len)) {
		tapir_handler_finish(c);
		if (c->failed != TAPIR_FAIL_SKIP)
			(void)__atomic_fetch_add(&TAPIR_BPF_COUNTS(c)->handled, 1, __ATOMIC_RELAXED);
		c->unsettled = 0;
		c->out_len = 0;
		c->out_items = 0;
		c->out_text = 0;
		c->frame_used = 0;
		c->nesting = 0;
		c->aborted = 0;
	} else {
		(void)__atomic_fetch_add(&TAPIR_BPF_COUNTS(c)->handled, 1, __ATOMIC_RELAXED);
	}
	*(volatile u64 *)&context->busy = 0;
}

bool tapir_bpf_prepare(struct tapir_bpf_context *session)
{
	u32 i;

	for (i = 0; i < TAPIR_LIMITS; i++)
		tapir_bpf.limits[i] = tapir_module_limit(i);
	tapir_pace_set((s64)tapir_bpf.limits[TAPIR_LIMIT_MAXACTION], tapir_bpf.limits[TAPIR_LIMIT_MAXTIME]);
	tapir_bpf.first_actions = (u64)tapir_pace.at_once;
	return tapir_globals_create(session->ctx, (u32)tapir_bpf.limits[TAPIR_LIMIT_MAXMAPENTRIES]);
}

void tapir_bpf_session_start(struct tapir_bpf_context *session, u64 probe)
{
	(void)__atomic_fetch_add(&tapir_bpf.probes[probe].hits, 1, __ATOMIC_RELAXED);
	tapir_handler_start(session->ctx, &tapir_module.probes[probe], (s64)tapir_bpf.limits[TAPIR_LIMIT_MAXACTION_INTERRUPTIBLE]);
}
