// SPDX-License-Identifier: GPL-2.0-or-later
/* The times of samples: a list in the memory of stacks. No locks, as there: memory is reserved by one addition, and becomes the
 * list's head by one exchange. Only the reader, when the session is done, goes along the list. */
#include <tapir/port.h>
#include <tapir/stack.h>
#include <tapir/string.h>
#include "handler.h"
#include "stacks_internal.h"

#define HEAD_WORDS	   (sizeof(struct tapir_sample_time) / sizeof(u64))
#define WORDS_OF_MEGABYTES 17 /* as a shift */
#define LABEL_BYTES	   8192u

_Static_assert(sizeof(struct tapir_sample_time) % sizeof(u64) == 0, "the label follows it");

void tapir_note_sample_time(s64 megabytes, const struct tapir_sample *what)
{
	struct tapir_stacks *s = &tapir_stacks;
	u32 bytes = tapir_strlen(what->label, LABEL_BYTES), words = HEAD_WORDS + (bytes + 7) / 8;
	u64 most = (u64)s->most * TAPIR_STACK_PIECE / 2, number;
	struct tapir_sample_time *sample;

	/* Half a label would belong to no sum. */
	if (bytes >= LABEL_BYTES - 1)
		return;
	if ((u64)megabytes << WORDS_OF_MEGABYTES < most)
		most = (u64)megabytes << WORDS_OF_MEGABYTES;
	if (__atomic_add_fetch(&s->times_words, words, __ATOMIC_RELAXED) > most)
		return;
	number = tapir_stacks_reserve(words);
	if (tapir_stacks_low())
		tapir_port_stacks_low();
	if (!number)
		return;
	sample = (struct tapir_sample_time *)tapir_stack_at(number);
	sample->time = tapir_port_gettimeofday_ns();
	sample->stack = (u32)what->stack;
	sample->waker = (u32)what->waker;
	sample->value = what->value;
	sample->pid = (u32)tapir_port_pid();
	sample->tid = (u32)tapir_port_tid();
	sample->cpu = (u32)tapir_port_cpu();
	tapir_port_execname(sample->comm, sizeof(sample->comm));
	sample->label_bytes = (u16)bytes;
	sample->frames = what->frames;
	__builtin_memcpy(sample + 1, what->label, bytes);
	sample->before = __atomic_exchange_n(&s->times, number, __ATOMIC_ACQ_REL);
}
