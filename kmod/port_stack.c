// SPDX-License-Identifier: GPL-2.0-or-later
/* The port API: the kernel's stack at a hit. Linked when a script asks for one. */
#include <linux/module.h>
#include <linux/ptrace.h>
#include <tapir/port.h>
#include "compat/kernel_stack.h"
#include "hit.h"

/* A hit's registers are this far behind the place it is counted at: a breakpoint, or the call to the tracer at a function's entry.
 */
#define TAPIR_HIT_BYTES 16

static bool tapir_is_place(const struct tapir_ctx *c, unsigned long address)
{
	return c->ip && address - c->ip < TAPIR_HIT_BYTES;
}

/* Without registers to start from, the stack begins with the tracing itself: drops the frames below the place of the hit. */
static u32 tapir_stack_drop_own(const struct tapir_ctx *c, unsigned long *addresses, u32 count)
{
	u32 first = 0, i;

	while (first < count && !tapir_is_place(c, addresses[first]))
		first++;
	if (first == count)
		for (first = 0; first < count && within_module(addresses[first], THIS_MODULE); first++)
			;
	for (i = first; i < count; i++)
		addresses[i - first] = addresses[i];
	return count - first;
}

u32 tapir_port_kernel_stack(struct tapir_ctx *c, u64 *list, u32 max)
{
	unsigned long *addresses = (unsigned long *)list; /* the runtime is for 64 bits */
	u32 count, i;

	if (c->level == TAPIR_LEVEL_SESSION || !max || tapir_port_user_mode(c))
		return 0;
	count = tapir_unwind_kernel(c->regs, addresses, max);
	if (!TAPIR_HAVE_UNWIND || !c->regs)
		count = tapir_stack_drop_own(c, addresses, count);
	if (!c->ip)
		return count;
	if (count && tapir_is_place(c, addresses[0])) {
		addresses[0] = c->ip;
		return count;
	}
	/* At a return the registers are the caller's already. */
	count = min(count, max - 1);
	for (i = count; i; i--)
		addresses[i] = addresses[i - 1];
	addresses[0] = c->ip;
	return count + 1;
}
