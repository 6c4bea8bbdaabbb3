// SPDX-License-Identifier: GPL-2.0-or-later
/* tapir/port.h: the stack of the thread that is looked at. */
#include <stdio.h>
#include <string.h>

#include "arch/c/core_machine.h"
#include <tapir/abi.h>
#include <tapir/interpreter.h>
#include <tapir/stacks.h>
#include <tapir/unfinished.h>
#include "handler.h"
#include "process/still/still.h"

static const struct tapir_unwind_table *find(void *data, u64 address, u32 *place, u8 *end)
{
	struct tapir_user_walk *w = data;
	struct tapir_unwind_mapping *last = &w->last;
	u64 at;

	if (address - last->start >= last->length && !tapir_core_table(address, last, end)) {
		last->length = 0;
		last->object = TAPIR_UNWIND_NO_NUMBER;
		return NULL;
	}
	at = address - last->start + last->place;
	if (at > 0xffffffffu) {
		*end = TAPIR_UNWIND_NO_ROW;
		return NULL;
	}
	*place = (u32)at;
	return last->table;
}

static int read_stack(void *data, void *dst, u64 address, u32 length)
{
	(void)data;
	return tapir_core_read(dst, address, length) ? 0 : -1;
}

/* A process that stands still has no kernel below it. */
u32 tapir_port_kernel_stack(struct tapir_ctx *c, u64 *addresses, u32 max)
{
	(void)c;
	(void)addresses;
	(void)max;
	return 0;
}

bool tapir_port_user_walk_begin(struct tapir_ctx *c, struct tapir_user_walk *w)
{
	(void)c;
	memset(w, 0, sizeof(*w));
	if (!tapir_still_thread()->has_place)
		return false;
	w->source = (struct tapir_unwind_source){
	    .data = w, .machine = TAPIR_CORE_MACHINE, .last = &w->last, .find = find, .read = read_stack};
	w->frame = *tapir_still_frame();
	w->frame.steps = 0;
	w->last.object = TAPIR_UNWIND_NO_NUMBER;
	w->end = TAPIR_UNWIND_MORE;
	return true;
}

void tapir_port_user_walk_end(struct tapir_user_walk *w)
{
	(void)w;
}

void tapir_port_user_walk_from(struct tapir_user_walk *w, u64 pc, u64 sp, u64 fp)
{
	w->frame.pc = pc;
	w->frame.called = 0;
	w->frame.regs[TAPIR_CORE_STACK_NUMBER] = sp;
	w->frame.regs[TAPIR_CORE_FRAME_NUMBER] = fp;
}

void tapir_port_count_user_stack(u8 end)
{
	(void)end;
}

const struct tapir_unwind_table *tapir_port_object_table(u32 object)
{
	return tapir_core_object_table(object);
}

/* Tables of all files are there before anything runs. */
struct tapir_unfinished *tapir_port_unfinished_begin(const struct tapir_user_walk *w)
{
	(void)w;
	return NULL;
}

u32 tapir_port_unfinished_keep(struct tapir_unfinished *u)
{
	(void)u;
	return 0;
}

void tapir_port_unfinished_drop(struct tapir_unfinished *u)
{
	(void)u;
}

bool tapir_port_object_awaited(u32 object)
{
	(void)object;
	return false;
}

bool tapir_port_interpreter(u32 number, struct tapir_interpreter_place *place, u32 *looked)
{
	/* Mappings do not change while the script looks: a found one stays valid. */
	static struct {
		bool asked, found;
		struct tapir_interpreter_place place;
	} known[TAPIR_INTERPRETERS];

	(void)looked;
	if (number > TAPIR_INTERPRETERS)
		return false;
	if (!known[number - 1].asked) {
		known[number - 1].asked = true;
		known[number - 1].found = tapir_core_interpreter(number, &known[number - 1].place);
	}
	*place = known[number - 1].place;
	return known[number - 1].found;
}

void tapir_port_interpreter_unknown(u32 object, const char *what)
{
	static u32 told = TAPIR_UNWIND_NO_NUMBER;
	const u32 number = tapir_core_object_interpreter(object);
	const struct tapir_interpreter *interpreter;
	char path[512], text[1024];

	if (object == told || !number || number > tapir_module.ninterpreters)
		return;
	told = object;
	interpreter = &tapir_module.interpreters[number - 1];
	tapir_core_object_path(object, path, sizeof(path));
	/* As staprun has it. */
	snprintf(text, sizeof(text), "frames of %s are missing: %s %s. Known are %s", interpreter->name, path, what,
		 interpreter->known);
	tapir_still_warn(text);
}

u32 tapir_port_object_interpreter(u32 object)
{
	return tapir_core_object_interpreter(object);
}
