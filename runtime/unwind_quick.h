/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steps by rules of the usual forms, which are noted by place: for walks that need only addresses. */
#ifndef TAPIR_UNWIND_QUICK_H
#define TAPIR_UNWIND_QUICK_H

#include "unwind_internal.h"

/*
 * A plain rule as a word. Nearly all code counts the CFA from the stack pointer or the frame register, so only these rules are
 * followed. QUICK_FRAME: from the frame register. Then 4 bits have the number of saved words, and 4 the index of the return address
 * among them. The next 4 have the index of the frame register (QUICK_NONE if it is not saved), and 16 the CFA's offset in words.
 */
#define QUICK_FRAME 1u
#define QUICK_NONE  15u

static inline u32 quick_bytes(u32 rule)
{
	return (rule >> 4 & 15) * 8;
}

static inline u32 quick_back(u32 rule)
{
	return rule >> 8 & 15;
}

static inline u32 quick_frame(u32 rule)
{
	return rule >> 12 & 15;
}

static inline u64 quick_cfa(u32 rule, u64 sp, u64 fp)
{
	return (rule & QUICK_FRAME ? fp : sp) + (rule >> 16) * 8ull;
}

/* Values of tapir_unwind_quick.chain; others are numbers of chains, counted from TAPIR_CHAIN_FIRST. */
enum { TAPIR_CHAIN_NONE, TAPIR_CHAIN_SEEN, TAPIR_CHAIN_SHORT, TAPIR_CHAIN_FIRST };

static inline u64 quick_key(u32 object, u32 place)
{
	return (u64)object << 32 | 1ull << 63 | place;
}

static inline struct tapir_unwind_quick *quick_of(struct tapir_unwind_memory *memory, u64 key)
{
	return &memory->quick[key * 0x9e3779b97f4a7c15ull >> (64 - TAPIR_QUICK_BITS)];
}

/*
 * Takes as many quick steps as possible from return addresses in the mapping that was found last, at most `most`: *steps gets how
 * many. They are noted in the trace, whose run continues. TAPIR_UNWIND_MORE: an ordinary step is next.
 */
u8 tapir_unwind_walk_quick(const struct tapir_unwind_source *source, struct tapir_unwind_frame *f,
			   struct tapir_unwind_memory *memory, struct tapir_unwind_trace *trace, u32 most, u32 *steps);

#endif
