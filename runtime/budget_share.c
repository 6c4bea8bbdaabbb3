// SPDX-License-Identifier: GPL-2.0-or-later
/* A budget that several sessions share: see budget_share.h. */
#include "budget_share.h"

#define SHARE_NS_BITS	    32u
#define SHARE_SESSIONS_MOST 255u
#define SHARE_WINDOWS_MASK  0xffffffu
/* A hit that interrupts another one, which interrupts another one, ...: there are no more levels. */
#define SHARE_TRIES 8u
/* A window that is later by more than that never was: the word is damaged. */
#define SHARE_LATER_MOST 0x800000u
/* A session has at least this part of the budget. */
#define SHARE_LEAST 256u

void tapir_budget_share_init(struct tapir_budget_share *s, struct tapir_shared_row *row, u64 whole)
{
	*s = (struct tapir_budget_share){.row = row, .whole = whole, .allowed = row ? 0 : whole};
}

static u64 share_word(u32 window, u32 sessions, u64 ns)
{
	if (ns > ~0u)
		ns = ~0u;
	return (u64)(window & SHARE_WINDOWS_MASK) << 40 | (u64)sessions << SHARE_NS_BITS | ns;
}

/* Adds this session to the sum of a window that is over. */
static void share_add(struct tapir_shared_row *row, u32 window, u64 used)
{
	u64 *word = &row->windows[window % TAPIR_SHARED_WINDOWS];
	u32 tries;

	for (tries = 0; tries < SHARE_TRIES; tries++) {
		u64 old = __atomic_load_n(word, __ATOMIC_RELAXED), ns = used;
		u32 sessions = 1;

		if (old >> 40 == (window & SHARE_WINDOWS_MASK)) {
			sessions = (u32)(old >> SHARE_NS_BITS & SHARE_SESSIONS_MOST);
			sessions += sessions < SHARE_SESSIONS_MOST;
			ns += (u32)old;
		} else if (old && (((u32)(old >> 40) - window) & SHARE_WINDOWS_MASK) < SHARE_LATER_MOST) {
			/* The place is a later window's by now: this session had no hit for a while. */
			return;
		}
		if (__atomic_compare_exchange_n(word, &old, share_word(window, sessions, ns), false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return;
	}
}

/* Returns what others took in a window, and how many they were. */
static u64 share_of_others(const struct tapir_budget_share *s, u32 window, u32 *sessions)
{
	u64 word = __atomic_load_n(&s->row->windows[window % TAPIR_SHARED_WINDOWS], __ATOMIC_RELAXED);
	u32 parity = window & 1, count = (u32)(word >> SHARE_NS_BITS & SHARE_SESSIONS_MOST);
	u64 ns = (u32)word;

	*sessions = 0;
	if (word >> 40 != (window & SHARE_WINDOWS_MASK))
		return 0;
	if (s->of[parity] == window && s->mine[parity]) {
		ns = ns > s->mine[parity] ? ns - s->mine[parity] : 0;
		count -= count > 0;
	}
	*sessions = count;
	return ns;
}

u64 tapir_budget_share_turn(struct tapir_budget_share *s, u32 before, u64 used, u32 window)
{
	u32 last, count, sessions;
	u64 others, now, fair;

	if (!s->row)
		return s->whole;
	if (used) {
		share_add(s->row, before, used);
		s->mine[before & 1] = used;
		s->of[before & 1] = before;
	}
	/* Not all may have added themselves to the last window, but then they have to the one before it. */
	others = share_of_others(s, window - 2, &sessions);
	now = share_of_others(s, window - 1, &last);
	others = now > others ? now : others;
	count = (last > sessions ? last : sessions) + 1;
	fair = s->whole / count;
	if (fair < s->whole / SHARE_LEAST + 1)
		fair = s->whole / SHARE_LEAST + 1;
	now = others < s->whole && s->whole - others > fair ? s->whole - others : fair;
	if (!s->allowed)
		s->allowed = fair;
	else if (now > s->allowed)
		s->allowed += (now - s->allowed) / (2 * (u64)count) + 1;
	else
		s->allowed = now;
	return s->allowed;
}
