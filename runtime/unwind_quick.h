/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steps by rules of the usual forms, which are noted by place: for walks that need only addresses. */
#ifndef TAPIR_UNWIND_QUICK_H
#define TAPIR_UNWIND_QUICK_H

#include <tapir/unwind_run.h>
#include "unwind_internal.h"

/*
 * Takes as many quick steps as possible from code in the mapping that was found last, at most `most`: *steps gets how many. They
 * are noted in the trace, whose run continues. TAPIR_UNWIND_MORE: an ordinary step is next.
 */
u8 tapir_unwind_walk_quick(const struct tapir_unwind_source *source, struct tapir_unwind_frame *f,
			   struct tapir_unwind_memory *memory, struct tapir_unwind_trace *trace, u32 most, u32 *steps);

#endif
