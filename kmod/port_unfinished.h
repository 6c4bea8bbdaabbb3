/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Room for walks that continue when a table has come (tapir/unfinished.h). Linked only if a script stores or prints user stacks. */
#ifndef TAPIR_PORT_UNFINISHED_H
#define TAPIR_PORT_UNFINISHED_H

#include <linux/types.h>
#include <tapir/wire.h>

struct tapir_unfinished_ops {
	/* Before the first handler. Without memory walks end as they do. May sleep. */
	void (*create)(void);
	/* Continues all stored stacks whose table has come, or never will. Process context, under the control lock. */
	void (*finish)(void);
	/* The lines of a walk that was printed: as TAPIR_IOC_FRAMES. Process context, under the control lock. */
	int (*lines)(struct tapir_ioc_frames *io);
	/* Waits until each stored stack is finished, for some seconds and as long as a reader makes tables. No hit will come.
	 * Session thread. */
	void (*await)(void);
	/* How many were finished, and how many found no room. */
	void (*count)(u64 *finished, u64 *refused);
	/* After the last handler. May sleep. */
	void (*destroy)(void);
};
extern const struct tapir_unfinished_ops tapir_unfinished_ops __weak;

static inline bool tapir_has_unfinished(void)
{
	return &tapir_unfinished_ops != NULL;
}

#endif
