/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tracepoints of the kernel that Tapir itself uses. Session thread. */
#ifndef TAPIR_KMOD_TRACEPOINTS_H
#define TAPIR_KMOD_TRACEPOINTS_H

#include <linux/types.h>

struct tracepoint;

struct tapir_listener {
	const char *name;
	void *callback;		       /* a C function of a pointer (NULL) and the tracepoint's arguments */
	bool first;		       /* before those that are not */
	struct tracepoint *tracepoint; /* NULL: not listening */
};

/* -errno: the session has failed. */
int tapir_listen(struct tapir_listener *listener);
/* Nothing to do for one that does not listen. The callback may run until tracepoint_synchronize_unregister(). */
void tapir_listen_no_more(struct tapir_listener *listener);

/* From now on those of a list listen that are wanted, by their positions; without `wants` all. -errno: the session has failed; none
 * is undone. */
int tapir_listen_as_wanted(struct tapir_listener *list, u32 count, bool (*wants)(u32 position));
/* None of them listens any more, and no callback runs, also of those that stopped before. Sleeps. */
void tapir_listen_no_more_all(struct tapir_listener *list, u32 count);

#endif
