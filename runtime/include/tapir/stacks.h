/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks as values. The module keeps each stack once, for as long as it is loaded; scripts store its number. Equal stacks have
 * equal numbers, different ones never: whole stacks are compared. A stack consists of its frames (tapir/unwind.h), the reasons why
 * its walks ended, and its process if some of its code is in no file.
 */
#ifndef TAPIR_STACKS_H
#define TAPIR_STACKS_H

#include <tapir/context.h>
#include <tapir/unwind.h>

#define TAPIR_STACK_EMPTY 0 /* nothing is known of it: no such part, or a limit of no frames */
#define TAPIR_STACK_FULL  1 /* stands for all stacks that found no room */
#define TAPIR_STACK_FIRST 8 /* numbers of stacks that are kept begin here */

/* ---- for handlers; any context ---- */

/* The number of the kernel's stack, the user stack, or both, the kernel's first: at most `limit` frames of each, all for a negative
 * one. The latter two are linked apart. */
s64 tapir_stack_of_kernel(struct tapir_ctx *c, s64 limit);
s64 tapir_stack_of_user(struct tapir_ctx *c, s64 limit);
s64 tapir_stack_of_both(struct tapir_ctx *c, s64 limit);

/* The results of backtrace(), print_syms() and sprint_syms() for a stack (tapir/stack.h). Addresses of user code are those it had
 * in the process that met the stack first. */
void tapir_stack_value_text(struct tapir_ctx *c, s64 number, char *dst, u32 cap);
void tapir_stack_value_print(struct tapir_ctx *c, s64 number);
void tapir_stack_value_lines(struct tapir_ctx *c, s64 number, char *dst, u32 cap);

/* One sample. `label` is "" for none; `frames`: it has frames of an interpreted language (interp_frames()). */
struct tapir_sample {
	const char *label;
	s64 stack, waker, value;
	bool frames;
};

/* Notes the time and the thread of a sample, which is in an array of sums as well. All of these take up to so many megabytes of the
 * memory of stacks, and half of it at most; beyond that none are noted, nor those whose label takes more than 8,190 bytes. */
void tapir_note_sample_time(s64 megabytes, const struct tapir_sample *what);

/* ---- how they are kept ---- */

#define TAPIR_STACK_ROOM	2048	   /* words of one walk: frames, and two for each run of places */
#define TAPIR_STACK_PIECE	(1u << 17) /* words of one piece of memory */
#define TAPIR_STACK_PIECES	1024u
#define TAPIR_STACK_BYTES_LEAST (1ull << 20)
#define TAPIR_STACK_BYTES_MOST	(TAPIR_STACK_PIECES * 8ull * TAPIR_STACK_PIECE)

struct tapir_stack {
	u64 hash; /* of the rest and the frames */
	u16 frames, kernel_frames, runs;
	u8 kernel_end, user_end; /* enum tapir_unwind_end; MORE: the stack has no such part. user_end may have
				  * TAPIR_STACK_UNFINISHED */
	u32 process;		 /* thread group, if a frame of user code is in no file; else 0 */
	u32 owner;		 /* the user of that process, in the initial namespace; 0 without one */
	u32 own, space;		 /* tapir_port_own_pid() of that process */
};

/* The walk continues when a table is there (tapir/unfinished.h); behind the runs is then the number of the stack that it found. */
#define TAPIR_STACK_UNFINISHED 0x80u

/* Its frames, then its runs: see struct tapir_unwind_trace. */
static inline const u64 *tapir_stack_words(const struct tapir_stack *stack)
{
	return (const u64 *)(stack + 1);
}

/* The slots are an open hash of numbers that only grows. Numbers count words over all pieces. */
struct tapir_stacks {
	u64 *slots;	   /* number | upper half of the hash; 0: free */
	u32 nslots;	   /* a power of two */
	u32 npieces, most; /* there are, there may be */
	u64 *pieces[TAPIR_STACK_PIECES];
	u64 used, kept, refused; /* words, stacks, walks that got TAPIR_STACK_FULL */
	u64 largest;		 /* value of a sample, without its sign, of those that are TAPIR_SAMPLE_LARGE */
	u64 times, times_words;	 /* the struct tapir_sample_time that was noted last, 0: none; words of all, and of those refused */
};
extern struct tapir_stacks tapir_stacks;

#define TAPIR_SAMPLE_LARGE (1ull << 40)

/* Notes a value that is so large that sums of such may need more than 64 bits. Others cost a comparison. Any context. */
static inline void tapir_note_sample_value(s64 value)
{
	u64 size = value < 0 ? -(u64)value : (u64)value, old;

	if (TAPIR_LIKELY(size < TAPIR_SAMPLE_LARGE))
		return;
	old = __atomic_load_n(&tapir_stacks.largest, __ATOMIC_RELAXED);
	while (size > old &&
	       !__atomic_compare_exchange_n(&tapir_stacks.largest, &old, size, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* May a sum of so many samples need more than 64 bits? */
static inline bool tapir_samples_overflow(u64 count)
{
	u64 bound;

	return tapir_stacks.largest && (__builtin_mul_overflow(tapir_stacks.largest, count, &bound) || bound > (u64)1 << 63);
}

/* Among the stacks, followed by the label, which ends within a word. */
struct tapir_sample_time {
	u64 before; /* the number of the one that was noted before it, 0: none */
	s64 time;   /* ns since the epoch */
	u32 stack, waker;
	s64 value;
	u32 pid, tid;
	u16 label_bytes, frames;
	u32 cpu;
	char comm[16]; /* of the thread */
};

/* How many slots are right for so many bytes; a power of two. */
u32 tapir_stacks_slots(u64 bytes);
/* The port has another piece, zeroed. One thread at a time. */
void tapir_stacks_add(u64 *piece);
/* There should be another piece. */
bool tapir_stacks_low(void);
/* Where the stack of a number that a slot has is. */
struct tapir_stack *tapir_stack_at(u64 number);
/* Returns the stack that stands for this one: another one that was finished later, or itself. */
const struct tapir_stack *tapir_stack_whole(const struct tapir_stack *stack);
/* Returns the stack of any number, complete if possible. NULL if the number is unknown. */
const struct tapir_stack *tapir_stack_find(u64 number);

/* Bytes of a context's memory for walks (tapir_ctx.stacks): of all stacks, and what user stacks need more. */
extern const u32 tapir_stacks_space, tapir_user_stacks_space;

/* ---- the port's side ---- */

/* A piece should be added soon. Any context. */
void tapir_port_stacks_low(void);
/* The table of an object, NULL: it has none. */
const struct tapir_unwind_table *tapir_port_object_table(u32 object);

#endif
