/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many buckets histograms have. Shared by the translator and the runtime. */
#ifndef TAPIR_HIST_SHAPE_H
#define TAPIR_HIST_SHAPE_H

#include <tapir/types.h>

#define TAPIR_HIST_LOG_BUCKETS 128
#define TAPIR_HIST_LOG_ZERO    64u /* the bucket of a logarithmic one that counts 0 */
#define TAPIR_HIST_MIN_BUCKETS 3   /* linear: (high - low) / width + 3 */
#define TAPIR_HIST_MAX_BUCKETS 128

/* Log-linear histograms split each power of ten as llquantize() of DTrace does. */
#define TAPIR_HIST_MAGNITUDE_MAX 18   /* 10^18 <= 2^63 - 1 */
#define TAPIR_HIST_LOGLINEAR_MAX 1024 /* buckets */

static inline u64 tapir_power_of_ten(s64 exponent)
{
	u64 power = 1;

	for (; exponent > 0; exponent--)
		power *= 10;
	return power;
}

/*
 * From 0 to the power of ten that ends a magnitude there are `steps` steps, or as many as there are numbers. A tenth of them
 * belongs to the magnitudes before.
 */
static inline u64 tapir_loglinear_steps(s64 steps, u64 end)
{
	return (u64)steps < end ? (u64)steps : end;
}

/* The buckets of one magnitude. */
static inline u64 tapir_loglinear_buckets(s64 steps, u64 end)
{
	u64 count = tapir_loglinear_steps(steps, end);

	return count - count / 10;
}

/* The buckets of a whole histogram; 3 for a linear one that tapir_stat_check() will refuse. Log-linear ones are valid. */
static inline u64 tapir_linear_buckets(s64 low, s64 high, s64 width)
{
	if (width <= 0 || high < low || ((u64)high - (u64)low) / (u64)width > TAPIR_HIST_MAX_BUCKETS - TAPIR_HIST_MIN_BUCKETS)
		return TAPIR_HIST_MIN_BUCKETS;
	return ((u64)high - (u64)low) / (u64)width + TAPIR_HIST_MIN_BUCKETS;
}

static inline u64 tapir_loglinear_all_buckets(s64 low, s64 high, s64 steps)
{
	u64 count = 2; /* what is below and beyond */
	s64 magnitude;

	for (magnitude = low; magnitude <= high; magnitude++)
		count += tapir_loglinear_buckets(steps, tapir_power_of_ten(magnitude + 1));
	return count;
}

#endif
