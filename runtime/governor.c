// SPDX-License-Identifier: GPL-2.0-or-later
/* The governor of the overhead: see governor.h. */
#include "governor.h"

/* The level never falls below this part of what is allowed, so that it can rise again within a second or two. */
#define GOVERNOR_LEVEL_LEAST 4096u
/* At most so many hits are one stride: then, too, some are handled. */
#define GOVERNOR_STRIDE_MOST 65536u
/* After so many windows without a hit nothing is known any more. */
#define GOVERNOR_IDLE_WINDOWS 40u
/* To measure a handler takes so many ns; that is to be a 16th of the handlers' time. */
#define GOVERNOR_MEASURE_NS	     200u
#define GOVERNOR_MEASURE_PART	     16u
#define GOVERNOR_MEASURE_LEAST_OFTEN 64u

void tapir_governor_init(struct tapir_governor *g, u64 allowed, u32 seed)
{
	*g = (struct tapir_governor){.allowed = allowed, .level = allowed, .room = allowed, .seed = seed ? seed : 1};
}

/* xorshift */
static u32 governor_draw(struct tapir_governor *g)
{
	u32 x = g->seed;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return g->seed = x;
}

static void governor_rise(struct tapir_governor *g)
{
	g->level += g->level / 4 + 1;
	if (g->level > g->allowed)
		g->level = g->allowed;
}

/* The window is over. */
static void governor_turn(struct tapir_governor *g, u32 window)
{
	u32 idle = window - g->window - 1;
	u64 least = g->allowed / GOVERNOR_LEVEL_LEAST + 1, handlers = g->used > g->way ? g->used - g->way : 0;

	g->over = idle || g->way <= g->allowed ? 0 : g->over + 1;
	g->room = g->way < g->allowed ? g->allowed - g->way : 0;
	if (handlers > g->room) {
		/* To 0.9 of what would have been right, but not to less than a 16th. */
		u64 level = g->level * (g->room / (handlers / 1024 + 1)) / 1024 / 10 * 9;

		g->level = level > g->level / 16 ? level : g->level / 16;
		if (g->level < least)
			g->level = least;
	} else if (handlers < g->room / 10 * 7) {
		governor_rise(g);
	}
	if (idle)
		g->room = g->allowed;
	if (idle > GOVERNOR_IDLE_WINDOWS)
		idle = GOVERNOR_IDLE_WINDOWS;
	while (idle--)
		governor_rise(g);
	g->window = window;
	g->used = 0;
	g->way = 0;
}

/* The stride of a probe that was hit so often in the window before. */
static u32 governor_stride_of(const struct tapir_governor *g, const struct tapir_governed *p, u32 hits)
{
	u64 level = g->level < g->room ? g->level : g->room, handled, stride;

	if ((u64)hits * p->handler_ns <= level)
		return 1;
	handled = level / p->handler_ns;
	if (!handled)
		return GOVERNOR_STRIDE_MOST;
	stride = (hits + handled - 1) / handled;
	return stride < GOVERNOR_STRIDE_MOST ? (u32)stride : GOVERNOR_STRIDE_MOST;
}

/* Its first hit in this window. */
static void governor_turn_probe(struct tapir_governor *g, struct tapir_governed *p, u32 window)
{
	u32 before = p->stride;

	p->stride = governor_stride_of(g, p, window - p->window == 1 ? p->hits : 0);
	/* A stride that was begun is not waited for. */
	if (p->stride < before || !before)
		p->left = 1 + (s32)(governor_draw(g) % p->stride);
	p->window = window;
	p->hits = 0;
}

static void governor_enter(struct tapir_governor *g, u32 window, u32 way_ns)
{
	if (g->window != window)
		governor_turn(g, window);
	g->used += way_ns;
	g->way += way_ns;
}

enum tapir_verdict tapir_governor_hit(struct tapir_governor *g, struct tapir_governed *p, u32 window, u32 way_ns)
{
	governor_enter(g, window, way_ns);
	if (p->window != window || !p->stride)
		governor_turn_probe(g, p, window);
	p->hits++;
	if (--p->left > 0)
		return TAPIR_VERDICT_SKIP;
	/* From 1 to twice the stride minus 1. */
	p->left = 1 + (s32)(governor_draw(g) % (2 * p->stride - 1));
	if (g->used + p->handler_ns > 2 * g->allowed)
		return TAPIR_VERDICT_SKIP;
	g->used += p->handler_ns;
	if (--p->unmeasured >= 0)
		return TAPIR_VERDICT_HANDLE;
	return TAPIR_VERDICT_MEASURE;
}

enum tapir_verdict tapir_governor_return(struct tapir_governor *g, struct tapir_governed *p, u32 window, u32 way_ns)
{
	governor_enter(g, window, way_ns);
	if (--p->unmeasured >= 0)
		return TAPIR_VERDICT_HANDLE;
	return TAPIR_VERDICT_MEASURE;
}

void tapir_governor_measured(struct tapir_governor *g, struct tapir_governed *p, u64 ns)
{
	u32 mean = p->handler_ns, part, now = ns < 1u << 30 ? (u32)ns : 1u << 30;

	/* This handler was reckoned with the mean. */
	g->used += now > mean ? now - mean : 0;
	/* A 16th of the difference, and upwards what is left of the division. */
	if (!mean)
		mean = now;
	else if (now > mean)
		mean += (now - mean + 15) / 16;
	else
		mean -= (mean - now) / 16;
	p->handler_ns = mean ? mean : 1;
	part = GOVERNOR_MEASURE_NS * GOVERNOR_MEASURE_PART / p->handler_ns;
	p->unmeasured = (s32)(part < GOVERNOR_MEASURE_LEAST_OFTEN ? part : GOVERNOR_MEASURE_LEAST_OFTEN);
}
