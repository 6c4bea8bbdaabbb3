// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walks whose frames are recorded, by object and place. Rules of the usual forms are noted by place, so that a frame costs little
 * when it is met again.
 */
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

static inline bool note(struct tapir_unwind_trace *trace, u64 frame, u64 difference)
{
	if (TAPIR_UNLIKELY(tapir_frame_in_object(frame) && (difference != trace->difference || !trace->runs)) &&
	    !note_run(trace, difference))
		return false;
	if (TAPIR_UNLIKELY(trace->frames + 2 * trace->runs >= trace->room))
		return false;
	trace->words[trace->frames++] = frame;
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

/*
 * A plain rule as a word, for stacks that need only addresses. Nearly all code counts the CFA from the stack pointer or the frame
 * register, so only these rules are followed. QUICK_FRAME: from the frame register. Then 4 bits have the number of saved words, and
 * 4 the index of the return address among them. The next 4 have the index of the frame register (QUICK_NONE if it is not saved),
 * and 16 the CFA's offset in words. 0: the rule has another form.
 */
#define QUICK_FRAME 1u
#define QUICK_NONE  15u

static u64 quick_rule(const struct tapir_unwind_table *t, const struct tapir_unwind_rule *rule)
{
	const struct tapir_unwind_saved *saved = tapir_unwind_saved_of(t) + rule->saved;
	u32 words = (u32)-saved->offset / 8, frame = QUICK_NONE, i;

	if (rule->flags != TAPIR_RULE_PLAIN || rule->cfa != TAPIR_CFA_REGISTER || rule->offset < 0 || (rule->offset & 7) ||
	    rule->offset >> 19)
		return 0;
	if (rule->base != t->stack_register && rule->base != tapir_unwind_frame_register(t->machine))
		return 0;
	for (i = 0; i < rule->nsaved; i++)
		if (saved[i].reg == tapir_unwind_frame_register(t->machine))
			frame = (u32)(saved[i].offset - saved->offset) / 8;
	return (rule->base == t->stack_register ? 0 : QUICK_FRAME) | words << 4 |
	       (u32)(saved[rule->nsaved - 1].offset - saved->offset) / 8 << 8 | frame << 12 | (u64)(rule->offset / 8) << 16;
}

/* TAPIR_UNWIND_ENDS: it cannot be done so. */
static inline u8 step_quick(const struct tapir_unwind_source *source, const struct tapir_unwind_table *t,
			    struct tapir_unwind_frame *f, u64 rule)
{
	u64 *sp = &f->regs[t->stack_register], *fp = &f->regs[tapir_unwind_frame_register(t->machine)];
	u64 cfa = (rule & QUICK_FRAME ? *fp : *sp) + (rule >> 16) * 8;
	u32 bytes = (u32)(rule >> 4 & 15) * 8, frame = (u32)(rule >> 12 & 15);
	const u64 *words;
	u8 end = TAPIR_UNWIND_MORE;

	if (TAPIR_UNLIKELY(cfa <= *sp))
		return TAPIR_UNWIND_ENDS;
	words = stack_words(source, f, cfa - bytes, bytes, &end);
	if (TAPIR_UNLIKELY(!words))
		return end ? end : TAPIR_UNWIND_ENDS;
	f->pc = tapir_unwind_plain_address(t->machine, words[rule >> 8 & 15]);
	f->called = 1;
	if (frame != QUICK_NONE)
		*fp = words[frame];
	*sp = cfa;
	return f->pc ? TAPIR_UNWIND_MORE : TAPIR_UNWIND_COMPLETE;
}

/* The walk of `steps` frames once more, with all registers. */
static __attribute__((__noinline__)) u8 walk_again(const struct tapir_unwind_source *source, struct tapir_unwind_frame *f,
						   const struct tapir_unwind_frame *start, u32 steps)
{
	u8 end = TAPIR_UNWIND_MORE;

	*f = *start;
	while (steps-- && !end)
		end = tapir_unwind_step(source, f);
	return end;
}

/* Where a walk stands whose frames are noted. */
struct noted {
	struct tapir_unwind_memory *memory;
	u32 steps;   /* that were made */
	bool partly; /* some of them quickly: only the registers that these follow are right */
	bool whole;  /* no more are */
};

static u8 step_noted(const struct tapir_unwind_source *source, const struct tapir_unwind_table *t, struct tapir_unwind_frame *f,
		     struct noted *n, u32 place)
{
	u64 key = (u64)source->last->object << 32 | 1ull << 63 | place, word;
	struct tapir_unwind_quick *quick = &n->memory->quick[key * 0x9e3779b97f4a7c15ull >> (64 - TAPIR_QUICK_BITS)];
	const struct tapir_unwind_rule *rule;
	u8 end;

	if (TAPIR_LIKELY(quick->key == key && !n->whole)) {
		end = step_quick(source, t, f, quick->rule);
		if (TAPIR_LIKELY(end != TAPIR_UNWIND_ENDS)) {
			n->partly = true;
			return end;
		}
	}
	rule = tapir_unwind_find_rule(t, place);
	word = rule && (rule->flags & TAPIR_RULE_PLAIN) ? quick_rule(t, rule) : 0;
	if (word) {
		quick->key = key;
		quick->rule = word;
		if (!n->whole) {
			end = step_quick(source, t, f, word);
			n->partly |= end != TAPIR_UNWIND_ENDS;
			if (end != TAPIR_UNWIND_ENDS)
				return end;
		}
	}
	if (rule && n->partly && !tapir_unwind_outermost(rule, f) && rule->cfa != TAPIR_CFA_NONE) {
		end = walk_again(source, f, &n->memory->start, n->steps);
		n->partly = false;
		n->whole = true;
		if (end)
			return end;
	}
	return tapir_unwind_step_from(source, t, f, rule);
}

/*
 * Takes as many quick steps as possible from return addresses in the mapping that was found last. The loop keeps its state in
 * registers and updates `f` only at the end: a frame takes some 50 instructions.
 */
static u8 walk_quick(const struct tapir_unwind_source *source, struct tapir_unwind_frame *f, struct noted *n,
		     struct tapir_unwind_trace *trace, u32 max)
{
	const struct tapir_unwind_mapping *m = source->last;
	const struct tapir_unwind_quick *quick = n->memory->quick;
	const u32 fp_number = tapir_unwind_frame_register(m->table->machine), sp_number = m->table->stack_register;
	const u64 shift = m->start - m->place, signature = tapir_unwind_plain_address(m->table->machine, ~0ull);
	const u64 head = frame_of(m, 0, 0, true) | TAPIR_FRAME_CALLED, key_head = (u64)m->object << 32 | 1ull << 63;
	u64 sp = f->regs[sp_number], fp = f->regs[fp_number], pc = f->pc, *at = trace->words + trace->frames, *first = at, *last;
	u32 room = trace->room - 2 * trace->runs - trace->frames;
	u8 end = TAPIR_UNWIND_MORE;

	last = at + (room < max - n->steps ? room : max - n->steps);
	while (at < last && pc - 1 - m->start < m->length) {
		u32 place = (u32)(pc - 1 - shift), bytes;
		u64 key = key_head | place, rule, cfa;
		const struct tapir_unwind_quick *q = &quick[key * 0x9e3779b97f4a7c15ull >> (64 - TAPIR_QUICK_BITS)];
		const u64 *words;

		if (q->key != key)
			break;
		rule = q->rule;
		cfa = (rule & QUICK_FRAME ? fp : sp) + (rule >> 16) * 8;
		bytes = (u32)(rule >> 4 & 15) * 8;
		words = cfa > sp ? stack_words(source, f, cfa - bytes, bytes, &end) : NULL;
		/* An ordinary step repeats a failed read, and finds the reason. */
		if (TAPIR_UNLIKELY(!words)) {
			end = TAPIR_UNWIND_MORE;
			break;
		}
		*at++ = head | (u32)(place + 1);
		pc = words[rule >> 8 & 15] & signature;
		if ((rule >> 12 & 15) != QUICK_NONE)
			fp = words[rule >> 12 & 15];
		sp = cfa;
		if (!pc) {
			end = TAPIR_UNWIND_COMPLETE;
			break;
		}
	}
	n->partly |= at != first;
	n->steps += (u32)(at - first);
	trace->frames += (u32)(at - first);
	f->regs[sp_number] = sp;
	f->regs[fp_number] = fp;
	f->pc = pc;
	return end;
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

	return !memory->partly || (!walk_again(source, f, &memory->start, memory->steps) && f->pc == pc);
}

u8 tapir_unwind_record(const struct tapir_unwind_source *source, struct tapir_unwind_frame *f, struct tapir_unwind_memory *memory,
		       struct tapir_unwind_trace *trace, u32 max)
{
	const struct tapir_unwind_mapping *last = source->last;
	/* Quick steps do not look up return addresses that return probes have replaced. */
	struct noted n = {.memory = memory, .whole = source->original};

	memory->start = *f;
	for (; n.steps < max; n.steps++) {
		const struct tapir_unwind_table *t;
		u8 end = TAPIR_UNWIND_NO_OBJECT;
		u64 address;
		u32 place;

		/* Only where the run continues: the first frame in a mapping begins one. */
		if (f->called && !n.whole && trace->runs && last->length && trace->difference == last->start - last->place &&
		    last->place + last->length <= ~0u) {
			u8 complete = walk_quick(source, f, &n, trace, max);

			if (complete || n.steps == max)
				return complete ? complete : TAPIR_UNWIND_CUT;
		}
		address = f->pc - f->called;
		t = find_table(source, address, &place, &end);
		if (TAPIR_UNLIKELY(last->object == TAPIR_UNWIND_NO_NUMBER)) {
			/* Otherwise a wild address outside of programs would be read as a place in a file or in the kernel. */
			if (!(f->pc >> 62) && !note(trace, f->pc, 0))
				return TAPIR_UNWIND_LIMIT;
			if (t) {
				end = n.partly ? walk_again(source, f, &memory->start, n.steps) : TAPIR_UNWIND_MORE;
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
