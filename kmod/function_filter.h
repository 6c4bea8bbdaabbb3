/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters of ftrace_ops: which functions of tapir_sites each calls back for. Session thread; failures are reported, but for -EINTR:
 * the session is to end.
 *
 * `probe` selects the entries of one probe, or all with ~0u. `registered` and `filled` are the caller's state of the ops.
 */
#ifndef TAPIR_FUNCTION_FILTER_H
#define TAPIR_FUNCTION_FILTER_H

#include "compat/ftrace.h"
#include "function_sites.h"

/* Every ops filters for all functions of the kernel, not only for its own sites. Set before the first filter is filled. */
extern bool tapir_filter_coarse;

/*
 * The filter of `ops` gets the sites of `probe` among the entries [first, end); those it takes are marked. `*filled` is whether
 * there are any.
 */
int tapir_filter_fill(struct ftrace_ops *ops, u32 probe, u32 first, u32 end, bool *filled);
/*
 * Adds the sites of entries[0..count) to the filter, or removes them, or tries which of them it takes, and marks them; halves the
 * set where ftrace refuses, until the refused ones are alone, which stay as they are. `ips` is scratch memory of `count`. Depth is
 * bounded by log2(count). Fails for other reasons than refused sites, after which some may be marked; reports nothing. -EINTR: the
 * session is to end.
 */
int tapir_filter_change(struct ftrace_ops *ops, struct tapir_site_entry **entries, unsigned long *ips, u32 count,
			enum tapir_ftrace_change change);

/* An empty filter would mean every function of the kernel: then the ops must not be registered. */
int tapir_ops_register(struct ftrace_ops *ops, u32 probe, bool *registered);
/* Keeps the filter, for the next time. */
int tapir_ops_unregister(struct ftrace_ops *ops, u32 probe, bool *registered);
/* Unregisters, and frees the filter. */
void tapir_ops_finish(struct ftrace_ops *ops, u32 probe, bool *filled, bool *registered);

#endif
