/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwind tables and the walk over them. A table describes one ELF object (a program, a shared library, the vDSO). It is made in
 * user space (unwind/), is one block of memory without pointers, and is only searched here. Places in an object are offsets in its
 * file, because mappings give these: place = address - start of the mapping + file offset of the mapping.
 *
 * Layout, each part beginning where the one before it ends:
 *
 *     struct tapir_unwind_table
 *     struct tapir_unwind_rule   [nrules]     distinct ways to find the caller
 *     struct tapir_unwind_saved  [nsaved]     where registers are; each rule points at a run of them
 *     struct tapir_unwind_symbol [nsymbols]   ascending by place
 *     struct tapir_unwind_line   [nlines]     ascending by place; none unless they were asked for
 *     u32                        [nrows]      places, strictly ascending
 *     u32                        [nrows]      the rule from that place to the next one's
 *     u32                        [nbuckets + 1] the first row at or after place i << TAPIR_UNWIND_BUCKET; the last is nrows
 *     char                       [nstrings]   names, each with its NUL; the last byte is 0
 */
#ifndef TAPIR_UNWIND_H
#define TAPIR_UNWIND_H

#include <tapir/types.h>
#include <tapir/unwind_chain.h>
#include "../../../arch/c/unwind_machine.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TAPIR_UNWIND_MAGIC  0x3a574e55u /* changes with the layout and the names */
#define TAPIR_UNWIND_BUCKET 9
/* DWARF numbers of registers are below this on every machine (arch/c/unwind_machine.h). */
#define TAPIR_UNWIND_REGISTERS 33

/* Bytes of the file at a place of its code. A walk knows a copy of the code by them. */
struct tapir_unwind_sample {
	u32 place;
	u32 words[2]; /* both 0: empty */
};
#define TAPIR_UNWIND_SAMPLES 32

struct tapir_unwind_table {
	u32 magic;
	u16 machine;	    /* enum tapir_unwind_machine */
	u8 return_register; /* DWARF number whose rule gives the return address */
	u8 stack_register;  /* the stack pointer: in the caller it is the CFA */
	u32 nrules, nsaved, nsymbols, nlines, nrows, nbuckets, nstrings;
	u32 path;     /* of the object, in the names */
	u32 build_id; /* lower-case hexadecimal, in the names; "": it has none */
	u32 bias;     /* added to a place of code, it gives the address that the ELF file has for it */
	u32 lead;     /* the same of the file's first bytes */
	u32 code;     /* the first place of code */
	u32 code_end; /* after the last one; 0: it is not known */
	u32 end;      /* after the last place; variables that are not in the file are where they would be if they were */
	struct tapir_unwind_sample samples[TAPIR_UNWIND_SAMPLES]; /* spread over the code */
};

/* How the canonical frame address is found. */
enum tapir_unwind_cfa {
	TAPIR_CFA_NONE,	    /* not: `base` is the enum tapir_unwind_end that says why */
	TAPIR_CFA_REGISTER, /* base + offset */
	TAPIR_CFA_MEMORY,   /* *(base + offset) + add */
	/* base + offset, and add's top byte more from some place in each entry of a procedure linkage table on: if
	 * (pc & mask) >= threshold, with add = bytes << 16 | mask << 8 | threshold. */
	TAPIR_CFA_PLT,
};

struct tapir_unwind_rule {
	u8 cfa; /* enum tapir_unwind_cfa */
	u8 base;
	u8 flags; /* TAPIR_RULE_* */
	u8 nsaved;
	u32 saved; /* the first */
	s32 offset, add;
};
#define TAPIR_RULE_SIGNAL    (1u << 0) /* the frame of a signal handler's return: the caller was interrupted, it did not call */
#define TAPIR_RULE_OUTERMOST (1u << 1) /* the frame has no caller */
/* The function calls others on another stack: a walk that comes from them ends here. */
#define TAPIR_RULE_SWITCHES (1u << 3)
/* The usual frame: registers are saved in words within TAPIR_FRAME_WORDS below the CFA, the lowest first; the last is the return
 * address. */
#define TAPIR_RULE_PLAIN  (1u << 2)
#define TAPIR_FRAME_WORDS 8

/* Registers without an entry have the same value in the caller. */
enum tapir_unwind_how {
	TAPIR_SAVED_CFA,      /* in memory at CFA + offset */
	TAPIR_SAVED_MEMORY,   /* in memory at base + offset */
	TAPIR_SAVED_VALUE,    /* is CFA + offset */
	TAPIR_SAVED_REGISTER, /* is base + offset */
	TAPIR_SAVED_LOST,     /* nowhere, or where the table cannot say */
};

struct tapir_unwind_saved {
	u8 reg;
	u8 how; /* enum tapir_unwind_how */
	u8 base;
	u8 reserved;
	s32 offset;
};

struct tapir_unwind_symbol {
	u32 place, size; /* 0: no more than the place itself */
	u32 name;	 /* in the names */
};

/* The source line of the code from this place to the next one's. */
struct tapir_unwind_line {
	u32 place;
	u32 line; /* 0: not known */
	u32 file; /* in the names */
};

/* The reason why a walk ended at its place. */
enum tapir_unwind_end {
	TAPIR_UNWIND_MORE,	 /* it can continue */
	TAPIR_UNWIND_COMPLETE,	 /* the outermost frame, by its rule */
	TAPIR_UNWIND_CUT,	 /* as many frames as were asked for */
	TAPIR_UNWIND_NO_OBJECT,	 /* code in memory that no file is mapped to */
	TAPIR_UNWIND_NO_TABLE,	 /* the object's table has not arrived */
	TAPIR_UNWIND_NO_ROW,	 /* the object says nothing about this code */
	TAPIR_UNWIND_EXPRESSION, /* it does, in a form that the table cannot hold */
	TAPIR_UNWIND_FAULT,	 /* the stack cannot be read */
	TAPIR_UNWIND_LOOP,	 /* the caller's frame would not be further out */
	TAPIR_UNWIND_BUSY,	 /* the process's mappings are being changed */
	TAPIR_UNWIND_FOREIGN,	 /* no user mode: a kernel thread */
	TAPIR_UNWIND_RETURN,	 /* a return address that a return probe replaces is not known */
	TAPIR_UNWIND_NO_CODE,	 /* a return address does not point into code */
	TAPIR_UNWIND_EXEC,	 /* no frame: the program is being replaced */
	TAPIR_UNWIND_MACHINE,	 /* no frame: a 32-bit process */
	TAPIR_UNWIND_LIMIT,	 /* more frames than a walk makes, or than there is room for */
	TAPIR_UNWIND_ENDS
};

/* A frame on the way. The registers have their values of when that frame is running. */
#define TAPIR_STACK_WORDS 32
struct tapir_unwind_frame {
	u64 regs[TAPIR_UNWIND_REGISTERS];
	u64 pc;
	u32 steps;
	u8 called; /* pc is a return address: the frame's code is before it */
	/* The part of the stack that was read last; the walk's own. */
	u32 stack_bytes;
	u32 ahead; /* bytes to read the next time; 0: few */
	u64 stack_start;
	u64 stack[TAPIR_STACK_WORDS];
};

/* A part of an object that is mapped. */
struct tapir_unwind_mapping {
	u64 start, length, place; /* addresses, file offset */
	const struct tapir_unwind_table *table;
	u32 object;  /* the number of the object, TAPIR_UNWIND_NO_NUMBER: not known */
	u32 no_code; /* nothing in there can be executed */
};
#define TAPIR_UNWIND_NO_NUMBER (~0u)

struct tapir_unwind_run;

/* The stack to walk. */
struct tapir_unwind_source {
	void *data;
	u16 machine;				 /* enum tapir_unwind_machine */
	const struct tapir_unwind_mapping *last; /* where find() found something last, or NULL; it is not asked for more in there */
	/* Returns the table and place of an address. NULL if it has no table; *end then has the reason (NO_OBJECT: code, in no
	 * file). If `last` then has an object, *place is the place in it and last->length is 0. */
	const struct tapir_unwind_table *(*find)(void *data, u64 address, u32 *place, u8 *end);
	/* Fault-safe: 0, or not all could be read. */
	int (*read)(void *data, void *dst, u64 address, u32 length);
	/* The return address *pc of the frame with this CFA may be one that a return probe has put there: replaces it by the
	 * original one. Returns TAPIR_UNWIND_MORE, or the reason of a failure. NULL: no return probe changes return addresses. */
	u8 (*original)(void *data, u64 cfa, u64 *pc);
	/* Makes a run (tapir/unwind_run.h): enum tapir_unwind_run_end. NULL: words are read as others. */
	u32 (*run)(void *data, struct tapir_unwind_run *run);
};

#define TAPIR_UNWIND_STEPS 4096 /* frames of one walk */

/*
 * True if a block is a table for this machine that may be searched: every count and index is within it. Its rules may still be
 * wrong and lead a walk astray, but not out of bounds.
 */
bool tapir_unwind_valid(const void *block, u64 bytes);
/* Makes the caller of `f` the frame. On any other end than TAPIR_UNWIND_MORE it is unchanged. */
u8 tapir_unwind_step(const struct tapir_unwind_source *source, struct tapir_unwind_frame *f);
/*
 * The same, and *known, a bit for each register whose value in the frame is known, becomes that of the caller: a call forgets what
 * functions need not preserve, an interruption by a signal nothing. A caller that only registers tell which are not known is not
 * looked for: TAPIR_UNWIND_EXPRESSION.
 */
u8 tapir_unwind_step_known(const struct tapir_unwind_source *source, struct tapir_unwind_frame *f, u64 *known);
/*
 * Notes the addresses of `f` and its callers, at most `max`; *count gets their number. TAPIR_UNWIND_MORE: `f` is the next one; call
 * again to continue. Otherwise the walk ended at the last address.
 */
u8 tapir_unwind_walk(const struct tapir_unwind_source *source, struct tapir_unwind_frame *f, u64 *addresses, u32 max, u32 *count);

/* ---- frames by object and place, which say the same in all processes, and after they have ended ---- */

/*
 * A frame is a word: the address where no file is mapped; else TAPIR_FRAME_IN_OBJECT | object << TAPIR_FRAME_OBJECT | flags |
 * place. Addresses of the kernel have their highest bit set, those of programs neither of the two highest.
 */
#define TAPIR_FRAME_IN_OBJECT (1ull << 62)
#define TAPIR_FRAME_OBJECT    40
#define TAPIR_FRAME_OBJECTS   (1u << 14)
#define TAPIR_FRAME_CALLED    (1ull << 32) /* a return address: the frame's code is before it */
#define TAPIR_FRAME_NO_TABLE  (1ull << 35) /* the object had no table when the stack was walked */

static inline bool tapir_frame_in_object(u64 frame)
{
	return frame >> 62 == 1;
}

static inline bool tapir_frame_in_kernel(u64 frame)
{
	return frame >> 63;
}

static inline u32 tapir_frame_object(u64 frame)
{
	return (u32)(frame >> TAPIR_FRAME_OBJECT) & (TAPIR_FRAME_OBJECTS - 1);
}

/* The frames of a trace, from the first word on. From the last word on, runs of two words each: the difference between an object's
 * places and addresses, and the number of the first frame for which it holds. */
struct tapir_unwind_trace {
	u64 *words;
	u32 room, frames, runs;
	bool outside;	/* a frame is in no file */
	u64 difference; /* of the last run */
};

/* Rules of places that were walked through, by place and object, and the chains that begin there; and where quick steps began. One
 * walk at a time. */
struct tapir_unwind_quick {
	u64 key;
	u32 rule;  /* as a word (tapir/unwind_run.h) */
	u16 chain; /* the number of one, from 1; 0: none */
	u16 rest;  /* visits until one may begin */
};
/* Where a run stands (tapir/unwind_run.h). */
struct tapir_unwind_run {
	struct tapir_unwind_memory *memory;
	const struct tapir_unwind_mapping *m; /* all of its places are below 4 GB */
	u64 shift;			      /* from a place to its address */
	u64 head;			      /* added to a return address's place, it gives the word of a frame */
	u64 sp, fp, pc;			      /* of the frame */
	u64 end;			      /* no word of the stack at or above it is read; at least sp */
	u64 *at, *last;			      /* get the words of frames */
	u64 called;			      /* 1: pc is a return address */
};

#define TAPIR_QUICK_BITS 10
struct tapir_unwind_memory {
	struct tapir_unwind_quick quick[1u << TAPIR_QUICK_BITS]; /* zeroed before the first walk, as the next two */
	struct tapir_unwind_chain chains[TAPIR_CHAINS];
	u32 next_chain;		     /* where room for the next one is looked for */
	struct tapir_unwind_run run; /* the one that is being made: handlers have little stack */
	/* The frame that quick steps began at. They change nothing else of a frame than this. */
	u64 pc, sp, fp;
	u32 begun; /* steps before them */
	u8 called;
	u8 partly; /* a walk that ended at a file without a table does not know all registers */
	u32 steps; /* of that walk */
};

/* Returns false if the trace is full. */
bool tapir_unwind_note(struct tapir_unwind_trace *trace, u64 frame, u64 difference);
/* Notes an address that is not a frame of the walk, but belongs before it. Returns false if the trace is full. */
bool tapir_unwind_note_address(const struct tapir_unwind_source *source, struct tapir_unwind_trace *trace, u64 address);
/* Notes `f` and its callers, at most `max` of them. The reason why it ended; TAPIR_UNWIND_CUT: at `max`;
 * TAPIR_UNWIND_LIMIT: for want of room.
 * source->last is not NULL. */
u8 tapir_unwind_record(const struct tapir_unwind_source *source, struct tapir_unwind_frame *f, struct tapir_unwind_memory *memory,
		       struct tapir_unwind_trace *trace, u32 max);
/* Restores all registers of `f` after a walk that ended with TAPIR_UNWIND_NO_TABLE; quick steps leave some out. Returns false if
 * they cannot be found again. */
bool tapir_unwind_registers(const struct tapir_unwind_source *source, struct tapir_unwind_frame *f,
			    const struct tapir_unwind_memory *memory);
/* The address of frame number n, by its trace. */
u64 tapir_unwind_address(const u64 *frames, const u64 *runs, u32 nruns, u32 n);

/* The symbol at or before a place, NULL: none covers it. Symbols without a size reach to the next one. */
const struct tapir_unwind_symbol *tapir_unwind_find_symbol(const struct tapir_unwind_table *t, u32 place);

/* The line of a place, NULL: not known. */
const struct tapir_unwind_line *tapir_unwind_find_line(const struct tapir_unwind_table *t, u32 place);

/* ---- the parts of a valid table ---- */

static inline const struct tapir_unwind_rule *tapir_unwind_rules(const struct tapir_unwind_table *t)
{
	return (const struct tapir_unwind_rule *)(t + 1);
}

static inline const struct tapir_unwind_saved *tapir_unwind_saved_of(const struct tapir_unwind_table *t)
{
	return (const struct tapir_unwind_saved *)(tapir_unwind_rules(t) + t->nrules);
}

static inline const struct tapir_unwind_symbol *tapir_unwind_symbols(const struct tapir_unwind_table *t)
{
	return (const struct tapir_unwind_symbol *)(tapir_unwind_saved_of(t) + t->nsaved);
}

static inline const struct tapir_unwind_line *tapir_unwind_lines(const struct tapir_unwind_table *t)
{
	return (const struct tapir_unwind_line *)(tapir_unwind_symbols(t) + t->nsymbols);
}

static inline const u32 *tapir_unwind_places(const struct tapir_unwind_table *t)
{
	return (const u32 *)(tapir_unwind_lines(t) + t->nlines);
}

static inline const u32 *tapir_unwind_row_rules(const struct tapir_unwind_table *t)
{
	return tapir_unwind_places(t) + t->nrows;
}

static inline const u32 *tapir_unwind_buckets(const struct tapir_unwind_table *t)
{
	return tapir_unwind_row_rules(t) + t->nrows;
}

static inline const char *tapir_unwind_string(const struct tapir_unwind_table *t, u32 at)
{
	return (const char *)(tapir_unwind_buckets(t) + t->nbuckets + 1) + at;
}

/* Returns the rule for a place, or NULL. */
const struct tapir_unwind_rule *tapir_unwind_find_rule(const struct tapir_unwind_table *t, u32 place);

#ifdef __cplusplus
}
#endif

#endif
