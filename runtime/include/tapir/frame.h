/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames of emitted functions. Only emitted C calls these. */
#ifndef TAPIR_FRAME_H
#define TAPIR_FRAME_H

#include <tapir/context.h>

/* Bytes that the runtime and an interrupt may need on the machine's stack below a recursive function. */
#define TAPIR_STACK_RESERVE 2048

/* Bytes of frame memory that a frame takes: frames stay aligned. */
#define TAPIR_FRAME_BYTES(type) (((u32)sizeof(type) + 15u) & ~15u)
#define TAPIR_LARGER(a, b)	((a) > (b) ? (a) : (b))
/* Bytes of `count` frames of so many; more than any machine gives to a context are TAPIR_FRAMES_MOST. */
#define TAPIR_FRAMES_MOST	   0x7fff0000u
#define TAPIR_FRAMES(bytes, count) ((u64)(bytes) * (count) < TAPIR_FRAMES_MOST ? (bytes) * (count) : TAPIR_FRAMES_MOST)

/*
 * Frame memory for a script function: `bytes` (multiple of 16) from the context's frame, or NULL with "MAXNESTING exceeded" raised
 * when MAXNESTING, the frame or the machine's stack is exhausted. Pairs with tapir_frame_pop.
 */
static inline char *tapir_frame_push(struct tapir_ctx *c, u32 bytes, u32 max_nesting, const struct tapir_site *site)
{
	char *frame = c->frame + c->frame_used;

	if (TAPIR_UNLIKELY(c->nesting >= max_nesting || c->frame_used + bytes > tapir_module.frame_bytes ||
			   tapir_port_stack_low(c))) {
		tapir_error_nesting(c, site);
		return NULL;
	}
	c->nesting++;
	c->frame_used += bytes;
	return frame;
}

static inline void tapir_frame_pop(struct tapir_ctx *c, u32 bytes)
{
	c->frame_used -= bytes;
	c->nesting--;
}

#endif
