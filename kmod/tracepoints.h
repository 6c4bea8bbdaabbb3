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

/* Those of one kind of probes. */
struct tapir_listeners {
	struct tapir_listener *list;
	u32 count;
	bool (*wants)(u32 position); /* is this one of the list to listen now? NULL: all are */
};

/* From now on those listen that are wanted. -errno: the session has failed; none is undone. */
int tapir_listeners_follow(const struct tapir_listeners *all);
/* None of them listens any more, and no callback runs, also of those that stopped before. Sleeps. */
void tapir_listeners_stop(const struct tapir_listeners *all);

#endif
