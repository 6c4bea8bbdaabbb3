// SPDX-License-Identifier: GPL-2.0-or-later
/* User stacks and symbols as text. */
#include <tapir/format.h>
#include <tapir/stack.h>
#include <tapir/string.h>
#include <tapir/ustack.h>
#include <tapir/work.h>
#include "handler.h"
#include "ustack_internal.h"

struct tapir_user_walk *tapir_user_walk_of(struct tapir_ctx *c)
{
	_Static_assert(sizeof(struct tapir_user_walk) <= TAPIR_SCRATCH_BYTES, "scratch memory");
	return c->scratch;
}

void tapir_user_each_frame(struct tapir_ctx *c, const struct tapir_user_registers *from, tapir_frame_function function, void *data)
{
	struct tapir_user_walk *w = tapir_user_walk_of(c);

	tapir_work(c, TAPIR_WORK_USER_WALK);
	if (tapir_port_user_walk_begin(c, w)) {
		if (from)
			tapir_port_user_walk_from(w, from->pc, from->sp, from->fp);
		if (w->returned && !function(c, w->returned, false, data) && !w->end)
			w->end = TAPIR_UNWIND_CUT;
		while (w->end == TAPIR_UNWIND_MORE) {
			if (tapir_work(c, TAPIR_WORK_USER_FRAME) && function(c, w->frame.pc, w->frame.called, data)) {
				w->end = tapir_unwind_step(&w->source, &w->frame);
				if (!w->end && ++w->frame.steps >= TAPIR_UNWIND_STEPS)
					w->end = TAPIR_UNWIND_LIMIT;
			} else if (!w->end) {
				w->end = TAPIR_UNWIND_CUT;
			}
		}
		tapir_port_user_walk_end(w);
	}
	tapir_port_count_user_stack(w->end);
}

/* ---- symbols; between begin and end ---- */

bool tapir_user_symbol_at(const struct tapir_unwind_table *t, u32 place, u32 behind, struct tapir_user_symbol *s)
{
	const struct tapir_unwind_symbol *symbol = tapir_unwind_find_symbol(t, place);

	s->text = (struct tapir_symbol_text){.offset = s->offset, .size = s->size, .module = tapir_unwind_string(t, t->path)};
	tapir_put_hex(s->offset, (u64)place + t->bias + behind);
	if (!symbol)
		return true;
	tapir_put_hex(s->offset, (u64)place - symbol->place + behind);
	tapir_put_hex(s->size, symbol->size);
	s->text.name = tapir_unwind_string(t, symbol->name);
	return true;
}

static bool find_symbol_at(struct tapir_user_walk *w, u64 address, u32 behind, struct tapir_user_symbol *s)
{
	const struct tapir_unwind_table *t;
	u32 place;
	u8 end;

	/* Without a process there are no names. */
	t = w->source.find ? w->source.find(w->source.data, address, &place, &end) : NULL;
	return t && tapir_user_symbol_at(t, place, behind, s);
}

bool tapir_user_symbol_find(struct tapir_user_walk *w, u64 address, bool called, struct tapir_user_symbol *s)
{
	if (called && find_symbol_at(w, address - 1, 1, s) && s->text.name)
		return true;
	return find_symbol_at(w, address, 0, s);
}

bool tapir_user_returns_to(struct tapir_ctx *c, struct tapir_user_walk *w, u64 address)
{
	u8 end = w->end;
	u64 before;

	if (w->source.read(w->source.data, &before, address - sizeof(before), sizeof(before)) ||
	    !tapir_unwind_after_call(w->source.machine, before))
		return false;
	for (; end == TAPIR_UNWIND_MORE && w->frame.steps < TAPIR_UNWIND_STEPS && tapir_work(c, TAPIR_WORK_USER_FRAME);
	     w->frame.steps++) {
		if (w->frame.called && w->frame.pc == address)
			return true;
		end = tapir_unwind_step(&w->source, &w->frame);
	}
	return false;
}

/* Finds a symbol for a number that may be any address. An address within a function belongs to that function. One at a function's
 * beginning, or behind its end, may be the return address of a call that does not return. */
static bool find_symbol_of_any(struct tapir_ctx *c, struct tapir_user_walk *w, u64 address, struct tapir_user_symbol *s)
{
	bool found = find_symbol_at(w, address, 0, s);

	if (found && s->text.name && (s->offset[2] != '0' || s->offset[3]))
		return true;
	return tapir_user_returns_to(c, w, address) ? tapir_user_symbol_find(w, address, true, s) : found;
}

/* ---- stacks ---- */

struct text {
	char *dst;
	u32 used, cap;
	s64 limit;
};

/* A frame makes the text so much longer; false: it did not fit. */
static bool add(struct text *t, u32 longer)
{
	if (longer == t->used) {
		tapir_count_cut(TAPIR_CUT_STACK, t->cap);
		return false;
	}
	t->used = longer;
	return true;
}

static bool add_address(struct tapir_ctx *c, u64 address, bool called, void *data)
{
	struct text *t = data;
	(void)c;
	(void)called;
	return t->limit-- && add(t, tapir_add_address(address, t->dst, t->used, t->cap));
}

static bool add_line(struct tapir_ctx *c, u64 address, bool called, void *data)
{
	struct text *t = data;
	struct tapir_user_symbol s;
	const struct tapir_symbol_text *found = tapir_user_symbol_find(tapir_user_walk_of(c), address, called, &s) ? &s.text : NULL;

	return add(t, tapir_add_line(address, found, t->dst, t->used, t->cap));
}

struct nth {
	s64 left;
	u64 address;
};

static bool take_nth(struct tapir_ctx *c, u64 address, bool called, void *data)
{
	struct nth *nth = data;

	(void)c;
	(void)called;
	if (nth->left--)
		return true;
	nth->address = address;
	return false;
}

void tapir_ustack_addresses(struct tapir_ctx *c, char *dst, u32 cap, s64 limit)
{
	struct text t = {.dst = dst, .cap = cap, .limit = limit};

	dst[0] = 0;
	tapir_user_each_frame(c, NULL, add_address, &t);
}

s64 tapir_ustack_frame(struct tapir_ctx *c, s64 n)
{
	struct nth nth = {.left = n};

	if (n >= 0)
		tapir_user_each_frame(c, NULL, take_nth, &nth);
	return (s64)nth.address;
}

void tapir_ustack_text(struct tapir_ctx *c, char *dst, u32 cap)
{
	struct text t = {.dst = dst, .cap = cap};

	dst[0] = 0;
	tapir_user_each_frame(c, NULL, add_line, &t);
}

/* ---- lists of addresses: the first is where user mode was left, or that of the frame that is looked at; the others are return
 * addresses ---- */

void tapir_user_each_address(struct tapir_ctx *c, const char *list, tapir_frame_function function, void *data)
{
	struct tapir_user_walk *w = tapir_user_walk_of(c);
	bool begun = tapir_port_user_walk_begin(c, w), first = true;
	u64 address;

	tapir_work(c, TAPIR_WORK_USER_WALK);
	if (!begun)
		w->source.find = NULL;
	while ((list = tapir_next_address(list, &address)) && tapir_work(c, TAPIR_WORK_USER_SYMBOL) &&
	       function(c, address, !first || (begun && w->frame.called && w->frame.pc == address), data))
		first = false;
	if (begun)
		tapir_port_user_walk_end(w);
}

void tapir_uaddresses_text(struct tapir_ctx *c, const char *list, char *dst, u32 cap)
{
	struct text t = {.dst = dst, .cap = cap};

	dst[0] = 0;
	tapir_user_each_address(c, list, add_line, &t);
}

/* ---- one address ---- */

/* Writes the symbol that contains an address, with `whole` also offset, size and object; the address in hex if no symbol contains
 * it. */
static void tapir_usymbol_text(struct tapir_ctx *c, u64 address, bool whole, char *dst, u32 cap)
{
	struct tapir_user_walk *w = tapir_user_walk_of(c);
	char hex[TAPIR_HEX_BYTES];
	struct tapir_user_symbol s;
	bool known = false;

	tapir_work(c, TAPIR_WORK_USER_WALK + TAPIR_WORK_USER_SYMBOL);
	if (tapir_port_user_walk_begin(c, w)) {
		known = find_symbol_of_any(c, w, address, &s) && s.text.name;
		if (known && whole)
			tapir_symbol_line(&s.text, dst, cap);
		else if (known)
			tapir_str_copy(dst, s.text.name, cap);
		tapir_port_user_walk_end(w);
	}
	if (known)
		return;
	tapir_put_hex(hex, address);
	tapir_str_copy(dst, hex, cap);
}

void tapir_usymbol_name(struct tapir_ctx *c, u64 address, char *dst, u32 cap)
{
	tapir_usymbol_text(c, address, false, dst, cap);
}

void tapir_usymbol_data(struct tapir_ctx *c, u64 address, char *dst, u32 cap)
{
	tapir_usymbol_text(c, address, true, dst, cap);
}

s64 tapir_usymbol_object_address(struct tapir_ctx *c, u64 address)
{
	struct tapir_user_walk *w = tapir_user_walk_of(c);
	const struct tapir_unwind_table *t;
	u32 place;
	u8 end;

	tapir_work(c, TAPIR_WORK_USER_WALK + TAPIR_WORK_USER_SYMBOL);
	if (!tapir_port_user_walk_begin(c, w))
		return 0;
	t = w->source.find(w->source.data, address, &place, &end);
	address = t ? (u64)place + t->bias : 0;
	tapir_port_user_walk_end(w);
	return (s64)address;
}

/* One of the table's own names. */
static void copy_of_object(struct tapir_ctx *c, u64 address, bool build_id, char *dst, u32 cap)
{
	struct tapir_user_walk *w = tapir_user_walk_of(c);
	const struct tapir_unwind_table *t;
	u32 place;
	u8 end;

	tapir_work(c, TAPIR_WORK_USER_WALK + TAPIR_WORK_USER_SYMBOL);
	if (!tapir_port_user_walk_begin(c, w))
		return;
	t = w->source.find(w->source.data, address, &place, &end);
	if (t)
		tapir_str_copy(dst, tapir_unwind_string(t, build_id ? t->build_id : t->path), cap);
	tapir_port_user_walk_end(w);
}

void tapir_usymbol_build_id(struct tapir_ctx *c, u64 address, char *dst, u32 cap)
{
	dst[0] = 0;
	copy_of_object(c, address, true, dst, cap);
}

void tapir_usymbol_module(struct tapir_ctx *c, u64 address, char *dst, u32 cap)
{
	tapir_str_copy(dst, "<unknown>", cap);
	copy_of_object(c, address, false, dst, cap);
}
