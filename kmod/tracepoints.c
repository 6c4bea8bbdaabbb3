// SPDX-License-Identifier: GPL-2.0-or-later
/* Tracepoints of the kernel that Tapir itself uses: see tracepoints.h. */
#include <linux/errno.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include "tracepoints.h"
#include "report.h"

static void tapir_listener_seen(struct tracepoint *tracepoint, void *data)
{
	struct tapir_listener *listener = data;

	if (!strcmp(tracepoint->name, listener->name))
		listener->tracepoint = tracepoint;
}

int tapir_listen(struct tapir_listener *listener)
{
	int error = -ENOENT;

	listener->tracepoint = NULL;
	for_each_kernel_tracepoint(tapir_listener_seen, listener);
	if (listener->tracepoint)
		error = tracepoint_probe_register_prio(listener->tracepoint, listener->callback, NULL,
						       TRACEPOINT_DEFAULT_PRIO + listener->first);
	if (!error)
		return 0;
	listener->tracepoint = NULL;
	tapir_session_fail(TAPIR_TEXT(FollowingRefused), listener->name, ERR_PTR(error));
	return error;
}

void tapir_listen_no_more(struct tapir_listener *listener)
{
	if (listener->tracepoint)
		tracepoint_probe_unregister(listener->tracepoint, listener->callback, NULL);
	listener->tracepoint = NULL;
}

int tapir_listeners_follow(const struct tapir_listeners *all)
{
	int error = 0;
	u32 i;

	for (i = 0; i < all->count && !error; i++) {
		if (all->wants && !all->wants(i))
			tapir_listen_no_more(&all->list[i]);
		else if (!all->list[i].tracepoint)
			error = tapir_listen(&all->list[i]);
	}
	return error;
}

void tapir_listeners_stop(const struct tapir_listeners *all)
{
	u32 i;

	for (i = 0; i < all->count; i++)
		tapir_listen_no_more(&all->list[i]);
	tracepoint_synchronize_unregister();
}
