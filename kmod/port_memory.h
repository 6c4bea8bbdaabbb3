/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the port knows about memory, for kmod itself. */
#ifndef TAPIR_PORT_MEMORY_H
#define TAPIR_PORT_MEMORY_H

#include <linux/gfp.h>
#include <linux/types.h>

/* For what scripts ask for: too much of it is an error of the script, and must not cost processes their lives. */
#define TAPIR_GFP_ASKED (GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN)

/* How many bytes a session may ask for when it starts: half of tapir_port_room(). Process context. */
u64 tapir_port_spare(void);
/* Whether tapir_port_room() is at least so many now. Process context. */
bool tapir_port_affordable(u64 bytes);

#endif
