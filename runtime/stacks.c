// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks as values: the table that keeps each of them once.
 *
 * No locks: a handler that interrupts another one, even in an NMI, may be at any point of this. Memory is reserved by one addition,
 * filled, and published by one exchange of a free slot. All searches for the same stack look at the same slots in the same order,
 * and no slot becomes free again. So the loser of an exchange finds the winner's stack in that slot, and a stack is kept once.
 */
#include <tapir/port.h>
#include <tapir/stack.h>
#include <tapir/work.h>
#include "handler.h"
#include "stacks_internal.h"

#define SLOTS_TRIED 256u
#define HEAD_WORDS  (sizeof(struct tapir_stack) / sizeof(u64))

const u32 tapir_stacks_space = sizeof(struct tapir_stack_draft);

_Static_assert(sizeof(struct tapir_stack) % sizeof(u64) == 0, "frames follow it");

/* ---- the table ---- */

#define HASH_FACTOR 0x9e3779b97f4a7c15ull

static u64 mixed(u64 hash, u64 word)
{
	hash = (hash ^ word) * HASH_FACTOR;
	return hash ^ hash >> 29;
}

/* Two sums by turns, so that a processor does not wait for each product. Only their upper bits depend on all bits of the frames. */
static inline __attribute__((__always_inline__)) u64 hash_of(const struct tapir_stack *head, const u64 *frames)
{
	const u64 *last = frames + head->frames, *fours = frames + (head->frames & ~3u);
	u64 even = head->process, odd = HASH_FACTOR;

	for (; frames < fours; frames += 4) {
		even = (even ^ frames[0]) * HASH_FACTOR;
		odd = (odd ^ frames[1]) * HASH_FACTOR;
		even = (even ^ frames[2]) * HASH_FACTOR;
		odd = (odd ^ frames[3]) * HASH_FACTOR;
	}
	for (; frames < last; frames++)
		even = (even ^ *frames) * HASH_FACTOR;
	return mixed(mixed(head->frames | (u64)head->kernel_frames << 16 | (u64)head->kernel_end << 32 | (u64)head->user_end << 40,
			   even ^ even >> 32),
		     odd ^ odd >> 32);
}

static bool same(const struct tapir_stack *a, const struct tapir_stack *b, const u64 *frames)
{
	const u64 *words = tapir_stack_words(a), *last = words + a->frames, *fours = words + (a->frames & ~3u);

	if (a->hash != b->hash || a->frames != b->frames || a->kernel_frames != b->kernel_frames ||
	    a->kernel_end != b->kernel_end || a->user_end != b->user_end || a->process != b->process)
		return false;
	for (; words < fours; words += 4, frames += 4)
		if (words[0] != frames[0] || words[1] != frames[1] || words[2] != frames[2] || words[3] != frames[3])
			return false;
	for (; words < last; words++, frames++)
		if (*words != *frames)
			return false;
	return true;
}

/* Returns the number of a copy in the table's memory, with `more` further words, which are zero. 0 if the table is full. */
static inline u64 stored(const struct tapir_stack_draft *draft, u32 more)
{
	const struct tapir_unwind_trace *t = &draft->trace;
	u64 number = tapir_stacks_reserve(HEAD_WORDS + t->frames + 2 * t->runs + more);
	struct tapir_stack *stack;
	u64 *words;
	u32 i;

	if (tapir_stacks_low())
		tapir_port_stacks_low();
	if (!number)
		return 0;
	stack = tapir_stack_at(number);
	*stack = draft->head;
	words = (u64 *)(stack + 1);
	for (i = 0; i < t->frames; i++)
		*words++ = t->words[i];
	for (i = t->room - 2 * t->runs; i < t->room; i++)
		*words++ = t->words[i];
	return number;
}

static s64 refused(void)
{
	__atomic_fetch_add(&tapir_stacks.refused, 1, __ATOMIC_RELAXED);
	return TAPIR_STACK_FULL;
}

struct tapir_stack_draft *tapir_stack_begin(struct tapir_ctx *c)
{
	struct tapir_stack_draft *draft = c->stacks;

	draft->trace = (struct tapir_unwind_trace){.words = draft->words, .room = TAPIR_STACK_ROOM};
	draft->head = (struct tapir_stack){0};
	return draft;
}

s64 tapir_stack_keep(struct tapir_stack_draft *draft)
{
	struct tapir_stacks *s = &tapir_stacks;
	struct tapir_stack *head = &draft->head;
	u64 number = 0, slot;
	u32 at, tries;

	/* The reason why a walk found no frame is worth keeping. */
	if (!draft->trace.frames && head->user_end <= TAPIR_UNWIND_CUT)
		return TAPIR_STACK_EMPTY;
	head->frames = (u16)draft->trace.frames;
	head->runs = (u16)draft->trace.runs;
	head->hash = hash_of(head, draft->words);
	at = (u32)head->hash;
	for (tries = 0; tries < SLOTS_TRIED; tries++, at++) {
		u64 *place = &s->slots[at & (s->nslots - 1)];

		slot = __atomic_load_n(place, __ATOMIC_ACQUIRE);
		if (!slot) {
			if (!number)
				number = stored(draft, 0);
			if (!number)
				break;
			if (__atomic_compare_exchange_n(place, &slot, number | (head->hash & ~0ull << 32), false, __ATOMIC_ACQ_REL,
							__ATOMIC_ACQUIRE)) {
				__atomic_fetch_add(&s->kept, 1, __ATOMIC_RELAXED);
				return (s64)number;
			}
		}
		if (slot >> 32 == head->hash >> 32 && same(tapir_stack_at((u32)slot), head, draft->words))
			return (u32)slot;
	}
	return refused();
}

/* ---- stacks that are finished later: each for itself, since it is not known yet which are the same ---- */

s64 tapir_stack_keep_apart(struct tapir_stack_draft *draft)
{
	struct tapir_stacks *s = &tapir_stacks;
	struct tapir_stack *stack;
	u64 number, slot;
	u32 tries;

	draft->head.frames = (u16)draft->trace.frames;
	draft->head.runs = (u16)draft->trace.runs;
	number = stored(draft, 1);
	if (!number)
		return 0;
	stack = tapir_stack_at(number);
	stack->user_end |= TAPIR_STACK_UNFINISHED;
	/* Others of the same frames are not to take the same slots. */
	stack->hash = mixed(hash_of(stack, draft->words), number);
	for (tries = 0; tries < SLOTS_TRIED; tries++) {
		slot = 0;
		if (__atomic_compare_exchange_n(&s->slots[((u32)stack->hash + tries) & (s->nslots - 1)], &slot,
						number | (stack->hash & ~0ull << 32), false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			__atomic_fetch_add(&s->kept, 1, __ATOMIC_RELAXED);
			return (s64)number;
		}
	}
	return 0;
}

/* The number of the stack that it stands for, 0: none yet. */
static u64 *whole_of(const struct tapir_stack *stack)
{
	return (u64 *)tapir_stack_words(stack) + stack->frames + 2 * stack->runs;
}

void tapir_stack_replace(u64 number, struct tapir_stack_draft *draft)
{
	s64 whole = tapir_stack_keep(draft);

	if (whole < TAPIR_STACK_FIRST)
		return;
	__atomic_store_n(whole_of(tapir_stack_at(number)), (u64)whole, __ATOMIC_RELEASE);
	__atomic_fetch_sub(&tapir_stacks.kept, 1, __ATOMIC_RELAXED);
}

const struct tapir_stack *tapir_stack_whole(const struct tapir_stack *stack)
{
	u64 whole;

	if (TAPIR_LIKELY(!(stack->user_end & TAPIR_STACK_UNFINISHED)))
		return stack;
	whole = __atomic_load_n(whole_of(stack), __ATOMIC_ACQUIRE);
	return whole ? tapir_stack_at(whole) : stack;
}

/* A loader may set a global to any number: only a number in a slot is a stack. */
const struct tapir_stack *tapir_stack_find(u64 number)
{
	const struct tapir_stacks *s = &tapir_stacks;
	u64 words = (u64)__atomic_load_n(&s->npieces, __ATOMIC_ACQUIRE) * TAPIR_STACK_PIECE, hash, slot = 1;
	const struct tapir_stack *stack;
	u32 tries;

	if (number < TAPIR_STACK_FIRST || number >= words || number % TAPIR_STACK_PIECE > TAPIR_STACK_PIECE - HEAD_WORDS)
		return NULL;
	stack = tapir_stack_at(number);
	hash = stack->hash;
	for (tries = 0; tries < SLOTS_TRIED && slot; tries++) {
		slot = __atomic_load_n(&s->slots[((u32)hash + tries) & (s->nslots - 1)], __ATOMIC_ACQUIRE);
		if (slot == (number | (hash & ~0ull << 32)))
			return tapir_stack_whole(stack);
	}
	return NULL;
}

/* ---- the kernel's ---- */

void tapir_stack_add_kernel(struct tapir_ctx *c, struct tapir_stack_draft *draft, s64 limit)
{
	bool all = limit < 0 || limit > TAPIR_STACK_MAX;
	u32 max = all ? TAPIR_STACK_MAX : (u32)limit;
	u32 count = tapir_port_kernel_stack(c, draft->words, max);

	tapir_work_add(c, TAPIR_WORK_KERNEL_WALK + count * (u64)(TAPIR_WORK_KERNEL_FRAME + TAPIR_WORK_STACK_FRAME));
	draft->trace.frames = count;
	draft->head.kernel_frames = (u16)count;
	if (count)
		draft->head.kernel_end = count < max ? TAPIR_UNWIND_COMPLETE : all ? TAPIR_UNWIND_LIMIT : TAPIR_UNWIND_CUT;
}

s64 tapir_stack_of_kernel(struct tapir_ctx *c, s64 limit)
{
	struct tapir_stack_draft *draft = tapir_stack_begin(c);

	tapir_stack_add_kernel(c, draft, limit);
	return tapir_stack_keep(draft);
}
