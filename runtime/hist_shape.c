// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Histograms. Logarithmic: bucket 64 counts 0, bucket 64 + k the values in [2^(k-1), 2^k), bucket 64 - k their negatives. In the
 * others, bucket 0 counts values below, the last one those beyond. Between, buckets of linear ones have `width` values each;
 * log-linear ones split each power of ten from 10^low to 10^high in steps as hist_shape.h says.
 */
#include <tapir/tapir.h>

static u32 log_index(s64 value)
{
	if (value > 0)
		return TAPIR_HIST_LOG_ZERO + 64u - (u32)__builtin_clzll((u64)value);
	if (value < 0)
		return TAPIR_HIST_LOG_ZERO - 64u + (u32)__builtin_clzll(0 - (u64)value);
	return TAPIR_HIST_LOG_ZERO;
}

static u32 linear_index(const struct tapir_hist_desc *hist, s64 value)
{
	u32 last = hist->buckets - 1;
	u64 step;

	if (value < hist->low)
		return 0;
	step = ((u64)value - (u64)hist->low) / (u64)hist->width;
	return step >= last - 1 ? last : (u32)step + 1;
}

static u32 loglinear_index(const struct tapir_hist_desc *hist, s64 value)
{
	u64 start = tapir_power_of_ten(hist->low), end;
	u32 bucket = 1;
	s64 magnitude;

	if (value < (s64)start)
		return 0;
	for (magnitude = hist->low; magnitude <= hist->high; magnitude++, start = end) {
		end = start * 10;
		if ((u64)value < end)
			return bucket + (u32)(((u64)value - start) / (end / tapir_loglinear_steps(hist->width, end)));
		bucket += (u32)tapir_loglinear_buckets(hist->width, end);
	}
	return bucket;
}

u32 tapir_hist_index(const struct tapir_hist_desc *hist, s64 value)
{
	if (hist->type == TAPIR_HIST_LOG)
		return log_index(value);
	return hist->type == TAPIR_HIST_LINEAR ? linear_index(hist, value) : loglinear_index(hist, value);
}

static s64 log_low(u32 bucket)
{
	if (bucket > TAPIR_HIST_LOG_ZERO)
		return (s64)(1ull << (bucket - TAPIR_HIST_LOG_ZERO - 1));
	if (bucket < TAPIR_HIST_LOG_ZERO)
		return (s64)(0 - (1ull << (TAPIR_HIST_LOG_ZERO - 1 - bucket)));
	return 0;
}

static s64 loglinear_low(const struct tapir_hist_desc *hist, u32 bucket)
{
	u64 start = tapir_power_of_ten(hist->low), end;
	u32 left = bucket ? bucket - 1 : 0;
	s64 magnitude;

	for (magnitude = hist->low; magnitude <= hist->high; magnitude++, start = end) {
		u32 count = (u32)tapir_loglinear_buckets(hist->width, start * 10);

		end = start * 10;
		if (left < count)
			return (s64)(start + left * (end / tapir_loglinear_steps(hist->width, end)));
		left -= count;
	}
	return (s64)start;
}

s64 tapir_hist_low(const struct tapir_hist_desc *hist, u32 bucket)
{
	if (hist->type == TAPIR_HIST_LOG)
		return log_low(bucket);
	if (hist->type == TAPIR_HIST_LINEAR)
		return (s64)((u64)hist->low + ((u64)bucket - 1) * (u64)hist->width);
	return loglinear_low(hist, bucket);
}
