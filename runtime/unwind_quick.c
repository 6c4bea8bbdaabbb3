// SPDX-License-Identifier: GPL-2.0-or-later
/* Walks by noted rules, and by chains of frames that followed one another before. */
#include "unwind_quick.h"

/* ---- making chains ---- */

/* Shorter ones save nothing. */
#define LEAST_LINKS 2u
#define ROOM_TRIES  8u
/* Visits until one may begin that would be short, and until one that met an unknown rule may be longer. */
#define SHORT_REST   0xffffu
#define UNKNOWN_REST 4u

/* A chain that is being made; `chain` NULL: none is. */
struct chain_draft {
	struct tapir_unwind_chain *chain;
	struct tapir_unwind_quick *begin;
	u32 number;
	u16 *value; /* of the link that restored the frame pointer last */
	u64 sp;
};

/* `quick` is of the frame where it begins. */
static __attribute__((__noinline__)) void chain_begin(struct chain_draft *d, struct tapir_unwind_memory *memory,
						      struct tapir_unwind_quick *quick, u64 sp)
{
	struct tapir_unwind_chain *chain;
	u32 tries;

	if (sp & 7) {
		quick->rest = TAPIR_CHAIN_REST;
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
		d->begin->rest = whole ? SHORT_REST : UNKNOWN_REST;
		return;
	}
	for (chain->framed = 0; chain->framed < chain->count; chain->framed++)
		if (chain->links[chain->framed].value == TAPIR_LINK_NONE)
			break;
	chain->key = d->begin->key;
	chain->bytes = chain->links[chain->count - 1].cfa * 8u;
	chain->credit = chain->count;
	chain->recent = 1;
	d->begin->chain = (u16)(d->number + 1);
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
	u64 saved = cfa - tapir_quick_bytes(rule), place = pc - m->start + m->place;
	bool within = pc - 1 - m->start < m->length && place <= ~0u;
	u16 value;

	if (!position(d, cfa, &link->cfa) || !position(d, saved + tapir_quick_back(rule) * 8, &link->back) ||
	    (tapir_quick_frame(rule) != TAPIR_QUICK_NONE && !position(d, saved + tapir_quick_frame(rule) * 8, &link->frame)) ||
	    ((rule & TAPIR_QUICK_FRAME) && !position(d, fp, &value))) {
		chain_end(d, true);
		return;
	}
	/* The CFA depends on the frame pointer, so the frame pointer must be the same the next time. */
	if (rule & TAPIR_QUICK_FRAME)
		*d->value = value;
	link->place = within ? (u32)place : 0;
	link->value = TAPIR_LINK_NONE;
	if (tapir_quick_frame(rule) == TAPIR_QUICK_NONE)
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

/* ---- the walk ---- */

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

/* A run where the port reads words as others. */
static __attribute__((__noinline__)) u32 run_in_memory(const struct tapir_unwind_source *source, struct tapir_unwind_frame *f,
						       struct tapir_unwind_run *run)
{
	struct stack_reader reader = {source, f};

	if (run->sp < 4096)
		return TAPIR_RUN_LEFT;
	run->end = ~0ull;
	return tapir_unwind_run_by(run, tapir_unwind_plain_address(source->machine, ~0ull), read_word, &reader);
}

/* Walks by rules from a frame whose rule is noted, as far as a chain may reach, and makes it. */
static __attribute__((__noinline__)) void run_drafting(const struct tapir_unwind_source *source, struct tapir_unwind_frame *f,
						       struct tapir_unwind_run *run)
{
	const struct tapir_unwind_mapping *m = run->m;
	u64 signature = tapir_unwind_plain_address(m->table->machine, ~0ull);
	struct tapir_unwind_memory *memory = run->memory;
	struct chain_draft draft = {.chain = NULL};

	chain_begin(&draft, memory, tapir_quick_find(memory, tapir_quick_key(m->object, run->pc - 1 - run->shift)), run->sp);
	while (draft.chain && run->at < run->last && run->pc - 1 - m->start < m->length) {
		u64 key = tapir_quick_key(m->object, run->pc - 1 - run->shift), cfa;
		struct tapir_unwind_quick *quick = tapir_quick_find(memory, key);
		const u64 *words;
		u32 rule;
		u8 end;

		if (!quick)
			break;
		rule = quick->rule;
		if (rule == TAPIR_QUICK_OUTERMOST || rule == TAPIR_QUICK_ORDINARY) {
			chain_end(&draft, true);
			return;
		}
		cfa = tapir_quick_cfa(rule, run->sp, run->fp);
		words = cfa > run->sp ? stack_words(source, f, cfa - tapir_quick_bytes(rule), tapir_quick_bytes(rule), &end) : NULL;
		if (TAPIR_UNLIKELY(!words))
			break;
		*run->at++ = run->head + (run->pc - run->shift);
		run->pc = words[tapir_quick_back(rule)] & signature;
		chain_add(&draft, m, rule, run->fp, cfa, run->pc);
		if (tapir_quick_frame(rule) != TAPIR_QUICK_NONE)
			run->fp = words[tapir_quick_frame(rule)];
		run->sp = cfa;
	}
	if (draft.chain)
		chain_end(&draft, false);
}

u8 tapir_unwind_walk_quick(const struct tapir_unwind_source *source, struct tapir_unwind_frame *f,
			   struct tapir_unwind_memory *memory, struct tapir_unwind_trace *trace, u32 most, u32 *steps)
{
	const struct tapir_unwind_mapping *m = source->last;
	u64 *const first = trace->words + trace->frames;
	u64 *const fp = &f->regs[tapir_unwind_frame_register(m->table->machine)], *const sp = &f->regs[m->table->stack_register];
	u32 room = trace->room - 2 * trace->runs - trace->frames, why;
	struct tapir_unwind_run *run = &memory->run;

	run->memory = memory;
	run->m = m;
	run->shift = m->start - m->place;
	run->head = TAPIR_FRAME_IN_OBJECT | (u64)m->object << TAPIR_FRAME_OBJECT | TAPIR_FRAME_CALLED;
	run->sp = *sp;
	run->fp = *fp;
	run->pc = f->pc;
	run->at = first;
	run->last = first + (room < most ? room : most);
	run->called = f->called;
	for (;;) {
		why = source->run ? source->run(source->data, run) : run_in_memory(source, f, run);
		if (TAPIR_LIKELY(why != TAPIR_RUN_BEGIN))
			break;
		run_drafting(source, f, run);
	}
	*steps += (u32)(run->at - first);
	trace->frames += (u32)(run->at - first);
	*sp = run->sp;
	*fp = run->fp;
	f->pc = run->pc;
	f->called = (u8)run->called;
	return why == TAPIR_RUN_COMPLETE || (!run->pc && run->at > first) ? TAPIR_UNWIND_COMPLETE : TAPIR_UNWIND_MORE;
}
