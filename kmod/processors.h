/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processors that handlers can have run on, for tapir_port_processors(). */
#ifndef TAPIR_PROCESSORS_H
#define TAPIR_PROCESSORS_H

/* Before any handler runs. May sleep. 0, or -ENOMEM. */
int tapir_processors_create(void);
/* When none runs any more. NULL-safe; may sleep. */
void tapir_processors_destroy(void);

#endif
