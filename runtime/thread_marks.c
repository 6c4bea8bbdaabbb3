// SPDX-License-Identifier: GPL-2.0-or-later
/* Marks of threads: see thread_marks.h. A mark is one word: its key, and its weight, which is not 0. */
#include "thread_marks.h"

static u32 mark_key(u32 thread, u32 pair)
{
	return thread * TAPIR_MARK_PAIRS + pair;
}

/* The first of the words that may have the key. */
static u64 mark_place(u32 key)
{
	return (u64)((key * 0x9e3779b1u) >> 20) % TAPIR_MARK_PLACES * TAPIR_MARK_WAYS;
}

static u64 mark_load(const u64 *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static bool mark_is_of(u64 mark, u32 key)
{
	return mark && (u32)(mark >> 32) == key;
}

void tapir_mark(u64 *marks, u32 thread, u32 pair, u32 weight)
{
	u32 key = mark_key(thread, pair), i;
	u64 *place = &marks[mark_place(key)], mark = weight ? (u64)key << 32 | weight : 0;

	for (i = 0; i < TAPIR_MARK_WAYS; i++) {
		if (mark_is_of(mark_load(&place[i]), key)) {
			__atomic_store_n(&place[i], mark, __ATOMIC_RELAXED);
			return;
		}
	}
	if (!mark)
		return;
	for (i = 0; i < TAPIR_MARK_WAYS; i++) {
		u64 none = 0;

		if (__atomic_compare_exchange_n(&place[i], &none, mark, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return;
	}
	__atomic_store_n(&place[key / TAPIR_MARK_PAIRS % TAPIR_MARK_WAYS], mark, __ATOMIC_RELAXED);
}

u32 tapir_marked(const u64 *marks, u32 thread, u32 pair)
{
	u32 key = mark_key(thread, pair), i;
	const u64 *place = &marks[mark_place(key)];

	for (i = 0; i < TAPIR_MARK_WAYS; i++) {
		u64 mark = mark_load(&place[i]);

		if (mark_is_of(mark, key))
			return (u32)mark;
	}
	return 0;
}
