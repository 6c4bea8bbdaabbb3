/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory in which sessions share a budget (TAPIR_IOC_BUDGET). */
#ifndef TAPIR_KMOD_BUDGET_PAGES_H
#define TAPIR_KMOD_BUDGET_PAGES_H

#include <runtime/budget_share.h>

/*
 * Keeps the caller's pages that begin at `address` until the module goes. Process context, may sleep. -EEXIST: there are some;
 * -EINVAL: they are too few or no page's beginning; else what the kernel says of them.
 */
int tapir_budget_pages_take(u64 address, u64 bytes);
void tapir_budget_pages_release(void);
/* The row of a CPU. NULL: the session shares nothing. */
struct tapir_shared_row *tapir_budget_row(int cpu);

#endif
