/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory that a script asks for before it runs: its parts are summed up, and the largest is known, before any is allocated. */
#ifndef TAPIR_DEMAND_H
#define TAPIR_DEMAND_H

#include <tapir/types.h>

struct tapir_demand {
	u64 bytes;   /* all, or U64_MAX if that is too large a number */
	u64 largest; /* of one part: */
	const char *what, *name;
	const char *advice; /* how to make that part smaller */
};

/* a * b, or U64_MAX. */
static inline u64 tapir_demand_times(u64 a, u64 b)
{
	u64 product;

	return __builtin_mul_overflow(a, b, &product) ? ~0ull : product;
}

/* a + b, or U64_MAX. */
static inline u64 tapir_demand_plus(u64 a, u64 b)
{
	u64 sum;

	return __builtin_add_overflow(a, b, &sum) ? ~0ull : sum;
}

static inline void tapir_demand_add(struct tapir_demand *demand, u64 bytes, const char *what, const char *name, const char *advice)
{
	demand->bytes = tapir_demand_plus(demand->bytes, bytes);
	if (bytes <= demand->largest)
		return;
	demand->largest = bytes;
	demand->what = what;
	demand->name = name;
	demand->advice = advice;
}

#endif
