/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TAPIR_KMOD_PORT_PROGRAM_H
#define TAPIR_KMOD_PORT_PROGRAM_H

#include <tapir/abi.h>
#include <tapir/port.h>

/* tapir_port_program_bias() by the mappings of the current process alone. Any context. */
u32 tapir_program_find(u32 program, u64 *bias);
/* As above; at a hit in the program itself (`site`, at `ip`) the place of the hit says it. `site` may be NULL. */
u32 tapir_program_find_at(const struct tapir_user_arg *arg, const struct tapir_function_site *site, unsigned long ip, u32 program,
			  u64 *bias);

#endif
