// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs the automata of regular expressions. */
#include <tapir/context.h>
#include <tapir/regex.h>
#include <tapir/string.h>
#include <tapir/work.h>

/* So many bytes are matched before they are added to the handler's work. */
#define BYTES_AT_ONCE 64u

/* Before the byte at `at`. Returns false if the handler's time is over; without a context there is no limit. */
static inline bool goes_on(struct tapir_ctx *c, u32 at, u32 each)
{
	return TAPIR_LIKELY(at % BYTES_AT_ONCE != BYTES_AT_ONCE - 1) || !c || tapir_work(c, BYTES_AT_ONCE * (u64)each);
}

/* Behind the last byte. */
static inline void add_rest(struct tapir_ctx *c, u32 at, u32 each)
{
	if (c)
		tapir_work_add(c, at % BYTES_AT_ONCE * (u64)each);
}

static inline u32 source(const u32 *registers, u8 from, u32 here)
{
	if (from == TAPIR_REGEX_FROM_HERE)
		return here;
	return from == TAPIR_REGEX_FROM_UNSET ? TAPIR_REGEX_UNSET : registers[from];
}

static inline void run_ops(const struct tapir_regex_op *op, const u32 *registers, u32 *to, u32 here)
{
	for (; op->to != TAPIR_REGEX_END; op++)
		to[op->to] = source(registers, op->from, here);
}

static void record(const struct tapir_regex *re, u16 list, const u32 *registers, u32 here, struct tapir_regex_match *match)
{
	u32 i;

	match->ngroups = re->ngroups;
	for (i = 0; i < 2u * re->ngroups; i++)
		match->offset[i] = TAPIR_REGEX_UNSET;
	run_ops(&re->ops[list], registers, match->offset, here);
}

/* Without groups the first accepting state decides. */
static inline bool matches_somewhere(struct tapir_ctx *c, const struct tapir_regex *re, const char *subject, u32 cap)
{
	/* The compiler could not know that a look leaves these as they are. */
	const u16 *accept = re->accept, *next = re->next;
	const u8 *classes = re->classes;
	u32 nclasses = re->nclasses, state = re->start, at;
	bool accepted = false;

	for (at = 0; state != TAPIR_REGEX_DEAD && goes_on(c, at, TAPIR_WORK_BYTE_MATCHED); at++) {
		accepted = accept[state] != TAPIR_REGEX_NO;
		if (accepted)
			break;
		if (at + 1 >= cap || !subject[at]) {
			accepted = re->accept_end[state] != TAPIR_REGEX_NO;
			break;
		}
		state = next[state * nclasses + classes[(u8)subject[at]]];
	}
	add_rest(c, at, TAPIR_WORK_BYTE_MATCHED);
	return accepted;
}

static bool matches_groups(struct tapir_ctx *c, const struct tapir_regex *re, const char *subject, u32 cap,
			   struct tapir_regex_match *match)
{
	u32 registers[TAPIR_REGEX_REGISTERS];
	u32 state = re->start, at, i;

	match->ngroups = 0;
	for (i = 0; i < re->nregisters; i++)
		registers[i] = TAPIR_REGEX_UNSET;
	for (at = 0; state != TAPIR_REGEX_DEAD; at++) {
		u32 edge;

		if (!goes_on(c, at, TAPIR_WORK_BYTE_GROUPED)) {
			match->ngroups = 0;
			break;
		}
		if (re->accept[state] != TAPIR_REGEX_NO)
			record(re, re->accept[state], registers, at, match);
		if (at + 1 >= cap || !subject[at]) {
			if (re->accept_end[state] != TAPIR_REGEX_NO)
				record(re, re->accept_end[state], registers, at, match);
			break;
		}
		edge = state * re->nclasses + re->classes[(u8)subject[at]];
		run_ops(&re->ops[re->edge_ops[edge]], registers, registers, at);
		state = re->next[edge];
	}
	add_rest(c, at, TAPIR_WORK_BYTE_GROUPED);
	return match->ngroups != 0;
}

static bool matches(struct tapir_ctx *c, const struct tapir_regex *re, const char *subject, u32 cap,
		    struct tapir_regex_match *match)
{
	return match && re->ngroups ? matches_groups(c, re, subject, cap, match) : matches_somewhere(c, re, subject, cap);
}

bool tapir_regex_matches(const struct tapir_regex *re, const char *subject, u32 cap, struct tapir_regex_match *match)
{
	return matches(NULL, re, subject, cap, match);
}

bool tapir_regex_test(struct tapir_ctx *c, const struct tapir_regex *re, const char *subject, u32 cap)
{
	return matches(c, re, subject, cap, NULL);
}

bool tapir_regex_search(struct tapir_ctx *c, const struct tapir_regex *re, const char *subject, u32 cap)
{
	struct tapir_regex_last *last = tapir_last_match(c);

	if (!matches(c, re, subject, cap, &last->match))
		return false;
	tapir_str_copy(last->subject, subject, cap);
	return true;
}

void tapir_regex_group(struct tapir_ctx *c, char *dst, u32 cap, const char *subject, const struct tapir_regex_match *match, s64 n,
		       const struct tapir_site *site)
{
	u32 from, length;

	dst[0] = 0;
	if (!match->ngroups) {
		tapir_errorf(c, site, "Attempted to get subexpression %lld from failed match", (long long)n);
		return;
	}
	if (n < 0 || n >= match->ngroups) {
		tapir_errorf(c, site, "Attempted to get nonexistent subexpression %lld", (long long)n);
		return;
	}
	from = match->offset[2 * n];
	if (from == TAPIR_REGEX_UNSET || match->offset[2 * n + 1] == TAPIR_REGEX_UNSET)
		return;
	length = match->offset[2 * n + 1] - from;
	if (length > cap - 1)
		length = cap - 1;
	__builtin_memcpy(dst, subject + from, length);
	dst[length] = 0;
}
