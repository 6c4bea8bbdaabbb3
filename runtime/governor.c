// SPDX-License-Identifier: GPL-2.0-or-later
/* The governor of the overhead: see governor.h. */
#include "governor.h"

/* The level never falls below this part of what is allowed, so that it can rise again within a second or two. */
#define GOVERNOR_LEVEL_LEAST 4096u
/* Handlers have at least this part of what is allowed. */
#define GOVERNOR_ROOM_LEAST 16u
/* At most so many hits are one stride: then, too, some are handled. */
#define GOVERNOR_STRIDE_MOST 65536u
/* After so many windows without a hit nothing is known any more. */
#define GOVERNOR_IDLE_WINDOWS 40u
/* To measure a handler takes so many ns; that is to be a 16th of the handlers' time. */
#define GOVERNOR_MEASURE_NS	     200u
#define GOVERNOR_MEASURE_PART	     16u
#define GOVERNOR_MEASURE_LEAST_OFTEN 64u
/* A handler that takes more than so many times the mean was interrupted, by devices or a hypervisor: it counts as so many. */
#define GOVERNOR_MEASURED_MOST 16u
/* Each of the first so many may have been interrupted: the mean is at most twice the last of them, and what is allowed. */
#define GOVERNOR_LEARNS 8u

void tapir_governor_init(struct tapir_governor *g, u64 allowed, struct tapir_shared_row *row, u32 seed)
{
	*g = (struct tapir_governor){.allowed = allowed, .level = allowed, .room = allowed, .seed = seed ? seed : 1};
	tapir_budget_share_init(&g->share, row, allowed);
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

/* Where the way alone takes what is allowed, handlers have a little, so that there is something to count. */
static u64 governor_room(const struct tapir_governor *g)
{
	u64 least = g->allowed / GOVERNOR_ROOM_LEAST + 1;

	return g->way + least < g->allowed ? g->allowed - g->way : least;
}

/* The window is over. */
static void governor_turn(struct tapir_governor *g, u32 window)
{
	u32 idle = window - g->window - 1;
	u64 least = g->allowed / GOVERNOR_LEVEL_LEAST + 1, handlers = g->used > g->way ? g->used - g->way : 0;

	g->allowed = tapir_budget_share_turn(&g->share, g->window, g->used, window);
	g->room = governor_room(g);
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
	u64 level = g->level < g->room ? g->level : g->room, wanted = (u64)hits * p->handler_ns, stride;

	if (wanted <= level)
		return 1;
	if (!level)
		return GOVERNOR_STRIDE_MOST;
	/* If there is less time than one handler takes, it runs in one of several windows. */
	stride = (wanted + level - 1) / level;
	return stride < GOVERNOR_STRIDE_MOST ? (u32)stride : GOVERNOR_STRIDE_MOST;
}

/* Its first hit in this window. */
static void governor_turn_probe(struct tapir_governor *g, struct tapir_governed *p, u32 window)
{
	p->stride = governor_stride_of(g, p, window - p->window == 1 ? p->hits : 0);
	p->window = window;
	p->hits = 0;
}

static void governor_enter(struct tapir_governor *g, struct tapir_governed *p, u32 window, u32 way_ns)
{
	if (g->window != window)
		governor_turn(g, window);
	g->used += way_ns;
	g->way += way_ns;
	g->ways[!!p->periodic] += way_ns;
	p->stretched += p->times > TAPIR_GOVERNOR_ONCE;
}

static enum tapir_verdict governor_handle(struct tapir_governed *p)
{
	return --p->unmeasured >= 0 ? TAPIR_VERDICT_HANDLE : TAPIR_VERDICT_MEASURE;
}

/* A hit stands for `stride` hits, and each of these for as many as its period is longer: a whole number whose mean is right. */
static u32 governor_weight(struct tapir_governor *g, const struct tapir_governed *p, u32 stride)
{
	u64 weight;

	if (p->times <= TAPIR_GOVERNOR_ONCE)
		return stride;
	weight = ((u64)stride * p->times + governor_draw(g) % TAPIR_GOVERNOR_ONCE) / TAPIR_GOVERNOR_ONCE;
	return weight < ~0u ? (u32)weight : ~0u;
}

enum tapir_verdict tapir_governor_hit(struct tapir_governor *g, struct tapir_governed *p, u32 window, u32 way_ns, u32 *left_out)
{
	u32 stride;

	governor_enter(g, p, window, way_ns);
	if (p->window != window || !p->stride)
		governor_turn_probe(g, p, window);
	p->hits++;
	if (g->used > g->allowed && g->used - g->way + p->handler_ns > 2 * g->room) {
		p->refused += p->times > TAPIR_GOVERNOR_ONCE ? p->times / TAPIR_GOVERNOR_ONCE : 1;
		return TAPIR_VERDICT_SKIP;
	}
	/* A hit that interrupts this one may change the stride: the draw and the weight have the same one. */
	stride = __atomic_load_n(&p->stride, __ATOMIC_RELAXED);
	/* One of `stride` numbers of 32 bits is below 2^32 / stride. */
	if ((u64)governor_draw(g) * stride >> 32)
		return TAPIR_VERDICT_SKIP;
	*left_out = governor_weight(g, p, stride) - 1;
	g->used += p->handler_ns;
	/* Those that ask for less than the level stay as they are. */
	if (g->used > g->allowed && (u64)p->hits * p->handler_ns > g->level && stride < GOVERNOR_STRIDE_MOST)
		p->stride = stride + stride / 16 + 1;
	return governor_handle(p);
}

enum tapir_verdict tapir_governor_return(struct tapir_governor *g, struct tapir_governed *p, u32 window, u32 way_ns)
{
	governor_enter(g, p, window, way_ns);
	return governor_handle(p);
}

enum tapir_verdict tapir_governor_follow(struct tapir_governor *g, struct tapir_governed *p, u32 window, u32 way_ns)
{
	governor_enter(g, p, window, way_ns);
	g->used += p->handler_ns;
	return governor_handle(p);
}

void tapir_governor_pass(struct tapir_governor *g, struct tapir_governed *p, u32 window, u32 way_ns)
{
	governor_enter(g, p, window, way_ns);
}

void tapir_governor_measured(struct tapir_governor *g, struct tapir_governed *p, u64 ns)
{
	u32 mean = p->handler_ns, part, now = ns < 1u << 30 ? (u32)ns : 1u << 30;

	if (mean && now / GOVERNOR_MEASURED_MOST > mean)
		now = mean * GOVERNOR_MEASURED_MOST;
	if (p->learnt < GOVERNOR_LEARNS && now > g->allowed)
		now = (u32)g->allowed;
	/* This handler was reckoned with the mean. */
	g->used += now > mean ? now - mean : 0;
	if (p->learnt < GOVERNOR_LEARNS) {
		p->learnt++;
		if (mean / 2 > now)
			mean = now * 2;
	}
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
