// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The processors that handlers can have run on. A machine may have far more possible processors than real ones: loops over
 * processors leave the others out.
 */
#include <linux/err.h>
#include <linux/slab.h>
#include <tapir/port.h>
#include "processors.h"
#include "state.h"

static u16 *tapir_processors;
static u32 tapir_processors_count;

void tapir_processor_begins(unsigned int cpu)
{
	u32 i;

	for (i = 0; i < tapir_processors_count; i++)
		if (tapir_processors[i] == cpu)
			return;
	tapir_processors[i] = cpu;
	smp_store_release(&tapir_processors_count, i + 1);
}

int tapir_processors_create(void)
{
	BUILD_BUG_ON(NR_CPUS > U16_MAX);
	tapir_processors = kcalloc(nr_cpu_ids, sizeof(*tapir_processors), GFP_KERNEL);
	if (!tapir_processors)
		return -ENOMEM;
	tapir_processors_count = 0;
	return 0;
}

void tapir_processors_destroy(void)
{
	kfree(tapir_processors);
	tapir_processors = NULL;
	tapir_processors_count = 0;
}

u32 tapir_port_processors(const u16 **numbers)
{
	*numbers = tapir_processors;
	return smp_load_acquire(&tapir_processors_count);
}
