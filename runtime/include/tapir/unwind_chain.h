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

#ifdef __cplusplus
extern "C" {
#endif

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
	u16 value;     /* the position that the first frame's frame pointer points to, TAPIR_LINK_NONE: any */
	u8 count;
	u8 credit; /* links that were followed, less what that has cost; of late */
	u8 recent; /* followed since room for a new one was looked for */
	u8 reserved[3];
	struct tapir_unwind_link links[TAPIR_CHAIN_LINKS];
};
#define TAPIR_CHAINS 32

/* A walk along a chain. */
struct tapir_unwind_follow {
	const struct tapir_unwind_chain *chain;
	u64 sp;	    /* of the first frame, a multiple of 8 */
	u64 fp;	    /* the frame pointer; becomes that of the frame that is reached */
	u64 pc;	    /* becomes the return address there */
	u64 shift;  /* from a place to its address */
	u64 head;   /* added to a place, it gives the word of a frame */
	u64 *words; /* get those of the callers, and of the one that is reached if it is of the chain */
	u32 most;   /* links */
};

/* Returns how many steps were made. Fewer than f->most: the walk has left the chain, or a read has failed. `read` reads a word and
 * returns false on a fault. Inline, for ports that read words by single instructions. `signature`: the bits of a return address
 * that are its address. */
static inline __attribute__((__always_inline__)) u32
tapir_unwind_follow_by(struct tapir_unwind_follow *f, u64 signature, bool (*read)(void *data, u64 address, u64 *word), void *data)
{
	const struct tapir_unwind_link *link = f->chain->links, *first = link, *last = link + f->most;
	u64 sp = f->sp, fp = f->fp, shift = f->shift, head = f->head, *words = f->words, back, frame;

	for (; link < last; link++) {
		if (!read(data, sp + link->back * 8ull, &back))
			break;
		if (link->frame != TAPIR_LINK_NONE) {
			if (!read(data, sp + link->frame * 8ull, &frame))
				break;
			fp = frame;
			if (link->value != TAPIR_LINK_NONE && frame != sp + link->value * 8ull)
				goto leave;
		}
		if ((back & signature) - shift != link->place)
			goto leave;
		*words++ = head + link->place;
	}
	f->fp = fp;
	if (link > first)
		f->pc = shift + link[-1].place;
	return (u32)(link - first);

leave:
	link++;
	f->fp = fp;
	f->pc = back & signature;
	return (u32)(link - first);
}

#ifdef __cplusplus
}
#endif

#endif
