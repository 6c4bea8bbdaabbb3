/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the port knows about memory, for kmod itself. */
#ifndef TAPIR_PORT_MEMORY_H
#define TAPIR_PORT_MEMORY_H

#include <linux/types.h>

/* Whether so many are fewer than tapir_port_spare(). Process context. */
bool tapir_port_affordable(u64 bytes);

#endif
