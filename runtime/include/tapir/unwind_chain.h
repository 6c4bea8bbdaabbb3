/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chains: frames of one object that followed one another in an earlier walk.
 *
 * Plain rules compute a caller from the place of the code, the stack pointer, the frame pointer and words of the stack. So where
 * code is at the same place again and these words are the same, counted from the object and from the stack pointer, the same
 * frames follow. A link has the words that a frame's rule read. A walk compares them instead of applying the rule. It leaves the
 * chain at the first link that differs.
 */
#ifndef TAPIR_UNWIND_CHAIN_H
#define TAPIR_UNWIND_CHAIN_H

#include <tapir/types.h>

/* From a frame to its caller. Positions are words above the stack pointer of the chain's first frame. */
struct tapir_unwind_link {
	u32 place; /* the caller's return address, as a place of the object; 0: elsewhere */
	u16 cfa;   /* the caller's stack pointer */
	u16 back;  /* where the return address is */
	u16 frame; /* where the caller's frame pointer is; TAPIR_LINK_NONE: the register keeps its value */
	u16 value; /* the position it points to, TAPIR_LINK_NONE: any */
};
#define TAPIR_LINK_NONE 0xffffu

#define TAPIR_CHAIN_LINKS 32
struct tapir_unwind_chain {
	u64 key;       /* of the first frame's code; 0: none */
	u32 low, high; /* the least and the greatest place of the links, less one: that of the call */
	u32 bytes;     /* of the stack that the links are on, above that stack pointer */
	u16 value;     /* the position that the first frame's frame pointer points to, TAPIR_LINK_NONE: any */
	u8 count;
	u8 credit; /* links that were followed, less what that has cost; of late */
	u8 recent; /* followed since room for a new one was looked for */
	u8 framed; /* so many links at its beginning have a frame pointer, and the position that it points to */
	struct tapir_unwind_link links[TAPIR_CHAIN_LINKS];
};
#define TAPIR_CHAINS 32

#endif
