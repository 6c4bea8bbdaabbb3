/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processors that handlers can have run on, for tapir_port_processors(). */
#ifndef TAPIR_PROCESSORS_H
#define TAPIR_PROCESSORS_H

/* Before any handler runs, and before tapir_contexts_create(). May sleep. 0, or -ENOMEM. */
int tapir_processors_create(void);
/* Before the processor starts, or when it is online. The kernel serializes these calls. */
void tapir_processor_begins(unsigned int cpu);
/* When none runs any more, after tapir_contexts_destroy(). NULL-safe; may sleep. */
void tapir_processors_destroy(void);

#endif
