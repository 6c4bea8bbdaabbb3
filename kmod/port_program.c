// SPDX-License-Identifier: GPL-2.0-or-later
/* Where programs and libraries are mapped. */
#include <tapir/context.h>
#include "kind.h"

u64 tapir_port_program_bias(struct tapir_ctx *c, u32 program, bool *ok)
{
	const struct tapir_user_arg *arg = c->probe->arg;
	const struct tapir_function_site *site = c->place;

	*ok = c->probe->kind->user && site && arg->program == program;
	return *ok ? c->ip - site->offset - tapir_module.programs[program].text_bias : 0;
}
