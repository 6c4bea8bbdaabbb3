// SPDX-License-Identifier: GPL-2.0-or-later
/* Steps over a user stack by unwind tables. Bounded time: one search and at most TAPIR_UNWIND_REGISTERS reads per frame. */
#include "unwind_internal.h"

/* ---- tables ---- */

static u64 table_bytes(const struct tapir_unwind_table *t)
{
	return sizeof(*t) + (u64)t->nrules * sizeof(struct tapir_unwind_rule) + (u64)t->nsaved * sizeof(struct tapir_unwind_saved) +
	       (u64)t->nsymbols * sizeof(struct tapir_unwind_symbol) + (u64)t->nlines * sizeof(struct tapir_unwind_line) +
	       (u64)t->nrows * 2 * sizeof(u32) + ((u64)t->nbuckets + 1) * sizeof(u32) + t->nstrings;
}

static bool rule_plain(const struct tapir_unwind_table *t, const struct tapir_unwind_rule *rule)
{
	const struct tapir_unwind_saved *saved = tapir_unwind_saved_of(t) + rule->saved;
	u8 i;

	for (i = 0; i < rule->nsaved; i++)
		if (saved[i].how != TAPIR_SAVED_CFA || (saved[i].offset & 7) || saved[i].offset >= 0 ||
		    saved[i].offset < -8 * TAPIR_FRAME_WORDS || saved[i].offset < saved[0].offset)
			return false;
	return rule->nsaved && saved[rule->nsaved - 1].reg == t->return_register;
}

static bool rules_valid(const struct tapir_unwind_table *t)
{
	const struct tapir_unwind_rule *rule = tapir_unwind_rules(t);
	const struct tapir_unwind_saved *saved = tapir_unwind_saved_of(t);
	u32 i;

	for (i = 0; i < t->nrules; i++, rule++) {
		if (rule->cfa == TAPIR_CFA_NONE ? rule->base >= TAPIR_UNWIND_ENDS : rule->base >= TAPIR_UNWIND_REGISTERS)
			return false;
		if (rule->cfa > TAPIR_CFA_PLT || rule->nsaved > TAPIR_UNWIND_REGISTERS ||
		    (u64)rule->saved + rule->nsaved > t->nsaved || ((rule->flags & TAPIR_RULE_PLAIN) && !rule_plain(t, rule)))
			return false;
	}
	for (i = 0; i < t->nsaved; i++, saved++)
		if (saved->reg >= TAPIR_UNWIND_REGISTERS || saved->base >= TAPIR_UNWIND_REGISTERS || saved->how > TAPIR_SAVED_LOST)
			return false;
	return true;
}

static bool rows_valid(const struct tapir_unwind_table *t)
{
	const u32 *rules = tapir_unwind_row_rules(t), *buckets = tapir_unwind_buckets(t);
	u32 i;

	for (i = 0; i < t->nrows; i++)
		if (rules[i] >= t->nrules)
			return false;
	for (i = 0; i <= t->nbuckets; i++)
		if (buckets[i] > t->nrows || (i && buckets[i] < buckets[i - 1]))
			return false;
	return true;
}

static bool strings_valid(const struct tapir_unwind_table *t)
{
	const struct tapir_unwind_symbol *symbol = tapir_unwind_symbols(t);
	const struct tapir_unwind_line *line = tapir_unwind_lines(t);
	u32 i;

	if (!t->nstrings || *tapir_unwind_string(t, t->nstrings - 1) || t->path >= t->nstrings || t->build_id >= t->nstrings)
		return false;
	for (i = 0; i < t->nlines; i++)
		if (line[i].file >= t->nstrings)
			return false;
	for (i = 0; i < t->nsymbols; i++)
		if (symbol[i].name >= t->nstrings)
			return false;
	return true;
}

bool tapir_unwind_valid(const void *block, u64 bytes)
{
	const struct tapir_unwind_table *t = block;

	return bytes >= sizeof(*t) && t->magic == TAPIR_UNWIND_MAGIC && t->return_register < TAPIR_UNWIND_REGISTERS &&
	       t->stack_register < TAPIR_UNWIND_REGISTERS && table_bytes(t) == bytes && rules_valid(t) && rows_valid(t) &&
	       strings_valid(t);
}

_Static_assert(!__builtin_offsetof(struct tapir_unwind_symbol, place) && !__builtin_offsetof(struct tapir_unwind_line, place),
	       "search() reads it");

/*
 * How many of the entries [first, end) do not begin above `place`, counted from 0. Each takes `stride` bytes and begins with a u32,
 * where it begins; these ascend.
 */
static inline __attribute__((__always_inline__)) u32 search(const void *entries, u32 stride, u32 first, u32 end, u32 place)
{
	while (first < end) {
		u32 middle = first + (end - first) / 2;

		if (*(const u32 *)((const char *)entries + (u64)middle * stride) <= place)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

const struct tapir_unwind_rule *tapir_unwind_find_rule(const struct tapir_unwind_table *t, u32 place)
{
	const u32 *buckets = tapir_unwind_buckets(t);
	u32 bucket = place >> TAPIR_UNWIND_BUCKET, row;

	if (bucket >= t->nbuckets) /* behind the last row: it is in force */
		row = t->nrows;
	else
		row = search(tapir_unwind_places(t), sizeof(u32), buckets[bucket], buckets[bucket + 1], place);
	return row ? &tapir_unwind_rules(t)[tapir_unwind_row_rules(t)[row - 1]] : NULL;
}

const struct tapir_unwind_symbol *tapir_unwind_find_symbol(const struct tapir_unwind_table *t, u32 place)
{
	const struct tapir_unwind_symbol *symbols = tapir_unwind_symbols(t);
	u32 count = search(symbols, sizeof(*symbols), 0, t->nsymbols, place);

	if (!count)
		return NULL;
	symbols += count - 1;
	return place - symbols->place < (symbols->size ? symbols->size : 1) ? symbols : NULL;
}

const struct tapir_unwind_line *tapir_unwind_find_line(const struct tapir_unwind_table *t, u32 place)
{
	const struct tapir_unwind_line *lines = tapir_unwind_lines(t);
	u32 count = search(lines, sizeof(*lines), 0, t->nlines, place);

	return count && lines[count - 1].line ? &lines[count - 1] : NULL;
}

/* ---- frames ---- */

static u64 register_value(const struct tapir_unwind_table *t, const struct tapir_unwind_frame *f, u8 reg)
{
	return tapir_unwind_is_pc(t->machine, reg) ? f->pc : f->regs[reg];
}

static u8 find_cfa(const struct tapir_unwind_source *source, const struct tapir_unwind_table *t, const struct tapir_unwind_frame *f,
		   const struct tapir_unwind_rule *rule, u64 *cfa)
{
	u64 address = register_value(t, f, rule->base) + (u64)(s64)rule->offset;

	switch (rule->cfa) {
	case TAPIR_CFA_REGISTER:
		*cfa = address;
		return TAPIR_UNWIND_MORE;
	case TAPIR_CFA_MEMORY:
		if (source->read(source->data, cfa, address, sizeof(*cfa)))
			return TAPIR_UNWIND_FAULT;
		*cfa += (u64)(s64)rule->add;
		return TAPIR_UNWIND_MORE;
	case TAPIR_CFA_PLT:
		*cfa = address;
		if ((f->pc & (rule->add >> 8 & 255)) >= (u64)(rule->add & 255))
			*cfa += (u64)(rule->add >> 16 & 255);
		return TAPIR_UNWIND_MORE;
	}
	return rule->base;
}

static u8 find_saved(const struct tapir_unwind_source *source, const struct tapir_unwind_table *t,
		     const struct tapir_unwind_frame *f, const struct tapir_unwind_saved *saved, u64 cfa, u64 *value)
{
	u64 from;

	*value = 0;
	if (saved->how == TAPIR_SAVED_LOST)
		return TAPIR_UNWIND_MORE; /* no frame is found by 0 */
	from = saved->how == TAPIR_SAVED_CFA || saved->how == TAPIR_SAVED_VALUE ? cfa : register_value(t, f, saved->base);
	*value = from + (u64)(s64)saved->offset;
	if (saved->how == TAPIR_SAVED_VALUE || saved->how == TAPIR_SAVED_REGISTER)
		return TAPIR_UNWIND_MORE;
	return source->read(source->data, value, *value, sizeof(*value)) ? TAPIR_UNWIND_FAULT : TAPIR_UNWIND_MORE;
}

/* ---- the parts of the stack below the CFA ---- */

#define PAGE_BYTES  4096u /* at least */
#define LEAST_BYTES (8u * TAPIR_FRAME_WORDS)

/*
 * Returns the `bytes` bytes of words from `address` on. NULL if they cannot be read, which *end then says, or not at once. A read
 * that may fault costs more than its bytes. So it also reads the callers' frames, the more the further the walk has come that way,
 * as far as the page reaches. Words on two pages are read alone.
 */
const u64 *tapir_unwind_read_stack(const struct tapir_unwind_source *source, struct tapir_unwind_frame *f, u64 address, u32 bytes,
				   u8 *end)
{
	u32 length = PAGE_BYTES - (u32)(address & (PAGE_BYTES - 1)), ahead = f->ahead ? f->ahead : LEAST_BYTES;

	if (address & 7)
		return NULL;
	f->ahead = 2 * ahead > sizeof(f->stack) ? (u32)sizeof(f->stack) : 2 * ahead;
	if (length > ahead)
		length = ahead;
	if (length < bytes)
		length = bytes;
	f->stack_bytes = 0;
	if (source->read(source->data, f->stack, address, length)) {
		*end = TAPIR_UNWIND_FAULT;
		return NULL;
	}
	f->stack_start = address;
	f->stack_bytes = length;
	return f->stack;
}

/* ---- from a frame to its caller's, by a rule whose CFA is known ---- */

/* Code that runs on two stacks keeps where the other one was in a register that is neither of the usual ones. */
static bool may_change_stacks(const struct tapir_unwind_table *t, const struct tapir_unwind_rule *rule)
{
	return (rule->flags & TAPIR_RULE_SIGNAL) || (rule->cfa == TAPIR_CFA_REGISTER && rule->base != t->stack_register &&
						     rule->base != tapir_unwind_frame_register(t->machine));
}

/* Stacks grow downwards. The function that runs may have nothing there: its return address is in a register, as in vfork(). */
static bool goes_outwards(const struct tapir_unwind_table *t, const struct tapir_unwind_frame *f,
			  const struct tapir_unwind_rule *rule, u64 cfa)
{
	u64 sp = f->regs[t->stack_register];

	return cfa > sp || may_change_stacks(t, rule) || (cfa == sp && !f->called);
}

static u8 find_original(const struct tapir_unwind_source *source, u64 cfa, u64 *pc)
{
	return source->original ? source->original(source->data, cfa, pc) : TAPIR_UNWIND_MORE;
}

static u8 enter_caller(const struct tapir_unwind_table *t, struct tapir_unwind_frame *f, const struct tapir_unwind_rule *rule,
		       u64 cfa, u64 pc)
{
	f->regs[t->stack_register] = cfa;
	f->pc = pc;
	f->called = !(rule->flags & TAPIR_RULE_SIGNAL);
	/* Nothing returns to 0, but a signal may have interrupted a call of it. */
	return pc || !f->called ? TAPIR_UNWIND_MORE : TAPIR_UNWIND_COMPLETE;
}

/* `words`: of a plain rule, from the lowest one that is saved. */
static u8 step_plain(const struct tapir_unwind_source *source, const struct tapir_unwind_table *t, struct tapir_unwind_frame *f,
		     const struct tapir_unwind_rule *rule, u64 cfa, const u64 *words)
{
	const struct tapir_unwind_saved *saved = tapir_unwind_saved_of(t) + rule->saved, *last = saved + rule->nsaved - 1;
	s32 lowest = saved->offset;
	u64 pc = tapir_unwind_plain_address(t->machine, words[(last->offset - lowest) / 8]);
	u8 end = find_original(source, cfa, &pc);

	if (end)
		return end;
	for (; saved < last; saved++)
		f->regs[saved->reg] = words[(u32)(saved->offset - lowest) / 8];
	return enter_caller(t, f, rule, cfa, pc);
}

/* Apart, because the values take stack, which the kernel may clear at each call. */
static __attribute__((__noinline__)) u8 step_any(const struct tapir_unwind_source *source, const struct tapir_unwind_table *t,
						 struct tapir_unwind_frame *f, const struct tapir_unwind_rule *rule, u64 cfa)
{
	const struct tapir_unwind_saved *saved = tapir_unwind_saved_of(t) + rule->saved;
	u64 values[TAPIR_UNWIND_REGISTERS], pc = f->regs[t->return_register];
	u8 end, i;

	for (i = 0; i < rule->nsaved; i++) {
		end = find_saved(source, t, f, &saved[i], cfa, &values[i]);
		if (end)
			return end;
		if (saved[i].reg == t->return_register)
			pc = values[i];
	}
	pc = tapir_unwind_plain_address(t->machine, pc);
	end = find_original(source, cfa, &pc);
	if (end)
		return end;
	for (i = 0; i < rule->nsaved; i++)
		f->regs[saved[i].reg] = values[i];
	return enter_caller(t, f, rule, cfa, pc);
}

u8 tapir_unwind_step_from(const struct tapir_unwind_source *source, const struct tapir_unwind_table *t,
			  struct tapir_unwind_frame *f, const struct tapir_unwind_rule *rule)
{
	const u64 *words = NULL;
	u8 end;
	u64 cfa = 0;

	if (!rule)
		return TAPIR_UNWIND_NO_ROW;
	if (tapir_unwind_outermost(rule, f))
		return TAPIR_UNWIND_COMPLETE;
	end = find_cfa(source, t, f, rule, &cfa);
	if (end)
		return end;
	if (!goes_outwards(t, f, rule, cfa))
		return TAPIR_UNWIND_LOOP;
	if (TAPIR_LIKELY(rule->flags & TAPIR_RULE_PLAIN)) {
		s32 lowest = tapir_unwind_saved_of(t)[rule->saved].offset;

		words = stack_words(source, f, cfa + (u64)(s64)lowest, (u32)-lowest, &end);
		if (end)
			return end;
	}
	return words ? step_plain(source, t, f, rule, cfa, words) : step_any(source, t, f, rule, cfa);
}
