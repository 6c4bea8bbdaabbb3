/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the port knows about memory, for kmod itself. */
#ifndef TAPIR_PORT_MEMORY_H
#define TAPIR_PORT_MEMORY_H

#include <linux/types.h>

/* How many bytes can be had so that the machine keeps enough memory to live on. Process context. */
u64 tapir_port_spare(void);
/* Whether so many are fewer than that. */
bool tapir_port_affordable(u64 bytes);

#endif
