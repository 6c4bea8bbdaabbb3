// SPDX-License-Identifier: GPL-2.0-or-later
/* Walks that continue later, over a copy: see tapir/unfinished.h. */
#include <tapir/stacks.h>
#include <tapir/unfinished.h>

/* ---- when a walk meets a file without a table ---- */

/* Whole pages, so that a walk may read ahead in the copy as it does in memory. */
static void copy_stack(struct tapir_unfinished *u, const struct tapir_unwind_source *source, u64 sp)
{
	u32 part;

	u->start = sp & ~7ull;
	u->bytes = 0;
	for (part = TAPIR_UNFINISHED_PAGE - (u32)(u->start & (TAPIR_UNFINISHED_PAGE - 1));
	     u->bytes + part <= TAPIR_UNFINISHED_BYTES; part = TAPIR_UNFINISHED_PAGE) {
		if (source->read(source->data, (char *)u->words + u->bytes, u->start + u->bytes, part))
			return;
		u->bytes += part;
	}
}

bool tapir_unfinished_note(struct tapir_unfinished *u, struct tapir_user_walk *w, const struct tapir_unwind_memory *memory)
{
	struct tapir_unwind_frame *f = &w->frame;
	u32 i;

	if (memory && !tapir_unwind_registers(&w->source, f, memory))
		return false;
	for (i = 0; i < TAPIR_UNWIND_REGISTERS; i++)
		u->regs[i] = f->regs[i];
	u->pc = f->pc;
	u->called = f->called;
	u->machine = w->source.machine;
	copy_stack(u, &w->source, f->regs[tapir_unwind_stack_register(u->machine)]);
	return true;
}

/* ---- when its table is there ---- */

struct kept_walk {
	const struct tapir_unfinished *u;
	struct tapir_unwind_mapping last;
	u32 missing;  /* the object without a table that was met last */
	bool outside; /* something was read that was not kept */
};

static const struct tapir_unwind_table *find_kept(void *data, u64 address, u32 *place, u8 *end)
{
	struct kept_walk *k = data;
	const struct tapir_unfinished_mapping *m = k->u->mappings, *last = m + k->u->nmappings;

	while (m < last && address - m->start >= m->length)
		m++;
	k->last = (struct tapir_unwind_mapping){.object = TAPIR_UNWIND_NO_NUMBER};
	if (m == last) {
		*end = k->u->partly ? TAPIR_UNWIND_NO_TABLE : TAPIR_UNWIND_NO_CODE;
		return NULL;
	}
	if (m->end) {
		*end = m->end;
		return NULL;
	}
	if (address - m->start + m->place > ~0u) {
		*end = TAPIR_UNWIND_NO_ROW;
		return NULL;
	}
	*place = (u32)(address - m->start + m->place);
	k->last = (struct tapir_unwind_mapping){
	    .start = m->start, .place = m->place, .table = tapir_port_object_table(m->object), .object = m->object};
	if (k->last.table) {
		k->last.length = m->length;
		return k->last.table;
	}
	/* As the port says it of a file without a table: *place is `address` by start and place. */
	*end = TAPIR_UNWIND_NO_TABLE;
	k->missing = m->object;
	return NULL;
}

static int read_kept(void *data, void *dst, u64 address, u32 length)
{
	struct kept_walk *k = data;
	u64 at = address - k->u->start;

	if (at >= k->u->bytes || length > k->u->bytes - at) {
		k->outside = true;
		return -1;
	}
	__builtin_memcpy(dst, (const char *)k->u->words + at, length);
	return 0;
}

u8 tapir_unfinished_walk(struct tapir_unfinished *u, struct tapir_unwind_memory *memory, struct tapir_unwind_trace *trace)
{
	struct kept_walk k = {.u = u, .missing = TAPIR_UNWIND_NO_NUMBER, .last = {.object = TAPIR_UNWIND_NO_NUMBER}};
	struct tapir_unwind_source source = {
	    .data = &k, .machine = u->machine, .last = &k.last, .find = find_kept, .read = read_kept};
	struct tapir_unwind_frame f = {.pc = u->pc, .called = u->called};
	u32 i;
	u8 end;

	for (i = 0; i < TAPIR_UNWIND_REGISTERS; i++)
		f.regs[i] = u->regs[i];
	end = tapir_unwind_record(&source, &f, memory, trace, u->most);
	u->object = k.missing;
	/* The stack continues behind the copied part. */
	if (end == TAPIR_UNWIND_COMPLETE || end == TAPIR_UNWIND_CUT || end == TAPIR_UNWIND_LIMIT)
		return end;
	return k.outside ? TAPIR_UNWIND_NO_TABLE : end;
}
