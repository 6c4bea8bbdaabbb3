// SPDX-License-Identifier: GPL-2.0-or-later
/* Interpreters by their names: see tapir/interpreter.h. */
#include <tapir/abi.h>
#include <tapir/interpreter.h>
#include <tapir/string.h>
#include <tapir/work.h>
#include "handler.h"
#include "ustack_internal.h"

static bool same_name(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

static const struct tapir_interpreter *named(const char *name)
{
	u32 i;

	for (i = 0; i < tapir_module.ninterpreters; i++)
		if (same_name(tapir_module.interpreters[i].name, name))
			return &tapir_module.interpreters[i];
	return NULL;
}

const char *tapir_interpreter_name(s64 number)
{
	return number > 0 && number <= (s64)tapir_module.ninterpreters ? tapir_module.interpreters[number - 1].name : "";
}

const char *tapir_interpreter_loop(const char *name)
{
	const struct tapir_interpreter *interpreter = named(name);

	return interpreter ? interpreter->loop : "";
}

bool tapir_interpreter_find(struct tapir_ctx *c, const char *name, struct tapir_interpreter_place *place)
{
	const struct tapir_interpreter *interpreter = named(name);
	u32 looked = 0;
	bool found;

	if (!interpreter)
		return false;
	found = tapir_port_interpreter((u32)(interpreter - tapir_module.interpreters) + 1, place, &looked);
	tapir_work_add(c, TAPIR_WORK_USER_WALK + looked * (u64)TAPIR_WORK_MAPPING);
	if (!found || place->variables[0])
		return found;
	tapir_interpreter_lacks(place, interpreter->variables[0]);
	return false;
}

void tapir_interpreter_unknown(const struct tapir_interpreter_place *place, const char *what)
{
	tapir_port_interpreter_unknown(place->object, what);
}

void tapir_interpreter_lacks(const struct tapir_interpreter_place *place, const char *symbol)
{
	char what[32];

	tapir_format(what, sizeof(what), "has no %s", symbol);
	tapir_interpreter_unknown(place, what);
}

void tapir_interpreter_unknown_version(const struct tapir_interpreter_place *place, const char *name, u32 major, u32 minor)
{
	char what[32];

	tapir_format(what, sizeof(what), "is %s %u.%u", name, major, minor);
	tapir_interpreter_unknown(place, what);
}

const char *tapir_address_interpreter(struct tapir_ctx *c, u64 address)
{
	struct tapir_user_walk *w = tapir_user_walk_of(c);
	u32 place, found = 0;
	u8 end;

	tapir_work(c, TAPIR_WORK_USER_WALK);
	if (!tapir_port_user_walk_begin(c, w))
		return "";
	if (w->source.find(w->source.data, address, &place, &end))
		found = tapir_port_object_interpreter(w->last.object);
	tapir_port_user_walk_end(w);
	return tapir_interpreter_name(found);
}
