/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A budget that several sessions share: how much of it one of them may use on a processor.
 *
 * Sessions share a row of four words for each processor, in memory that all of them map. The hits of a session add what they took
 * in a window to that window's word when it is over: without a lock, since they do so on the processor itself, and only a hit that
 * interrupts another one is in the way. A session leaves to the others what they took lately, but may have its part in any case, by
 * the number of those that have hits. It takes less at once, and more little by little, so that all together do not take too much.
 *
 * The words come from other sessions, and from any program that its owner lets write to the file: any value is possible. None gives
 * a session more than the whole budget, or less than a 256th of it.
 */
#ifndef TAPIR_BUDGET_SHARE_H
#define TAPIR_BUDGET_SHARE_H

#include <tapir/types.h>

#define TAPIR_SHARED_WINDOWS 4u
/* Window in the upper 24 bits, sessions in the next 8, ns in the lower 32. All zero at first. */
struct tapir_shared_row {
	u64 windows[TAPIR_SHARED_WINDOWS];
	u64 unused[4]; /* a line of the cache */
};

/* A session on a processor. */
struct tapir_budget_share {
	struct tapir_shared_row *row; /* NULL: it has the budget for itself */
	u64 whole;		      /* ns of a window that all sessions may take */
	u64 allowed;		      /* that this one may */
	u64 mine[2];		      /* that it took in the last window but one with this parity */
	u32 of[2];		      /* these windows */
};

void tapir_budget_share_init(struct tapir_budget_share *s, struct tapir_shared_row *row, u64 whole);
/* The session took `used` ns in window `before`, and now it is `window`. Returns what it may take in this one. */
u64 tapir_budget_share_turn(struct tapir_budget_share *s, u32 before, u64 used, u32 window);

#endif
