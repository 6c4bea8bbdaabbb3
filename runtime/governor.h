/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The governor: keeps what probes take of a processor within a budget.
 *
 * Each processor governs itself, without a lock, in windows of a fixed length that its hits notice. In a window it adds up what
 * hits take: the way to the handler, which cannot be saved, and the handlers that run. Where a probe's handlers ask for more than
 * the level, only one of so many runs: the stride. It follows from the hits of the window before. The level is a height of water:
 * probes that ask for less stay whole. At the end of a window it falls at once if the processor took more than it may, and rises
 * slowly if it took much less. Within a window strides grow by a 16th with each handler once the budget is used, and nothing is
 * handled any more once handlers took twice what the ways leave of it.
 *
 * Each hit is handled by a draw of its own, and then stands for as many hits as the stride says. So sums over hits with these
 * weights are, in expectation, those over all hits, however the load and the strides change; but for those that were refused.
 *
 * A hit may interrupt another one in here, also in an NMI. Then a sum may lack a hit, which the next window corrects.
 */
#ifndef TAPIR_GOVERNOR_H
#define TAPIR_GOVERNOR_H

#include <tapir/types.h>
#include "budget_share.h"

/* Parts of a hit: a hit that stands for another half has one and a half of these. */
#define TAPIR_GOVERNOR_ONCE 1024u

/* A probe on a processor. All zero at first. */
struct tapir_governed {
	u32 window;	/* of its last hit */
	u32 hits;	/* in that window */
	u32 stride;	/* each is handled with the probability of one in so many */
	u32 handler_ns; /* mean time of a handler; 0: none was measured */
	s32 unmeasured; /* handlers until the next that is measured */
	u32 learnt;	/* handlers that were measured, the first few */
	u32 periodic;	/* not 0: its hits have a period that can be longer */
	u32 times;	/* of TAPIR_GOVERNOR_ONCE: its hits come at a period so many times as long as it was; 0: as it was */
	u64 refused;	/* hits while twice the budget was used: no other one stands for them */
	u64 stretched;	/* hits at a longer period */
};

/* A processor. */
struct tapir_governor {
	u64 allowed; /* ns that hits may take in a window */
	u64 level;   /* ns that handlers of one probe may take */
	u64 room;    /* ns that all handlers may take, going by the window before, never 0 */
	u64 used;    /* ns that hits took in this window */
	u32 window;  /* the number of this one */
	u32 seed;    /* of the strides, not 0 */
	u64 way;     /* ns of `used` that were the way */
	u64 ways[2]; /* ns of the way since the beginning: of most probes, and of those whose period can be longer */
	struct tapir_budget_share share; /* of the budget, with other sessions */
};

enum tapir_verdict {
	TAPIR_VERDICT_SKIP,
	TAPIR_VERDICT_HANDLE,
	TAPIR_VERDICT_MEASURE, /* handle and measure: tapir_governor_measured() follows */
};

/* `allowed` ns in each window, of all sessions that share the row; NULL: there are no others. */
void tapir_governor_init(struct tapir_governor *g, u64 allowed, struct tapir_shared_row *row, u32 seed);

/*
 * A hit, in the window of this number; `way_ns` is what it takes besides its handler. If the verdict is not SKIP, *left_out is the
 * number of hits besides it for which it stands. Any context, preemption disabled; so are those that follow.
 */
enum tapir_verdict tapir_governor_hit(struct tapir_governor *g, struct tapir_governed *p, u32 window, u32 way_ns, u32 *left_out);
/*
 * The return of a call for whose entry tapir_governor_hit() did not say SKIP: it is handled in any case. The time of its handler
 * is that of the entry.
 */
enum tapir_verdict tapir_governor_return(struct tapir_governor *g, struct tapir_governed *p, u32 window, u32 way_ns);
/* A hit of a probe that follows another one, for which tapir_governor_hit() did not say SKIP: it is handled in any case. */
enum tapir_verdict tapir_governor_follow(struct tapir_governor *g, struct tapir_governed *p, u32 window, u32 way_ns);
/* A hit that is left out in any case. */
void tapir_governor_pass(struct tapir_governor *g, struct tapir_governed *p, u32 window, u32 way_ns);
/* The handler that was to be measured took `ns`. */
void tapir_governor_measured(struct tapir_governor *g, struct tapir_governed *p, u64 ns);

#endif
