/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Estimated cost of operations, in ns: at least their time on a slow processor that needs 1 ns for an instruction. An operation
 * that costs more than a statement may adds its work where it loops. The translator's table (translator/ir/reckon.cc) has the costs
 * that are the same each time. After TAPIR_WORK_AT_ONCE of it, a handler looks at the clock.
 */
#ifndef TAPIR_WORK_H
#define TAPIR_WORK_H

#include <tapir/context.h>

#define TAPIR_WORK_AT_ONCE 50000 /* between two looks */
#define TAPIR_UNIT_NS	   800	 /* a statement that is a unit: 10,000 of them are less than the default limit */
#define TAPIR_SPARE_NS	   200	 /* one that is not a unit */
#define TAPIR_WORK_CAUTION 2	 /* estimates are mostly that many times the actual time */

enum tapir_work_of {
	TAPIR_WORK_ELEMENT = 50,       /* of an array that is walked, sorted or copied */
	TAPIR_WORK_LINKED = 22,	       /* that is noted, copied without strings, or linked by a part of its key */
	TAPIR_WORK_KERNEL_WALK = 2000, /* the kernel's stack, and one of its frames */
	TAPIR_WORK_KERNEL_FRAME = 800,
	TAPIR_WORK_WAIT = 1000,	     /* where a thread waits */
	TAPIR_WORK_USER_WALK = 2500, /* a program's */
	TAPIR_WORK_USER_FRAME = 1200,
	TAPIR_WORK_KERNEL_SYMBOL = 5000, /* of the kernel proper; of a module, whose table has no order */
	TAPIR_WORK_MODULE_SYMBOL = 100000,
	TAPIR_WORK_USER_SYMBOL = 1500,
	TAPIR_WORK_MAPPING = 300,    /* of a process that is looked at */
	TAPIR_WORK_STACK_FRAME = 60, /* of a stack that is kept as a value, to find it */
	TAPIR_WORK_TEXT_FRAME = 300, /* of one that becomes a text */
	TAPIR_WORK_PROCESSOR = 60,   /* whose part of a statistic is added, besides the words of the part */
	TAPIR_WORK_WORD = 5,
	TAPIR_WORK_VARIANCE = 3000,   /* computed */
	TAPIR_WORK_COUNTER = 10,      /* of a percentile */
	TAPIR_WORK_ROW = 2500,	      /* of a histogram */
	TAPIR_WORK_DIGIT = 700,	      /* of a number with fractions */
	TAPIR_WORK_PATH_STEP = 600,   /* a name of a path */
	TAPIR_WORK_BYTE = 12,	      /* of a text that is copied, compared or printed */
	TAPIR_WORK_BYTE_WRITTEN = 14, /* that is put together one by one */
	TAPIR_WORK_BYTE_MATCHED = 25, /* by a regular expression, without groups and with */
	TAPIR_WORK_BYTE_GROUPED = 400,
	TAPIR_WORK_BYTE_LOOKED = 55, /* that is searched, escaped or decoded */
	TAPIR_WORK_BYTE_READ = 150,  /* that is read by itself, where it may fault */
	TAPIR_WORK_READ = 400,	     /* of memory that may fault */
};

/* Adds to the handler's work. Returns false if its time is over, which is its error now, or if it had an error. */
static inline bool tapir_work(struct tapir_ctx *c, u64 ns)
{
	c->work -= (s64)ns;
	return TAPIR_LIKELY(c->work >= 0) || !tapir_work_spent(c, NULL);
}

/* Like tapir_work(), without a look: the next one does that. */
static inline void tapir_work_add(struct tapir_ctx *c, u64 ns)
{
	c->work -= (s64)ns;
}

/* A string was gone through, which may be long. */
void tapir_work_add_text(struct tapir_ctx *c, const char *text);
/* As tapir_work(), `ns` for each byte of a string. */
bool tapir_work_text(struct tapir_ctx *c, const char *text, u32 ns);

#endif
