/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs: the part of a walk that stays in one mapping and needs nothing but noted rules (struct tapir_unwind_quick) and chains. The
 * whole state is in registers, and all words are read by one function, within one access to the memory of a program.
 */
#ifndef TAPIR_UNWIND_RUN_H
#define TAPIR_UNWIND_RUN_H

#include <tapir/unwind.h>

/* ---- rules as words ---- */

/*
 * Nearly all code counts the CFA from the stack pointer or the frame register. TAPIR_QUICK_FRAME: from the frame register. Then 4
 * bits have the number of saved words, and 4 the index of the return address among them. The next 4 have the index of the frame
 * register (TAPIR_QUICK_NONE if it is not saved), and 16 the CFA's offset in words. Words of other rules save nothing.
 */
#define TAPIR_QUICK_FRAME 1u
#define TAPIR_QUICK_NONE  15u
/* The frame has no caller. */
#define TAPIR_QUICK_OUTERMOST 2u
/* Only an ordinary step follows the rule. */
#define TAPIR_QUICK_ORDINARY 4u

static inline __attribute__((__always_inline__)) u32 tapir_quick_bytes(u32 rule)
{
	return (rule >> 4 & 15) * 8;
}

static inline __attribute__((__always_inline__)) u32 tapir_quick_back(u32 rule)
{
	return rule >> 8 & 15;
}

static inline __attribute__((__always_inline__)) u32 tapir_quick_frame(u32 rule)
{
	return rule >> 12 & 15;
}

static inline __attribute__((__always_inline__)) u64 tapir_quick_cfa(u32 rule, u64 sp, u64 fp)
{
	return (rule & TAPIR_QUICK_FRAME ? fp : sp) + (rule >> 16) * 8ull;
}

static inline __attribute__((__always_inline__)) u64 tapir_quick_key(u32 object, u64 place)
{
	return ((u64)object << 32 | 1ull << 63) + place;
}

/* A rule is noted in one of two entries beside each other, first in this one. */
static inline __attribute__((__always_inline__)) struct tapir_unwind_quick *tapir_quick_first(struct tapir_unwind_memory *memory,
											      u64 key)
{
	return &memory->quick[key * 0x9e3779b97f4a7c15ull >> (64 - TAPIR_QUICK_BITS)];
}

static inline __attribute__((__always_inline__)) struct tapir_unwind_quick *tapir_quick_second(struct tapir_unwind_memory *memory,
											       struct tapir_unwind_quick *first)
{
	return &memory->quick[(u64)(first - memory->quick) ^ 1];
}

/* NULL: the rule is not noted. */
static inline __attribute__((__always_inline__)) struct tapir_unwind_quick *tapir_quick_find(struct tapir_unwind_memory *memory,
											     u64 key)
{
	struct tapir_unwind_quick *quick = tapir_quick_first(memory, key);

	if (TAPIR_LIKELY(quick->key == key))
		return quick;
	quick = tapir_quick_second(memory, quick);
	return quick->key == key ? quick : NULL;
}

/* ---- a run ---- */

enum tapir_unwind_run_end {
	TAPIR_RUN_LEFT,	    /* an ordinary step is next, or another mapping */
	TAPIR_RUN_BEGIN,    /* a chain may begin here */
	TAPIR_RUN_COMPLETE, /* that was the outermost frame */
};

/* ---- along a chain ---- */

/* To follow a chain costs as much as so many links save. A chain whose links do not earn that is given up. */
#define TAPIR_CHAIN_COST   3u
#define TAPIR_CHAIN_CREDIT 64u
/* Visits of a place until another chain may begin there. */
#define TAPIR_CHAIN_REST 32u

/* The chain that begins with the frame where a run stands, NULL: there is none, or one for other stacks. */
static inline __attribute__((__always_inline__)) struct tapir_unwind_chain *tapir_unwind_chain_of(const struct tapir_unwind_run *r,
												  struct tapir_unwind_quick *quick)
{
	struct tapir_unwind_chain *chain = &r->memory->chains[quick->chain - 1u];
	const struct tapir_unwind_mapping *m = r->m;

	if (TAPIR_UNLIKELY(chain->key != quick->key)) {
		quick->chain = 0;
		quick->rest = 1;
		return NULL;
	}
	if ((r->sp & 7) || chain->low - m->place >= m->length || chain->high - m->place >= m->length ||
	    chain->bytes > r->end - r->sp || (chain->value != TAPIR_LINK_NONE && r->fp != r->sp + chain->value * 8ull))
		return NULL;
	return chain;
}

/* A chain was left before its end, after so many links. */
static inline __attribute__((__always_inline__)) void tapir_unwind_chain_left(struct tapir_unwind_memory *memory,
									      struct tapir_unwind_chain *chain, u32 links)
{
	u32 credit = chain->credit + links;

	if (TAPIR_UNLIKELY(credit < TAPIR_CHAIN_COST)) {
		struct tapir_unwind_quick *quick = tapir_quick_find(memory, chain->key);

		if (quick) {
			quick->chain = 0;
			quick->rest = TAPIR_CHAIN_REST;
		}
		chain->key = 0;
		return;
	}
	credit -= TAPIR_CHAIN_COST;
	chain->credit = credit < TAPIR_CHAIN_CREDIT ? (u8)credit : TAPIR_CHAIN_CREDIT;
	chain->recent |= links > TAPIR_CHAIN_COST;
}

/* Returns how many steps were made; parameters as of tapir_unwind_run_by(). The words of the stack decide: where one differs, the
 * walk leaves the chain with the caller that it tells of. */
static inline __attribute__((__always_inline__)) u32
tapir_unwind_follow_by(struct tapir_unwind_run *r, const struct tapir_unwind_chain *chain, u64 most, u64 signature,
		       bool (*read)(void *data, u64 address, u64 *word), void *data)
{
	const struct tapir_unwind_link *link = chain->links, *const behind = link + most;
	const struct tapir_unwind_link *const framed = link + (chain->framed < most ? chain->framed : most);
	const u64 sp = r->sp, shift = r->shift, head = r->head;
	u64 fp = r->fp, *at = r->at, back = r->pc, frame, word;
	u32 steps;

	/* The word of the frame that is reached is written, too. */
	*at = head + (back - shift);
	/* Code with frame pointers has such links only. The next loop looks again at the one that differs. */
	for (; link < framed; link++) {
		if (!read(data, sp + link->frame * 8ull, &word) || word != sp + link->value * 8ull)
			break;
		if (!read(data, sp + link->back * 8ull, &word) || (word & signature) - shift != link->place)
			break;
		*++at = head + link->place;
	}
	if (link > chain->links) {
		fp = sp + link[-1].value * 8ull;
		back = shift + link[-1].place;
	}
	for (; link < behind; link++) {
		if (link->frame != TAPIR_LINK_NONE) {
			if (!read(data, sp + link->frame * 8ull, &frame) || !read(data, sp + link->back * 8ull, &word))
				goto left;
			fp = frame;
			back = word & signature;
			if (link->value != TAPIR_LINK_NONE && frame != sp + link->value * 8ull)
				goto differs;
		} else {
			if (!read(data, sp + link->back * 8ull, &word))
				goto left;
			back = word & signature;
		}
		if (back - shift != link->place)
			goto differs;
		*++at = head + (back - shift);
	}
	goto left;
differs:
	link++;
left:
	steps = (u32)(link - chain->links);
	if (TAPIR_LIKELY(steps))
		r->sp = sp + link[-1].cfa * 8ull;
	r->fp = fp;
	r->pc = back;
	r->at += steps;
	return steps;
}

/* ---- by rules ---- */

/* Makes a step by a rule. Returns false if that takes an ordinary step. */
static inline __attribute__((__always_inline__)) bool tapir_unwind_quickly_by(struct tapir_unwind_run *r, u32 rule, u64 signature,
									      bool (*read)(void *data, u64 address, u64 *word),
									      void *data)
{
	u64 sp = r->sp, cfa = tapir_quick_cfa(rule, sp, r->fp), saved = cfa - tapir_quick_bytes(rule), fp = r->fp, back;

	if (TAPIR_UNLIKELY(cfa - sp - 1 >= r->end - sp || saved < sp))
		return false;
	if (tapir_quick_frame(rule) != TAPIR_QUICK_NONE && !read(data, saved + tapir_quick_frame(rule) * 8, &fp))
		return false;
	if (!read(data, saved + tapir_quick_back(rule) * 8, &back))
		return false;
	*r->at++ = r->head - (TAPIR_FRAME_CALLED - (r->called << 32)) + (r->pc - r->shift);
	r->fp = fp;
	r->sp = cfa;
	r->pc = back & signature;
	r->called = 1;
	return true;
}

/*
 * Makes as many steps as possible: enum tapir_unwind_run_end. `read` reads a word and returns false on a fault. Its addresses are
 * from the stack pointer, which is at least 4096, to r->end. `signature`: the bits of a return address that are its address.
 * Inline, for ports that read words by single instructions; it calls nothing. A frame takes some 50 instructions, one of a chain
 * some 23.
 */
static inline __attribute__((__always_inline__)) u32
tapir_unwind_run_by(struct tapir_unwind_run *r, u64 signature, bool (*read)(void *data, u64 address, u64 *word), void *data)
{
	while (r->at < r->last && r->pc - r->called - r->m->start < r->m->length) {
		u64 key = tapir_quick_key(r->m->object, r->pc - r->called - r->shift);
		struct tapir_unwind_quick *quick = tapir_quick_find(r->memory, key);

		if (!quick)
			break;
		if (TAPIR_LIKELY(r->called) && quick->chain) {
			struct tapir_unwind_chain *chain = tapir_unwind_chain_of(r, quick);
			u32 steps = 0;

			if (TAPIR_LIKELY(chain)) {
				u64 room = (u64)(r->last - r->at) - 1;

				steps = tapir_unwind_follow_by(r, chain, chain->count < room ? chain->count : room, signature, read,
							       data);
				if (steps < chain->count)
					tapir_unwind_chain_left(r->memory, chain, steps);
				else
					chain->recent = 1;
			}
			if (TAPIR_LIKELY(steps))
				continue;
		} else if (TAPIR_LIKELY(r->called)) {
			if (!quick->rest)
				return TAPIR_RUN_BEGIN;
			quick->rest--;
		}
		if (TAPIR_UNLIKELY(!tapir_unwind_quickly_by(r, quick->rule, signature, read, data))) {
			if (quick->rule != TAPIR_QUICK_OUTERMOST)
				break;
			*r->at++ = r->head - (TAPIR_FRAME_CALLED - (r->called << 32)) + (r->pc - r->shift);
			return TAPIR_RUN_COMPLETE;
		}
	}
	return TAPIR_RUN_LEFT;
}

#endif
