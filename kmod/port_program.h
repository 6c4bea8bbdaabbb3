/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TAPIR_KMOD_PORT_PROGRAM_H
#define TAPIR_KMOD_PORT_PROGRAM_H

#include <tapir/port.h>

/* tapir_port_program_bias() by the mappings of the current process alone. Any context. */
u32 tapir_program_find(u32 program, u64 *bias);

#endif
