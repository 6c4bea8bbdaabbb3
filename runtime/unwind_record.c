// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walks whose frames are recorded, by object and place. Rules of the usual forms are noted by place, so that a frame costs little
 * when it is met again.
 */
#include "unwind_quick.h"
#include "unwind_step.h"

/* The first frame, or one of other code than the last. */
static __attribute__((__noinline__)) bool note_run(struct tapir_unwind_trace *trace, u64 difference)
{
	u64 *run;

	if (trace->frames + 2 * trace->runs + 3 > trace->room)
		return false;
	run = trace->words + trace->room - 2 * ++trace->runs;
	run[0] = trace->difference = difference;
	run[1] = trace->frames;
	return true;
}

static inline bool continues(const struct tapir_unwind_trace *trace, u64 difference)
{
	return difference == trace->difference && trace->runs;
}

static inline bool note(struct tapir_unwind_trace *trace, u64 frame, u64 difference)
{
	if (TAPIR_UNLIKELY(tapir_frame_in_object(frame) && !continues(trace, difference)) && !note_run(trace, difference))
		return false;
	if (TAPIR_UNLIKELY(trace->frames + 2 * trace->runs >= trace->room))
		return false;
	trace->words[trace->frames++] = frame;
	trace->outside |= !tapir_frame_in_object(frame);
	return true;
}

bool tapir_unwind_note(struct tapir_unwind_trace *trace, u64 frame, u64 difference)
{
	return note(trace, frame, difference);
}

static u64 frame_of(const struct tapir_unwind_mapping *m, u32 place, u8 called, bool table)
{
	return TAPIR_FRAME_IN_OBJECT | (u64)m->object << TAPIR_FRAME_OBJECT | (table ? 0 : TAPIR_FRAME_NO_TABLE) |
	       (called ? TAPIR_FRAME_CALLED : 0) | (u32)(place + called);
}

bool tapir_unwind_note_address(const struct tapir_unwind_source *source, struct tapir_unwind_trace *trace, u64 address)
{
	const struct tapir_unwind_mapping *last = source->last;
	const struct tapir_unwind_table *t;
	u32 place;
	u8 end;

	t = find_table(source, address, &place, &end);
	if (last->object == TAPIR_UNWIND_NO_NUMBER)
		return tapir_unwind_note(trace, address, 0);
	return tapir_unwind_note(trace, frame_of(last, place, 0, t), address - place);
}

static u32 quick_rule(const struct tapir_unwind_table *t, const struct tapir_unwind_rule *rule)
{
	const struct tapir_unwind_saved *saved = tapir_unwind_saved_of(t) + rule->saved;
	u32 words, frame = TAPIR_QUICK_NONE, i;

	if (rule->flags & TAPIR_RULE_OUTERMOST)
		return TAPIR_QUICK_OUTERMOST;
	if (rule->flags != TAPIR_RULE_PLAIN || rule->cfa != TAPIR_CFA_REGISTER || rule->offset < 0 || (rule->offset & 7) ||
	    rule->offset >> 19)
		return TAPIR_QUICK_ORDINARY;
	if (rule->base != t->stack_register && rule->base != tapir_unwind_frame_register(t->machine))
		return TAPIR_QUICK_ORDINARY;
	words = (u32)-saved->offset / 8;
	for (i = 0; i < rule->nsaved; i++)
		if (saved[i].reg == tapir_unwind_frame_register(t->machine))
			frame = (u32)(saved[i].offset - saved->offset) / 8;
	return (rule->base == t->stack_register ? 0 : TAPIR_QUICK_FRAME) | words << 4 |
	       (u32)(saved[rule->nsaved - 1].offset - saved->offset) / 8 << 8 | frame << 12 | (u32)(rule->offset / 8) << 16;
}

/* TAPIR_UNWIND_ENDS: it cannot be done so. */
static inline u8 step_quick(const struct tapir_unwind_source *source, const struct tapir_unwind_table *t,
			    struct tapir_unwind_frame *f, u32 rule)
{
	u64 *sp = &f->regs[t->stack_register], *fp = &f->regs[tapir_unwind_frame_register(t->machine)];
	u64 cfa = tapir_quick_cfa(rule, *sp, *fp);
	const u64 *words;
	u8 end = TAPIR_UNWIND_MORE;

	if (TAPIR_UNLIKELY(cfa <= *sp))
		return TAPIR_UNWIND_ENDS;
	words = stack_words(source, f, cfa - tapir_quick_bytes(rule), tapir_quick_bytes(rule), &end);
	if (TAPIR_UNLIKELY(!words))
		return end ? end : TAPIR_UNWIND_ENDS;
	f->pc = tapir_unwind_plain_address(t->machine, words[tapir_quick_back(rule)]);
	f->called = 1;
	if (tapir_quick_frame(rule) != TAPIR_QUICK_NONE)
		*fp = words[tapir_quick_frame(rule)];
	*sp = cfa;
	return f->pc ? TAPIR_UNWIND_MORE : TAPIR_UNWIND_COMPLETE;
}

/* Where a walk stands whose frames are noted. */
struct noted {
	struct tapir_unwind_memory *memory;
	u32 steps;   /* that were made */
	bool partly; /* some of them quickly: only the registers that these follow are right */
	bool whole;  /* no more are */
};

/* Notes the frame before a quick step. */
static inline void begin_quickly(const struct tapir_unwind_source *source, const struct tapir_unwind_frame *f,
				 const struct noted *n)
{
	struct tapir_unwind_memory *memory = n->memory;

	if (n->partly)
		return;
	memory->pc = f->pc;
	memory->sp = f->regs[tapir_unwind_stack_register(source->machine)];
	memory->fp = f->regs[tapir_unwind_frame_register(source->machine)];
	memory->called = f->called;
	memory->begun = n->steps;
}

/* The walk from where quick steps began once more, with all registers. */
static __attribute__((__noinline__)) u8 walk_again(const struct tapir_unwind_source *source, struct tapir_unwind_frame *f,
						   const struct tapir_unwind_memory *memory, u32 steps)
{
	u8 end = TAPIR_UNWIND_MORE;

	f->pc = memory->pc;
	f->regs[tapir_unwind_stack_register(source->machine)] = memory->sp;
	f->regs[tapir_unwind_frame_register(source->machine)] = memory->fp;
	f->called = memory->called;
	for (steps -= memory->begun; steps && !end; steps--)
		end = tapir_unwind_step(source, f);
	return end;
}

/* In place of the rule that was noted before the one that is there. */
static void note_rule(struct tapir_unwind_memory *memory, u64 key, u32 rule)
{
	struct tapir_unwind_quick *first = tapir_quick_first(memory, key);

	if (first->key)
		*tapir_quick_second(memory, first) = *first;
	*first = (struct tapir_unwind_quick){.key = key, .rule = rule, .rest = 1};
}

static u8 step_noted(const struct tapir_unwind_source *source, const struct tapir_unwind_table *t, struct tapir_unwind_frame *f,
		     struct noted *n, u32 place)
{
	u64 key = tapir_quick_key(source->last->object, place);
	const struct tapir_unwind_rule *rule = tapir_unwind_find_rule(t, place);
	u32 word;
	u8 end;

	if (!rule)
		return TAPIR_UNWIND_NO_ROW;
	word = quick_rule(t, rule);
	if (!tapir_quick_find(n->memory, key))
		note_rule(n->memory, key, word);
	if (tapir_quick_bytes(word) && !n->whole) {
		begin_quickly(source, f, n);
		end = step_quick(source, t, f, word);
		n->partly |= end != TAPIR_UNWIND_ENDS;
		if (end != TAPIR_UNWIND_ENDS)
			return end;
	}
	if (n->partly && !tapir_unwind_outermost(rule, f) && rule->cfa != TAPIR_CFA_NONE) {
		end = walk_again(source, f, n->memory, n->steps);
		n->partly = false;
		n->whole = true;
		if (end)
			return end;
	}
	return tapir_unwind_step_from(source, t, f, rule);
}

/* Notes state for a walk that may continue after a file without a table. */
static __attribute__((__noinline__, __cold__)) void remember(struct tapir_unwind_memory *memory, u32 steps, bool partly)
{
	memory->steps = steps;
	memory->partly = partly;
}

bool tapir_unwind_registers(const struct tapir_unwind_source *source, struct tapir_unwind_frame *f,
			    const struct tapir_unwind_memory *memory)
{
	u64 pc = f->pc;

	return !memory->partly || (!walk_again(source, f, memory, memory->steps) && f->pc == pc);
}

/* May quick steps be made in the mapping that was found last? `t`: its table. */
static inline bool may_run(const struct tapir_unwind_mapping *last, const struct tapir_unwind_table *t,
			   const struct tapir_unwind_frame *f, const struct noted *n)
{
	return !n->whole && t && last->object != TAPIR_UNWIND_NO_NUMBER && last->length && last->place + last->length <= ~0u &&
	       (f->called || !last->no_code);
}

u8 tapir_unwind_record(const struct tapir_unwind_source *source, struct tapir_unwind_frame *f, struct tapir_unwind_memory *memory,
		       struct tapir_unwind_trace *trace, u32 max)
{
	const struct tapir_unwind_mapping *last = source->last;
	/* Quick steps do not look up return addresses that return probes have replaced. */
	struct noted n = {.memory = memory, .whole = source->original};

	/* Chains may soon take over. */
	f->ahead = 0;
	for (; n.steps < max; n.steps++) {
		const struct tapir_unwind_table *t;
		u8 end = TAPIR_UNWIND_NO_OBJECT;
		u64 address;
		u32 place;

		address = f->pc - f->called;
		t = find_table(source, address, &place, &end);
		while (may_run(last, t, f, &n)) {
			u32 before = n.steps;
			u8 quick_end;

			if (TAPIR_UNLIKELY(!continues(trace, address - place) && !note_run(trace, address - place)))
				return TAPIR_UNWIND_LIMIT;
			begin_quickly(source, f, &n);
			quick_end = tapir_unwind_walk_quick(source, f, memory, trace, max - n.steps, &n.steps);
			if (n.steps == before)
				break;
			n.partly = true;
			if (quick_end || n.steps == max)
				return quick_end ? quick_end : TAPIR_UNWIND_CUT;
			address = f->pc - 1;
			if (address - last->start < last->length) {
				place = (u32)(address - last->start + last->place);
				break;
			}
			end = TAPIR_UNWIND_NO_OBJECT;
			t = find_table(source, address, &place, &end);
		}
		if (TAPIR_UNLIKELY(last->object == TAPIR_UNWIND_NO_NUMBER)) {
			/* Otherwise a wild address outside of programs would be read as a place in a file or in the kernel. */
			if (!(f->pc >> 62) && !note(trace, f->pc, 0))
				return TAPIR_UNWIND_LIMIT;
			if (t) {
				end = n.partly ? walk_again(source, f, memory, n.steps) : TAPIR_UNWIND_MORE;
				n.partly = false;
				n.whole = true;
				if (!end)
					end = tapir_unwind_step(source, f);
			}
		} else {
			if (!note(trace, frame_of(last, place, f->called, t), address - place))
				return TAPIR_UNWIND_LIMIT;
			if (tapir_unwind_in_data(source, t, f))
				end = TAPIR_UNWIND_NO_CODE;
			else if (TAPIR_LIKELY(t))
				end = step_noted(source, t, f, &n, place);
			else
				remember(memory, n.steps, n.partly);
		}
		if (TAPIR_UNLIKELY(tapir_unwind_undescribed(end, f)))
			end = tapir_unwind_step_framed(source, t, place, f, end);
		if (end)
			return end;
	}
	return TAPIR_UNWIND_CUT;
}

u64 tapir_unwind_address(const u64 *frames, const u64 *runs, u32 nruns, u32 n)
{
	u64 frame = frames[n];

	if (!tapir_frame_in_object(frame))
		return frame;
	/* The last run is the first in memory. */
	while (nruns-- > 1 && runs[1] > n)
		runs += 2;
	return (u32)frame + runs[0];
}
