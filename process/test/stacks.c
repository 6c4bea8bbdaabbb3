// SPDX-License-Identifier: GPL-2.0-or-later
/* Stacks of the native port. */
#include <string.h>
#include <tapir/interpreter.h>
#include <tapir/stacks.h>
#include <tapir/unfinished.h>

#include "process/test/host.h"
#include "handler.h"

/* Simulated hits have only the kernel stack of the test. */
u32 tapir_port_kernel_stack(struct tapir_ctx *c, u64 *addresses, u32 max)
{
	u32 count = tapir_host.nstack < max ? tapir_host.nstack : max;

	(void)c;
	if (count)
		memcpy(addresses, tapir_host.stack, count * sizeof(u64));
	return count;
}

/* ... and only the user stack of the test. */
bool tapir_port_user_walk_begin(struct tapir_ctx *c, struct tapir_user_walk *w)
{
	(void)c;
	if (tapir_host.walk) {
		*w = *tapir_host.walk;
		w->source.data = w;
		w->source.last = &w->last;
		return true;
	}
	w->end = TAPIR_UNWIND_FOREIGN;
	return false;
}

void tapir_port_user_walk_end(struct tapir_user_walk *w)
{
	(void)w;
}

void tapir_port_user_walk_from(struct tapir_user_walk *w, u64 pc, u64 sp, u64 fp)
{
	(void)w;
	(void)pc;
	(void)sp;
	(void)fp;
}

void tapir_port_count_user_stack(u8 end)
{
	(void)end;
}

/* ---- interpreters: none ---- */

bool tapir_port_interpreter(u32 number, struct tapir_interpreter_place *place, u32 *looked)
{
	(void)number;
	(void)place;
	(void)looked;
	return false;
}

void tapir_port_interpreter_unknown(u32 object, const char *what)
{
	(void)object;
	(void)what;
}

/* ---- as values ---- */

u32 tapir_port_object_interpreter(u32 object)
{
	return object < tapir_host.nobjects ? tapir_host.interpreters[object] : 0;
}

const struct tapir_unwind_table *tapir_port_object_table(u32 object)
{
	return object < tapir_host.nobjects ? tapir_host.objects[object] : NULL;
}

bool tapir_port_object_awaited(u32 object)
{
	return object < 32 && (tapir_host.awaited >> object & 1);
}

struct tapir_unfinished *tapir_port_unfinished_begin(const struct tapir_user_walk *w)
{
	return tapir_port_object_awaited(w->last.object) && !tapir_host.kept ? tapir_host.unfinished : NULL;
}

u32 tapir_port_unfinished_keep(struct tapir_unfinished *u)
{
	tapir_host.kept = u != NULL;
	return 1;
}

void tapir_port_unfinished_drop(struct tapir_unfinished *u)
{
	(void)u;
}
