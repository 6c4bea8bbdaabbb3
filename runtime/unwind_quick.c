// SPDX-License-Identifier: GPL-2.0-or-later
/* Walks by noted rules, and by chains of frames that followed one another before. */
#include "unwind_quick.h"

/* ---- making chains ---- */

/* Shorter ones save nothing. */
#define LEAST_LINKS 2u
/* To follow a chain costs as much as so many links save. A chain whose links do not earn that is made anew. */
#define FOLLOW_COST 3u
#define MOST_CREDIT 64u
#define ROOM_TRIES  8u

/* A chain that is being made; `chain` NULL: none is. */
struct chain_draft {
	struct tapir_unwind_chain *chain;
	struct tapir_unwind_quick *begin;
	u32 number;
	u16 *value; /* of the link that restored the frame pointer last */
	u64 sp;
};

/* Begins a chain where a walk was before. `quick` is of the frame there. */
static __attribute__((__noinline__)) void chain_begin(struct chain_draft *d, struct tapir_unwind_memory *memory,
						      struct tapir_unwind_quick *quick, u64 sp)
{
	struct tapir_unwind_chain *chain;
	u32 tries;

	if (quick->chain == TAPIR_CHAIN_NONE || (sp & 7)) {
		quick->chain = TAPIR_CHAIN_SEEN;
		return;
	}
	for (tries = 0; tries < ROOM_TRIES; tries++) {
		d->number = memory->next_chain++ % TAPIR_CHAINS;
		chain = &memory->chains[d->number];
		if (!chain->recent)
			break;
		chain->recent = 0;
	}
	chain->key = 0;
	chain->count = 0;
	/* That of its frame itself is in the mapping. */
	chain->low = chain->high = (u32)quick->key;
	chain->value = TAPIR_LINK_NONE;
	d->chain = chain;
	d->begin = quick;
	d->value = &chain->value;
	d->sp = sp;
}

/* `whole`: it cannot be longer. Others are made another time. */
static __attribute__((__noinline__)) void chain_end(struct chain_draft *d, bool whole)
{
	struct tapir_unwind_chain *chain = d->chain;

	d->chain = NULL;
	if (!whole || chain->count < LEAST_LINKS) {
		d->begin->chain = whole ? TAPIR_CHAIN_SHORT : TAPIR_CHAIN_SEEN;
		return;
	}
	chain->key = d->begin->key;
	chain->credit = chain->count;
	chain->recent = 1;
	d->begin->chain = TAPIR_CHAIN_FIRST + d->number;
}

static bool position(const struct chain_draft *d, u64 address, u16 *to)
{
	u64 at = address - d->sp;

	*to = (u16)(at / 8);
	return !(at & 7) && at / 8 < TAPIR_LINK_NONE;
}

/* Adds the step by a rule from a frame with this frame pointer, to a caller with this CFA and return address. */
static __attribute__((__noinline__)) void chain_add(struct chain_draft *d, const struct tapir_unwind_mapping *m, u32 rule, u64 fp,
						    u64 cfa, u64 pc)
{
	struct tapir_unwind_chain *chain = d->chain;
	struct tapir_unwind_link *link = &chain->links[chain->count];
	u64 saved = cfa - quick_bytes(rule), place = pc - m->start + m->place;
	bool within = pc - 1 - m->start < m->length && place <= ~0u;
	u16 value;

	if (!position(d, cfa, &link->cfa) || !position(d, saved + quick_back(rule) * 8, &link->back) ||
	    (quick_frame(rule) != QUICK_NONE && !position(d, saved + quick_frame(rule) * 8, &link->frame)) ||
	    ((rule & QUICK_FRAME) && !position(d, fp, &value))) {
		chain_end(d, true);
		return;
	}
	/* The CFA depends on the frame pointer, so the frame pointer must be the same the next time. */
	if (rule & QUICK_FRAME)
		*d->value = value;
	link->place = within ? (u32)place : 0;
	link->value = TAPIR_LINK_NONE;
	if (quick_frame(rule) == QUICK_NONE)
		link->frame = TAPIR_LINK_NONE;
	else
		d->value = &link->value;
	if (within && link->place - 1 < chain->low)
		chain->low = link->place - 1;
	if (within && link->place - 1 > chain->high)
		chain->high = link->place - 1;
	if (++chain->count == TAPIR_CHAIN_LINKS || !within)
		chain_end(d, true);
}

/* ---- following them ---- */

struct stack_reader {
	const struct tapir_unwind_source *source;
	struct tapir_unwind_frame *f;
};

static inline __attribute__((__always_inline__)) bool read_word(void *data, u64 address, u64 *word)
{
	const struct stack_reader *r = data;
	const u64 *words;
	u8 end;

	words = stack_words(r->source, r->f, address, sizeof(*word), &end);
	if (words)
		*word = *words;
	return words;
}

static __attribute__((__noinline__)) u32 follow_in_memory(const struct tapir_unwind_source *source, struct tapir_unwind_frame *f,
							  struct tapir_unwind_follow *way)
{
	struct stack_reader reader = {source, f};

	return tapir_unwind_follow_by(way, tapir_unwind_plain_address(source->machine, ~0ull), read_word, &reader);
}

/* The chain that begins with a frame, NULL: there is none, or one for other stacks. */
static inline struct tapir_unwind_chain *chain_of(struct tapir_unwind_memory *memory, struct tapir_unwind_quick *quick,
						  const struct tapir_unwind_mapping *m, u64 sp, u64 fp)
{
	struct tapir_unwind_chain *chain = &memory->chains[quick->chain - TAPIR_CHAIN_FIRST];

	if (chain->key != quick->key) {
		quick->chain = TAPIR_CHAIN_SEEN;
		return NULL;
	}
	if ((sp & 7) || chain->low - m->place >= m->length || chain->high - m->place >= m->length ||
	    (chain->value != TAPIR_LINK_NONE && fp != sp + chain->value * 8ull))
		return NULL;
	return chain;
}

static inline void chain_followed(struct tapir_unwind_chain *chain, struct tapir_unwind_quick *quick, u32 links)
{
	u32 credit = chain->credit + links;

	if (TAPIR_UNLIKELY(credit < FOLLOW_COST)) {
		chain->key = 0;
		quick->chain = TAPIR_CHAIN_SEEN;
		return;
	}
	credit -= FOLLOW_COST;
	chain->credit = credit < MOST_CREDIT ? (u8)credit : MOST_CREDIT;
	chain->recent |= links > FOLLOW_COST;
}

/* ---- the walk ---- */

/* Where a walk is that keeps its state in registers. */
struct quick_walk {
	const struct tapir_unwind_source *source;
	const struct tapir_unwind_mapping *m;
	struct tapir_unwind_frame *f;
	u64 shift, head; /* see struct tapir_unwind_follow */
	u64 sp, fp, pc;
	u64 *at, *last; /* the words of frames */
};

/* Follows the chain of the frame that the walk is at. Returns false if no step was made. */
static inline bool follow_chain(struct quick_walk *w, struct tapir_unwind_memory *memory, struct tapir_unwind_quick *quick)
{
	struct tapir_unwind_chain *chain = chain_of(memory, quick, w->m, w->sp, w->fp);
	struct tapir_unwind_follow way;
	u32 steps;

	if (TAPIR_UNLIKELY(!chain))
		return false;
	way.chain = chain;
	way.sp = w->sp;
	way.fp = w->fp;
	way.pc = w->pc;
	way.shift = w->shift;
	way.head = w->head;
	way.words = w->at + 1;
	way.most = chain->count;
	/* The word of the frame that is reached is written, too. */
	if (TAPIR_UNLIKELY(w->at + way.most >= w->last))
		way.most = (u32)(w->last - w->at) - 1;
	steps = w->source->follow ? w->source->follow(w->source->data, &way) : follow_in_memory(w->source, w->f, &way);
	chain_followed(chain, quick, steps);
	if (TAPIR_UNLIKELY(!steps))
		return false;
	w->at[0] = w->head + (w->pc - w->shift);
	w->at += steps;
	w->pc = way.pc;
	w->sp += chain->links[steps - 1].cfa * 8ull;
	w->fp = way.fp;
	/* Few frames, if any, are walked before the next chain. */
	w->f->ahead = 0;
	return true;
}

/* A frame takes some 65 instructions, one of a chain some 20. */
u8 tapir_unwind_walk_quick(const struct tapir_unwind_source *source, struct tapir_unwind_frame *f,
			   struct tapir_unwind_memory *memory, struct tapir_unwind_trace *trace, u32 most, u32 *steps)
{
	const struct tapir_unwind_mapping *m = source->last;
	u64 *const first = trace->words + trace->frames, signature = tapir_unwind_plain_address(m->table->machine, ~0ull);
	u64 *const fp = &f->regs[tapir_unwind_frame_register(m->table->machine)], *const sp = &f->regs[m->table->stack_register];
	u32 room = trace->room - 2 * trace->runs - trace->frames;
	struct quick_walk w = {.source = source,
			       .m = m,
			       .f = f,
			       .shift = m->start - m->place,
			       .head = TAPIR_FRAME_IN_OBJECT | (u64)m->object << TAPIR_FRAME_OBJECT | TAPIR_FRAME_CALLED,
			       .sp = *sp,
			       .fp = *fp,
			       .pc = f->pc,
			       .at = first,
			       .last = first + (room < most ? room : most)};
	struct chain_draft draft = {.chain = NULL};
	u8 end = TAPIR_UNWIND_MORE;

	while (w.at < w.last && w.pc - 1 - m->start < m->length) {
		u64 key = quick_key(m->object, (u32)(w.pc - 1 - w.shift)), cfa;
		struct tapir_unwind_quick *quick = quick_of(memory, key);
		const u64 *words;
		u32 rule;

		if (quick->key != key)
			break;
		if (!draft.chain) {
			if (quick->chain >= TAPIR_CHAIN_FIRST && follow_chain(&w, memory, quick))
				continue;
			if (quick->chain < TAPIR_CHAIN_SHORT)
				chain_begin(&draft, memory, quick, w.sp);
		}
		rule = quick->rule;
		cfa = quick_cfa(rule, w.sp, w.fp);
		words = cfa > w.sp ? stack_words(source, f, cfa - quick_bytes(rule), quick_bytes(rule), &end) : NULL;
		/* An ordinary step repeats a failed read, and finds the reason. */
		if (TAPIR_UNLIKELY(!words)) {
			end = TAPIR_UNWIND_MORE;
			break;
		}
		*w.at++ = w.head + (w.pc - w.shift);
		w.pc = words[quick_back(rule)] & signature;
		if (draft.chain)
			chain_add(&draft, m, rule, w.fp, cfa, w.pc);
		if (quick_frame(rule) != QUICK_NONE)
			w.fp = words[quick_frame(rule)];
		w.sp = cfa;
	}
	if (!w.pc)
		end = TAPIR_UNWIND_COMPLETE;
	if (draft.chain)
		chain_end(&draft, false);
	*steps += (u32)(w.at - first);
	trace->frames += (u32)(w.at - first);
	*sp = w.sp;
	*fp = w.fp;
	f->pc = w.pc;
	return end;
}
