// SPDX-License-Identifier: GPL-2.0-or-later
/* Periods of performance events under a budget: see stretch.h. */
#include "stretch.h"

/* The way may take so many fourths of what is allowed. The rest is the handlers'. */
#define STRETCH_WAY_FOURTHS 3u
/* Events have at least this part of what is allowed. */
#define STRETCH_LEAST 16u
/* After so many looks, one after the other, periods get longer: at twice as much as is allowed, after one. */
#define STRETCH_LOOKS 2u
/* And after so many, shorter. */
#define STRETCH_QUIET 10u

bool tapir_stretch_look(struct tapir_stretch *s, u64 allowed, const u64 *ways)
{
	u64 room = allowed / 4 * STRETCH_WAY_FOURTHS, least = allowed / STRETCH_LEAST, events = ways[1], sum = ways[0] + events;
	u32 before = s->doublings;

	s->quiet = before && ways[0] + 2 * events <= allowed / 2 ? s->quiet + 1 : 0;
	if (s->quiet >= STRETCH_QUIET) {
		s->quiet = 0;
		s->doublings--;
		return true;
	}
	s->over = sum > allowed && events > least ? s->over + 1 : 0;
	if (!s->over || (s->over < STRETCH_LOOKS && sum <= 2 * allowed))
		return false;
	s->over = 0;
	room = room > ways[0] + least ? room - ways[0] : least;
	for (; events > room && s->doublings < TAPIR_STRETCH_MOST; events /= 2)
		s->doublings++;
	return s->doublings != before;
}
