// SPDX-License-Identifier: GPL-2.0-or-later
/* begin, end and error: handlers of the session thread. */
#include <linux/atomic.h>
#include "hit.h"
#include "kind.h"
#include "state.h"

/* The next probe of the phase in the order (order, index) after (`order`, `index`), or ~0u. */
static u32 tapir_begin_next(u8 phase, s64 order, u32 index, bool first)
{
	u32 best = ~0u, i;
	s64 best_order = 0;

	for (i = 0; i < tapir_module.nprobes; i++) {
		const struct tapir_begin_arg *arg = tapir_module.probes[i].arg;

		if (tapir_module.probes[i].kind != &tapir_kind_begin || arg->phase != phase)
			continue;
		if (!first && (arg->order < order || (arg->order == order && i <= index)))
			continue;
		if (best == ~0u || arg->order < best_order) {
			best = i;
			best_order = arg->order;
		}
	}
	return best;
}

/* exit() and errors keep the later begin probes from running, errors also the later end probes; error probes all run. */
static bool tapir_begin_stops(u8 phase)
{
	if (phase == TAPIR_PHASE_ERROR)
		return false;
	return atomic_read(&tapir_session.failed) || (phase == TAPIR_PHASE_BEGIN && atomic_read(&tapir_session.exit_requested));
}

static void tapir_begin_phase(u8 phase)
{
	u32 i = tapir_begin_next(phase, 0, 0, true);

	while (i != ~0u && !tapir_begin_stops(phase)) {
		const struct tapir_begin_arg *arg = tapir_module.probes[i].arg;

		tapir_session_run(i);
		i = tapir_begin_next(phase, arg->order, i, false);
	}
}

const struct tapir_kind_ops tapir_kind_begin = {
    TAPIR_KIND_LISTED(begin),
    .phase = tapir_begin_phase,
};
