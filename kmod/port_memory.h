/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The port's knowledge of memory, for kmod itself. */
#ifndef TAPIR_PORT_MEMORY_H
#define TAPIR_PORT_MEMORY_H

#include <linux/gfp.h>
#include <linux/types.h>

/* For scripts' requests: too large a request is an error of the script, and must not kill processes. */
#define TAPIR_GFP_ASKED (GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN)

/* How many bytes a session may ask for when it starts: half of tapir_port_room(). Process context. */
u64 tapir_port_spare(void);
/* True if tapir_port_room() is at least `bytes` now. Process context. */
bool tapir_port_affordable(u64 bytes);

#endif
