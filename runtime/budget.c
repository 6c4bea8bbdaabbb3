// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The limits of a handler: units of MAXACTION, and time.
 *
 * The budget is handed out in parts. When a part is used up, a handler in the session thread lets others run and may be given up.
 * Any other one looks at the clock, and so does a report while it holds locks. So a handler that runs few statements pays nothing
 * for its time limit. The time before the first look does not count.
 *
 * Work that takes longer than a statement may is estimated separately: tapir_work() adds its possible cost on a slow processor, and
 * after a certain sum comes a look, too. The sum carries over from one handler to the next, so beginning a handler costs nothing.
 *
 * Time also passes where a virtual machine waits for its processor, and emulated processors take many times as long. So time counts
 * only up to the possible cost of the handler's actions: its units, its statements that are not units, and the estimated work. It
 * may use its whole default budget for ordinary statements, however long that takes.
 *
 * All time counts where nothing interrupts the handler and no other task has the processor. A handler then ends before its time is
 * over, early by the time between two looks.
 */
#include <tapir/tapir.h>
#include "handler.h"

/* Units between two looks, and statements without a unit. */
#define UNITS_AT_ONCE 64
#define SPARE_AT_ONCE 1024
/* At most this part of the limit is kept back for the time after a look. */
#define LIMIT_PER_REST 4

/* This limit is far above the need of any honest loop, so the error names the likely cause. */
#ifdef TAPIR_STILL
#define TAPIR_TOO_MANY_ACTIONS "MAXACTION exceeded (a damaged list may be a circle)"
#else
#define TAPIR_TOO_MANY_ACTIONS "MAXACTION exceeded"
#endif

struct tapir_pace tapir_pace = {.most = TAPIR_DEFAULT_MAXACTION_INTERRUPTIBLE, .at_once = UNITS_AT_ONCE};

void tapir_pace_set(s64 most, u64 limit_us)
{
	tapir_pace.most = most;
	tapir_pace.at_once = most < UNITS_AT_ONCE ? most : UNITS_AT_ONCE;
	tapir_pace.limit_us = limit_us;
	tapir_pace.limit_ns = limit_us > ~0ull / 1000 ? ~0ull : limit_us * 1000;
}

/* Begins a new estimate here. */
static void reckon_from(struct tapir_ctx *c)
{
	c->work = TAPIR_WORK_AT_ONCE;
	c->reckoned_to = c->budget;
}

void tapir_clock_start(struct tapir_ctx *c)
{
	c->looks = 1;
	c->own = c->passed = c->reckoned = 0;
	reckon_from(c);
	c->looked_at = tapir_port_work_ns();
}

void tapir_report_holds(struct tapir_ctx *c)
{
	c->reserve += c->budget;
	c->budget = c->reserve < tapir_pace.at_once ? c->reserve : tapir_pace.at_once;
	c->reserve -= c->budget;
	c->hold_units = (u64)tapir_pace.most;
	tapir_clock_start(c);
}

/*
 * A look. `more` ns may have been spent besides units and work. False: `margin` ns from now, the handler's time will be over.
 */
static bool in_time(struct tapir_ctx *c, u64 more, u64 margin)
{
	u64 now = tapir_port_work_ns(), since = now - c->looked_at;

	if (tapir_port_work_is_own()) {
		u64 rest = tapir_pace.limit_ns / LIMIT_PER_REST;

		/* Assume that the time until the next look is as long as this one, and so was the time before the first. */
		if (rest > since)
			rest = since;
		if (margin < rest)
			margin = rest;
		c->own += c->looks == 1 ? since + rest : since;
	} else {
		c->passed += since;
		c->reckoned += more + (u64)(TAPIR_WORK_AT_ONCE - c->work);
		if (c->reckoned_to > c->budget)
			c->reckoned += (u64)(c->reckoned_to - c->budget) * TAPIR_UNIT_NS;
	}
	reckon_from(c);
	c->looked_at = now;
	c->looks++;
	return !tapir_pace.limit_ns || c->own + (c->passed < c->reckoned ? c->passed : c->reckoned) + margin < tapir_pace.limit_ns;
}

/* The first look of a handler that was not started by tapir_handler_start(). */
static inline void begin(struct tapir_ctx *c)
{
	if (c->looks)
		return;
	c->reserve = tapir_pace.most - tapir_pace.at_once;
	tapir_clock_start(c);
}

static void raise_time(struct tapir_ctx *c, const struct tapir_site *site)
{
	tapir_error(c, site, "MAXTIME exceeded");
	tapir_error_limit(c, TAPIR_LIMIT_MAXTIME, tapir_pace.limit_us);
	c->failed = TAPIR_FAIL_ACTIONS;
}

/* A part of something is used up. False: the handler's time is over, which is its error now. */
static bool look(struct tapir_ctx *c, u64 more, const struct tapir_site *site)
{
	if (!c->looks) {
		begin(c);
		return true;
	}
	if (in_time(c, more, 0))
		return true;
	raise_time(c, site);
	return false;
}

void tapir_error_actions(struct tapir_ctx *c, const struct tapir_site *site)
{
	if (c->failed)
		return;
	tapir_error(c, site, TAPIR_TOO_MANY_ACTIONS);
	tapir_error_limit(c, TAPIR_LIMIT_MAXACTION, tapir_port_limit(TAPIR_LIMIT_MAXACTION_INTERRUPTIBLE));
	c->failed = TAPIR_FAIL_ACTIONS;
}

/* The handler may pause. */
static bool given_up(struct tapir_ctx *c)
{
	if (tapir_port_pause(c))
		return false;
	tapir_error(c, NULL, "");
	c->failed = TAPIR_FAIL_ABORT;
	return true;
}

bool tapir_actions_spent(struct tapir_ctx *c, const struct tapir_site *site)
{
	bool pauses = tapir_may_pause(c);
	s64 at_once = pauses ? TAPIR_ACTIONS_AT_ONCE : tapir_pace.at_once;

	if (c->failed)
		return true;
	if (pauses) {
		/* A long loop must not delay earlier output. Reports do not flush here: lines of others could then split theirs. */
		if (c->level == TAPIR_LEVEL_SESSION)
			tapir_output_flush(c);
		if (given_up(c))
			return true;
	} else if (!look(c, 0, site)) {
		return true;
	}
	c->budget += c->reserve;
	c->reserve = 0;
	if (c->budget > at_once) {
		c->reserve = c->budget - at_once;
		c->budget = at_once;
	}
	c->reckoned_to = c->budget;
	if (c->budget > 0)
		return false;
	tapir_error_actions(c, site);
	return true;
}

bool tapir_actions_lacking(struct tapir_ctx *c, s64 units, const struct tapir_site *site)
{
	if (c->level != TAPIR_LEVEL_SESSION)
		begin(c);
	if (c->reserve >= units - c->budget)
		return false;
	tapir_error_actions(c, site);
	return true;
}

bool tapir_afford(struct tapir_ctx *c, u64 units, const struct tapir_site *site)
{
	if (!units || tapir_may_pause(c))
		return !c->failed;
	if (c->level == TAPIR_LEVEL_REPORT) {
		if (units >= c->hold_units)
			tapir_error_actions(c, site);
		else
			c->hold_units -= units;
		return !c->failed;
	}
	begin(c);
	if (units >= (u64)(c->budget + c->reserve)) {
		tapir_error_actions(c, site);
		return false;
	}
	c->budget -= (s64)units;
	return c->budget > 0 || !tapir_actions_spent(c, site);
}

bool tapir_go_on(struct tapir_ctx *c, u64 each, u64 margin, const struct tapir_site *site)
{
	if (c->failed)
		return false;
	if (tapir_may_pause(c))
		return !given_up(c);
	begin(c);
	if (in_time(c, TAPIR_LOOK_ELEMENTS * each, margin))
		return true;
	raise_time(c, site);
	return false;
}

bool tapir_work_spent(struct tapir_ctx *c, const struct tapir_site *site)
{
	u64 over = (u64)-c->work;
	bool spent;

	if (c->failed) {
		tapir_error_site(c, site);
		return true;
	}
	if (tapir_may_pause(c)) {
		c->work = TAPIR_WORK_AT_ONCE;
		spent = given_up(c);
	} else if (c->looks) {
		spent = !look(c, 0, site);
	} else {
		/* The first look comes after something long. */
		begin(c);
		c->own = over / TAPIR_WORK_CAUTION;
		return false;
	}
	/* An operation that comes to this without a place has the look of its expression behind it. */
	if (spent)
		c->work = -1;
	return spent;
}

void tapir_work_add_text(struct tapir_ctx *c, const char *text)
{
	tapir_work_add(c, (u64)tapir_strlen(text, tapir_module.string_cap) * TAPIR_WORK_BYTE);
}

bool tapir_work_text(struct tapir_ctx *c, const char *text, u32 ns)
{
	return tapir_work(c, (u64)tapir_strlen(text, tapir_module.string_cap) * ns);
}

void tapir_spare_begin(struct tapir_ctx *c)
{
	u64 units = tapir_port_limit(TAPIR_LIMIT_MAXACTION_INTERRUPTIBLE);

	c->spare = SPARE_AT_ONCE;
	if (units > ~0ull / TAPIR_SPARE / 2)
		units = ~0ull / TAPIR_SPARE / 2;
	c->spare_looks = (s64)(units * TAPIR_SPARE) / c->spare;
}

bool tapir_spare_spent(struct tapir_ctx *c, const struct tapir_site *site)
{
	if (c->failed)
		return true;
	if (tapir_may_pause(c)) {
		if (given_up(c))
			return true;
	} else if (!look(c, (u64)(SPARE_AT_ONCE - c->spare) * TAPIR_SPARE_NS, site)) {
		return true;
	}
	if (--c->spare_looks > 0) {
		c->spare = SPARE_AT_ONCE;
		return false;
	}
	tapir_error_actions(c, site);
	return true;
}
