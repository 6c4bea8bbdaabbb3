/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TAPIR_BPF_HIT_H
#define TAPIR_BPF_HIT_H

#include "bpf_state.h"

/* The context of this hit, its registers not filled in yet; NULL: the hit is skipped, and counted so. */
struct tapir_bpf_context *tapir_bpf_enter(u64 probe, u64 ip, u64 level);
/* Ends the handler: output becomes records. */
void tapir_bpf_leave(struct tapir_bpf_context *context);
/* Before the first handler, run by the loader: limits, and memory of all globals. False: the session's context has the error. */
bool tapir_bpf_prepare(struct tapir_bpf_context *session);
/* Begins a handler of session level, run by the loader; tapir_bpf_leave() ends it. */
void tapir_bpf_session_start(struct tapir_bpf_context *session, u64 probe);

#endif
