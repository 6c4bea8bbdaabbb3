/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by fp*.c: doubles taken apart and put together. */
#ifndef TAPIR_FP_INTERNAL_H
#define TAPIR_FP_INTERNAL_H

#include <tapir/fp.h>

typedef unsigned __int128 tapir_u128;

#define FP_SIGN	    (1ull << 63)
#define FP_INFINITY (2047ull << 52)
#define FP_NAN	    (FP_INFINITY | 1ull << 51)
#define FP_FRACTION ((1ull << 52) - 1)
#define FP_IMPLICIT (1ull << 52)

static inline bool fp_is_nan(u64 a)
{
	return (a & ~FP_SIGN) > FP_INFINITY;
}

static inline bool fp_is_infinite(u64 a)
{
	return (a & ~FP_SIGN) == FP_INFINITY;
}

static inline bool fp_is_zero(u64 a)
{
	return (a & ~FP_SIGN) == 0;
}

/* Shifts right; any bit that falls out sets the lowest bit. */
static inline u64 fp_shift_jam(u64 n, u32 by)
{
	if (by == 0)
		return n;
	if (by > 63)
		return n != 0;
	return n >> by | ((n << (64 - by)) != 0);
}

/* A finite number that is not zero: significand with bit 52 set, and its biased exponent (below 1 for a subnormal). */
static inline u64 fp_unpack(u64 a, s32 *exponent)
{
	u64 fraction = a & FP_FRACTION;
	s32 e = (s32)(a >> 52 & 2047);
	u32 shift;

	if (e) {
		*exponent = e;
		return fraction | FP_IMPLICIT;
	}
	shift = (u32)__builtin_clzll(fraction) - 11;
	*exponent = 1 - (s32)shift;
	return fraction << shift;
}

/* Rounds and packs significand * 2^(exponent - 1023 - 62); bit 62 of the significand is set, bit 63 is not. */
u64 tapir_fp_pack(u64 sign, s32 exponent, u64 significand);

#endif
