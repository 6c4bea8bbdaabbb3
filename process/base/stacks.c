// SPDX-License-Identifier: GPL-2.0-or-later
/* tapir/stacks.h for a process: memory for stacks that are kept. */
#include <stdlib.h>
#include <tapir/stacks.h>

#include "process/base/base.h"
#include "handler.h"

void tapir_host_stacks_create(u64 bytes)
{
	u32 nslots = tapir_stacks_slots(bytes);

	tapir_host_stacks_destroy();
	tapir_stacks.slots = calloc(nslots, sizeof(u64));
	if (!tapir_stacks.slots)
		abort();
	tapir_stacks.nslots = nslots;
	tapir_stacks.most = (u32)(bytes / (TAPIR_STACK_PIECE * sizeof(u64)));
	tapir_port_stacks_low();
}

void tapir_host_stacks_destroy(void)
{
	u32 i;

	for (i = 0; i < tapir_stacks.npieces; i++)
		free(tapir_stacks.pieces[i]);
	free(tapir_stacks.slots);
	tapir_stacks = (struct tapir_stacks){.used = TAPIR_STACK_FIRST};
}

/* Tests with several threads give all memory at the start. */
void tapir_port_stacks_low(void)
{
	while (!tapir_host.fixed_stacks && tapir_stacks_low()) {
		u64 *piece = calloc(TAPIR_STACK_PIECE, sizeof(u64));

		if (!piece)
			abort();
		tapir_stacks_add(piece);
	}
}
