// SPDX-License-Identifier: GPL-2.0-or-later
/* Bulk reads for the loader: kept stacks, and the samples that count them. Process context, under the control lock. */
#include <linux/errno.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <tapir/map.h>
#include <tapir/stacks.h>
#include <tapir/tapir.h>
#include "stack_store.h"
#include "state.h"

/* Returns false if the buffer is full or the caller's memory faults. */
static bool tapir_bulk_put(struct tapir_ioc_bulk *bulk, u32 *at, const void *data, u32 bytes)
{
	if (bytes > bulk->length - *at || copy_to_user((void __user *)(uintptr_t)(bulk->buffer + *at), data, bytes))
		return false;
	*at += bytes;
	return true;
}

/* A row, and what follows it, up to a multiple of 8 bytes: all of it or nothing. False as above. */
static bool tapir_bulk_put_row(struct tapir_ioc_bulk *bulk, const void *row, u32 row_bytes, const void *tail, u32 tail_bytes)
{
	static const char zeros[8];
	u32 at = bulk->filled;

	if (!tapir_bulk_put(bulk, &at, row, row_bytes) || !tapir_bulk_put(bulk, &at, tail, tail_bytes) ||
	    !tapir_bulk_put(bulk, &at, zeros, -tail_bytes & 7))
		return false;
	bulk->filled = at;
	return true;
}

/* ---- stacks; `at` is the slot ---- */

static bool tapir_stack_put(struct tapir_ioc_bulk *bulk, u64 number)
{
	const struct tapir_stack *stack = tapir_stack_whole(tapir_stack_at(number));
	struct tapir_bulk_stack head = {
	    .number = number,
	    .frames = stack->frames,
	    .kernel_frames = stack->kernel_frames,
	    .kernel_end = stack->kernel_end,
	    .user_end = stack->user_end & ~TAPIR_STACK_UNFINISHED,
	    .process = stack->process,
	    .owner = stack->owner,
	    .own = stack->own,
	    .space = stack->space,
	};

	return tapir_bulk_put_row(bulk, &head, sizeof(head), tapir_stack_words(stack), stack->frames * sizeof(u64));
}

static int tapir_stacks_bulk(struct tapir_ioc_bulk *bulk)
{
	u64 i;

	for (i = bulk->at; i < tapir_stacks.nslots; i++) {
		u64 slot = smp_load_acquire(&tapir_stacks.slots[i]);

		if (!slot || tapir_stack_put(bulk, (u32)slot))
			continue;
		bulk->at = i;
		return bulk->filled ? 0 : -EFAULT;
	}
	bulk->at = 0;
	return 0;
}

/* ---- samples: arrays of statistics by these names ---- */

static const char *const tapir_sample_arrays[] = {"__samples", "__samples_of", "__samples_in"};
#define TAPIR_SAMPLES_IN 2 /* its label is frames of an interpreted language */

static const struct tapir_global *tapir_global_named(const char *name)
{
	u32 i;

	for (i = 0; i < tapir_module.nglobals; i++)
		if (!strcmp(tapir_module.globals[i].name, name))
			return &tapir_module.globals[i];
	return NULL;
}

/* The reader goes through each array once, in parts. `at` tells the array and how many elements were read. */
static struct {
	struct tapir_iter iter;
	u64 at;
	bool pending; /* the element it stands at was not read */
} tapir_samples_reader;

static struct tapir_map *tapir_samples_map(u32 array, const struct tapir_map_desc **desc)
{
	const struct tapir_global *g = tapir_global_named(tapir_sample_arrays[array]);

	if (!g || g->kind != TAPIR_GLOBAL_MAP || !g->stat)
		return NULL;
	*desc = g->map;
	return *(struct tapir_map **)g->storage;
}

static bool tapir_sample_put(struct tapir_ioc_bulk *bulk, u32 array, const struct tapir_map_desc *desc)
{
	const struct tapir_iter *it = &tapir_samples_reader.iter;
	struct tapir_bulk_sample sample = {0};
	struct tapir_stat_sum sum;
	const char *label = "";
	u64 stacks[2] = {0};
	u32 first = desc->nkeys > 1, i;

	/* The keys are a stack, or a label and one or two stacks. A string in place of a stack is "": no stack. */
	for (i = 0; i < desc->nkeys && i < first + ARRAY_SIZE(stacks); i++) {
		if (i < first && desc->key_types[i] == TAPIR_STRING)
			label = tapir_foreach_key_string(it, i);
		else if (i >= first && desc->key_types[i] != TAPIR_STRING)
			stacks[i - first] = tapir_foreach_key_long(it, i);
	}
	tapir_foreach_value_stat(it, &sum);
	sample.stack = stacks[0];
	sample.waker = stacks[1];
	sample.count = sum.count;
	sample.sum = sum.sum;
	sample.label_bytes = strlen(label);
	sample.frames = array == TAPIR_SAMPLES_IN;
	sample.overflow = tapir_samples_overflow(sum.count);
	return tapir_bulk_put_row(bulk, &sample, sizeof(sample), label, sample.label_bytes);
}

static int tapir_samples_bulk(struct tapir_ioc_bulk *bulk)
{
	static const struct tapir_foreach all;
	u32 array = bulk->at >> 32;

	if (READ_ONCE(tapir_session.state) != TAPIR_STATE_DONE)
		return -EBUSY;
	for (; array < ARRAY_SIZE(tapir_sample_arrays); array++, bulk->at = (u64)array << 32) {
		const struct tapir_map_desc *desc;
		struct tapir_map *map = tapir_samples_map(array, &desc);

		if (!map)
			continue;
		if (!(u32)bulk->at) {
			tapir_foreach_begin(tapir_session_context, &tapir_samples_reader.iter, map, &all, 0, NULL, NULL);
			tapir_samples_reader.pending = false;
		} else if (bulk->at != tapir_samples_reader.at) {
			return -EINVAL;
		}
		while (tapir_samples_reader.pending || tapir_foreach_next(&tapir_samples_reader.iter)) {
			tapir_samples_reader.pending = !tapir_sample_put(bulk, array, desc);
			if (tapir_samples_reader.pending) {
				tapir_samples_reader.at = bulk->at;
				return bulk->filled ? 0 : -EFAULT;
			}
			bulk->at++;
		}
	}
	bulk->at = 0;
	return 0;
}

/* ---- samples one by one; `at` is the number of the next ---- */

static int tapir_times_bulk(struct tapir_ioc_bulk *bulk)
{
	static u64 next; /* what the last call left */

	if (READ_ONCE(tapir_session.state) != TAPIR_STATE_DONE)
		return -EBUSY;
	if (bulk->at && bulk->at != next)
		return -EINVAL;
	for (next = bulk->at ? bulk->at : tapir_stacks.times; next;) {
		const struct tapir_sample_time *sample = (const struct tapir_sample_time *)tapir_stack_at(next);
		struct tapir_bulk_time row = {
		    .time = sample->time,
		    .stack = sample->stack,
		    .waker = sample->waker,
		    .value = sample->value,
		    .pid = sample->pid,
		    .tid = sample->tid,
		    .label_bytes = sample->label_bytes,
		    .frames = sample->frames,
		    .cpu = sample->cpu,
		};

		memcpy(row.comm, sample->comm, sizeof(row.comm));
		if (!tapir_bulk_put_row(bulk, &row, sizeof(row), sample + 1, row.label_bytes))
			break;
		next = sample->before;
	}
	bulk->at = next;
	return next && !bulk->filled ? -EFAULT : 0;
}

int tapir_stacks_read(struct tapir_ioc_bulk *bulk)
{
	bulk->filled = 0;
	switch (bulk->what) {
	case TAPIR_BULK_STACKS:
		return tapir_stacks_bulk(bulk);
	case TAPIR_BULK_SAMPLES:
		return tapir_samples_bulk(bulk);
	case TAPIR_BULK_TIMES:
		return tapir_times_bulk(bulk);
	}
	return -EINVAL;
}

static void tapir_text_copy(char *dst, size_t bytes, const char *name)
{
	const struct tapir_global *g = tapir_global_named(name);

	if (g && g->kind == TAPIR_GLOBAL_STRING)
		strscpy(dst, g->storage, bytes);
}

int tapir_profile_read(struct tapir_ioc_profile *profile)
{
	if (READ_ONCE(tapir_session.state) != TAPIR_STATE_DONE)
		return -EBUSY;
	memset(profile, 0, sizeof(*profile));
	tapir_text_copy(profile->title, sizeof(profile->title), "__profile_title");
	tapir_text_copy(profile->unit, sizeof(profile->unit), "__profile_unit");
	return 0;
}
