// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a handler may use: units of MAXACTION, and time.
 *
 * The budget is handed out in parts. When a part is used up, a handler in the session thread lets others run and may be given up;
 * any other one looks at the clock, and so does a report while it holds locks. So a handler that runs few statements pays nothing
 * for its limit of time. The time before the first look does not count.
 *
 * Time passes that the handler did not use, where a virtual machine waits for its processor, and emulated processors take many
 * times as long. So of the time between two looks only a small part of the limit counts: a handler may use its whole default budget
 * for ordinary statements, however long that takes. What is expensive looks more often, and its looks count more.
 *
 * Where nothing interrupts the handler and nobody else has the processor, all of it counts. A handler then ends before its time is
 * over, by what it needs between two looks.
 */
#include <tapir/tapir.h>
#include "handler.h"

/* Units between two looks, with strings of so many bytes. With longer ones a statement takes longer, so that they are fewer. */
#define UNITS_AT_ONCE	  64
#define UNITS_AT_ONCE_MIN 2
#define STRING_BYTES	  512
/* Looks that a handler has at least: those of its default budget, and some to spare. Of longer statements, so many. */
#define LOOKS	  (TAPIR_DEFAULT_MAXACTION_INTERRUPTIBLE / UNITS_AT_ONCE * 5 / 4)
#define LOOKS_MIN 16
/* Of a look within an operation over elements, which come in smaller steps. */
#define STEPS_PER_LOOK 2
/* More than this part of the limit is not kept back for what follows a look. */
#define LIMIT_PER_REST 4
/* Statements without a unit between two looks; with longer strings, so many for each unit. */
#define SPARE_AT_ONCE	   16384
#define SPARE_AT_ONCE_LONG 8

/* Where so many are allowed that no honest loop needs them, it says what may be wrong. */
#ifdef TAPIR_STILL
#define TAPIR_TOO_MANY_ACTIONS "MAXACTION exceeded (a damaged list may be a circle)"
#else
#define TAPIR_TOO_MANY_ACTIONS "MAXACTION exceeded"
#endif

struct tapir_pace tapir_pace = {.most = TAPIR_DEFAULT_MAXACTION_INTERRUPTIBLE, .at_once = UNITS_AT_ONCE};

void tapir_pace_set(s64 most, u64 limit_us)
{
	s64 at_once = UNITS_AT_ONCE;
	u64 looks;

	if (tapir_module.string_cap > STRING_BYTES)
		at_once = at_once * STRING_BYTES / tapir_module.string_cap;
	if (at_once < UNITS_AT_ONCE_MIN)
		at_once = UNITS_AT_ONCE_MIN;
	tapir_pace.most = most;
	tapir_pace.at_once = most < at_once ? most : at_once;
	tapir_pace.limit_us = limit_us;
	tapir_pace.limit_ns = limit_us > ~0ull / 1000 ? ~0ull : limit_us * 1000;
	looks = (u64)(LOOKS * at_once / UNITS_AT_ONCE);
	tapir_pace.look_ns = tapir_pace.limit_ns / (looks < LOOKS_MIN ? LOOKS_MIN : looks);
	tapir_pace.step_ns = tapir_pace.limit_ns / (LOOKS * STEPS_PER_LOOK);
}

void tapir_clock_start(struct tapir_ctx *c)
{
	c->looks = 1;
	c->worked = 0;
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
 * Of the time since the last look at most `most` ns count, unless all of it is known to be the handler's. False: `margin` ns from
 * now, the handler's time will be over.
 */
static bool in_time(struct tapir_ctx *c, u64 most, u64 margin)
{
	u64 now = tapir_port_work_ns(), since = now - c->looked_at;

	if (tapir_port_work_is_own()) {
		u64 rest = tapir_pace.limit_ns / LIMIT_PER_REST;

		/* What comes until the next look takes as long as this did, and so did what was before the first one. */
		if (rest > since)
			rest = since;
		if (margin < rest)
			margin = rest;
		c->worked += c->looks == 1 ? since + rest : since;
	} else {
		c->worked += since < most ? since : most;
	}
	c->looked_at = now;
	c->looks++;
	return !tapir_pace.limit_ns || c->worked + margin < tapir_pace.limit_ns;
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

/* A part of the budget is used up. False: the handler's time is over, which is its error now. */
static bool look(struct tapir_ctx *c, const struct tapir_site *site)
{
	if (!c->looks) {
		begin(c);
		return true;
	}
	if (in_time(c, tapir_pace.look_ns, 0))
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
		/* What was printed so far is not to wait for a long loop. Of a report, lines of others could come into a line. */
		if (c->level == TAPIR_LEVEL_SESSION)
			tapir_output_flush(c);
		if (given_up(c))
			return true;
	} else if (!look(c, site)) {
		return true;
	}
	c->budget += c->reserve;
	c->reserve = 0;
	if (c->budget > at_once) {
		c->reserve = c->budget - at_once;
		c->budget = at_once;
	}
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

bool tapir_go_on(struct tapir_ctx *c, u64 margin, const struct tapir_site *site)
{
	if (c->failed)
		return false;
	if (tapir_may_pause(c))
		return !given_up(c);
	begin(c);
	if (in_time(c, tapir_pace.step_ns, margin))
		return true;
	raise_time(c, site);
	return false;
}

static s64 spare_at_once(void)
{
	return tapir_module.string_cap <= STRING_BYTES ? SPARE_AT_ONCE : tapir_pace.at_once * SPARE_AT_ONCE_LONG;
}

void tapir_spare_begin(struct tapir_ctx *c)
{
	u64 units = tapir_port_limit(TAPIR_LIMIT_MAXACTION_INTERRUPTIBLE);

	c->spare = spare_at_once();
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
	} else if (!look(c, site)) {
		return true;
	}
	if (--c->spare_looks > 0) {
		c->spare = spare_at_once();
		return false;
	}
	tapir_error_actions(c, site);
	return true;
}
