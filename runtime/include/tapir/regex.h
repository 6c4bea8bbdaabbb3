/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Regular expressions, compiled by the translator to deterministic automata with tags: one table look-up per byte, no backtracking,
 * no memory but the registers. An unanchored pattern has its search loop built in; the end of the longest match is known when the
 * automaton has no further transition.
 *
 * A register holds an offset into the subject or TAPIR_REGEX_UNSET. Operations on registers hang on edges, where "here" is the
 * offset of the byte the edge reads, and on accepting states, where it is the offset behind the last byte read and results are
 * written instead.
 */
#ifndef TAPIR_REGEX_H
#define TAPIR_REGEX_H

#include <tapir/context.h>

struct tapir_site;

#define TAPIR_REGEX_REGISTERS  48 /* at most */
#define TAPIR_REGEX_GROUPS     10 /* at most, with the whole match as group 0 */
#define TAPIR_REGEX_UNSET      (~0u)
#define TAPIR_REGEX_DEAD       0       /* the state that is never left and never accepts */
#define TAPIR_REGEX_NO	       0xffffu /* in `accept` and `accept_end` */
#define TAPIR_REGEX_FROM_HERE  0xff
#define TAPIR_REGEX_FROM_UNSET 0xfe
#define TAPIR_REGEX_END	       0xff /* as `to`: ends a list */

struct tapir_regex_op {
	u8 to;	 /* a register; in an accepting state an index into the result: 2 * group, + 1 for its end */
	u8 from; /* a register, or TAPIR_REGEX_FROM_* */
};

struct tapir_regex {
	u16 nstates, nclasses;
	u16 start;			  /* state before the first byte */
	u8 nregisters;			  /* all unset at the start */
	u8 ngroups;			  /* 0: the script does not use positions */
	const u8 *classes;		  /* 256: class of a byte */
	const u16 *next;		  /* [state * nclasses + class] */
	const u16 *edge_ops;		  /* likewise: where in `ops` its list starts; NULL with ngroups 0 */
	const u16 *accept;		  /* per state: TAPIR_REGEX_NO, or where its list starts (anything else with ngroups 0) */
	const u16 *accept_end;		  /* likewise, for the end of the subject: what `$` adds */
	const struct tapir_regex_op *ops; /* lists; operations of one happen in order */
};

struct tapir_regex_match {
	u32 ngroups; /* 0: the last match failed */
	u32 offset[2 * TAPIR_REGEX_GROUPS];
};

/* True if the subject (at most cap - 1 bytes of it) matches. `match` may be NULL, and is not touched if the pattern has ngroups 0.
 */
bool tapir_regex_matches(const struct tapir_regex *re, const char *subject, u32 cap, struct tapir_regex_match *match);

/*
 * The handler's last match, for matched() and ngroups(). A script that calls these has one at the start of its contexts' frame,
 * with room for a string behind it.
 */
struct tapir_regex_last {
	struct tapir_regex_match match;
	char subject[]; /* only valid when match.ngroups is not 0 */
};

static inline struct tapir_regex_last *tapir_last_match(struct tapir_ctx *c)
{
	return (struct tapir_regex_last *)c->frame;
}

/*
 * As tapir_regex_matches without a match, and adds to the work of the handler. Where its time is over, that is its error, and the
 * subject does not match.
 */
bool tapir_regex_test(struct tapir_ctx *c, const struct tapir_regex *re, const char *subject, u32 cap);
/* As tapir_regex_matches, likewise, and remembers the result as the last match. */
bool tapir_regex_search(struct tapir_ctx *c, const struct tapir_regex *re, const char *subject, u32 cap);

/*
 * matched(n): the text of a group of the last match of `subject`, "" for one that took no part. Raises "Attempted to get
 * subexpression N from failed match" or "Attempted to get nonexistent subexpression N". dst is a string buffer, not the subject.
 */
void tapir_regex_group(struct tapir_ctx *c, char *dst, u32 cap, const char *subject, const struct tapir_regex_match *match, s64 n,
		       const struct tapir_site *site);

#endif
