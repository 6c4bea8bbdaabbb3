/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Periods of performance events under a budget: where the way to the handlers alone takes too much on a processor, its events come
 * at a period that is a power of two times as long, and each hit stands for as many. This is the arithmetic, for one processor.
 */
#ifndef TAPIR_STRETCH_H
#define TAPIR_STRETCH_H

#include <tapir/types.h>

/* All zero at first. */
struct tapir_stretch {
	u32 doublings; /* of the periods */
	u32 over;      /* looks, one after the other, at more than is allowed */
	u32 quiet;     /* likewise, at so little that half the period would do */
};

#define TAPIR_STRETCH_MOST 10u

/*
 * In a window, of which hits may take `allowed` ns, the way of the probes with periods took `ways[1]` ns, and that of the others
 * `ways[0]`. True: `doublings` is another number now.
 */
bool tapir_stretch_look(struct tapir_stretch *s, u64 allowed, const u64 *ways);

#endif
