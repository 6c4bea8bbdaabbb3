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

#endif
