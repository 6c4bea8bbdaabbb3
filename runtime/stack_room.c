// SPDX-License-Identifier: GPL-2.0-or-later
/* Room for stacks as values: pieces of memory, in which numbers are positions. */
#include "stacks_internal.h"

#define RESERVE_TRIES 4

struct tapir_stacks tapir_stacks = {.used = TAPIR_STACK_FIRST};

/* One for each 256 bytes: a stack of 28 frames. */
u32 tapir_stacks_slots(u64 bytes)
{
	u32 slots = 1024;

	while (slots < bytes / 256)
		slots *= 2;
	return slots;
}

void tapir_stacks_add(u64 *piece)
{
	struct tapir_stacks *s = &tapir_stacks;
	u32 n = s->npieces;

	s->pieces[n] = piece;
	__atomic_store_n(&s->npieces, n + 1, __ATOMIC_RELEASE);
}

bool tapir_stacks_low(void)
{
	struct tapir_stacks *s = &tapir_stacks;
	u32 n = __atomic_load_n(&s->npieces, __ATOMIC_RELAXED);
	u64 used = __atomic_load_n(&s->used, __ATOMIC_RELAXED);

	return n < s->most && used + TAPIR_STACK_PIECE > (u64)n * TAPIR_STACK_PIECE;
}

struct tapir_stack *tapir_stack_at(u64 number)
{
	return (struct tapir_stack *)(tapir_stacks.pieces[number / TAPIR_STACK_PIECE] + number % TAPIR_STACK_PIECE);
}

u64 tapir_stacks_reserve(u32 words)
{
	struct tapir_stacks *s = &tapir_stacks;
	u64 room = (u64)__atomic_load_n(&s->npieces, __ATOMIC_ACQUIRE) * TAPIR_STACK_PIECE;
	u32 tries;

	for (tries = 0; tries < RESERVE_TRIES && __atomic_load_n(&s->used, __ATOMIC_RELAXED) + words <= room; tries++) {
		u64 number = __atomic_fetch_add(&s->used, words, __ATOMIC_RELAXED);

		if (number / TAPIR_STACK_PIECE == (number + words - 1) / TAPIR_STACK_PIECE && number + words <= room)
			return number;
	}
	return 0;
}
