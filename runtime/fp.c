// SPDX-License-Identifier: GPL-2.0-or-later
/* Arithmetic on doubles without an FPU. */
#include "fp_internal.h"

u64 tapir_fp_pack(u64 sign, s32 exponent, u64 significand)
{
	u64 rest;

	if (exponent > 2046)
		return sign | FP_INFINITY;
	if (exponent < 1) {
		significand = fp_shift_jam(significand, (u32)(1 - exponent));
		exponent = 0;
	}
	rest = significand & 1023;
	significand = (significand + 512) >> 10;
	if (rest == 512)
		significand &= ~1ull;
	/* The implicit bit, if it is there or rounding made it, counts the exponent up by one: to infinity if need be. */
	return sign | (((u64)(exponent ? exponent - 1 : 0) << 52) + significand);
}

/* As tapir_fp_pack, of any significand but 0. */
static u64 normalize(u64 sign, s32 exponent, u64 significand)
{
	s32 shift = __builtin_clzll(significand) - 1;

	if (shift < 0)
		return tapir_fp_pack(sign, exponent + 1, fp_shift_jam(significand, 1));
	return tapir_fp_pack(sign, exponent - shift, significand << shift);
}

static inline u64 quiet(u64 a, u64 b)
{
	return (fp_is_nan(a) ? a : b) | 1ull << 51;
}

/* ---- conversions ---- */

s64 tapir_fp_from_long(s64 n)
{
	u64 sign = n < 0 ? FP_SIGN : 0;
	u64 magnitude = n < 0 ? 0 - (u64)n : (u64)n;

	return n ? (s64)normalize(sign, 1023 + 62, magnitude) : 0;
}

s64 tapir_fp_from_single(s64 bits)
{
	u64 sign = ((u64)bits >> 31 & 1) << 63;
	u64 fraction = (u64)bits & 0x7fffff;
	s32 exponent = (s32)((u64)bits >> 23 & 255);

	if (exponent == 255)
		return (s64)(sign | FP_INFINITY | fraction << 29 | (fraction ? 1ull << 51 : 0));
	if (exponent)
		return (s64)(sign | (u64)(exponent - 127 + 1023) << 52 | fraction << 29);
	return (s64)(fraction ? normalize(sign, 1 - 127 + 1023, fraction << 39) : sign);
}

static bool rounds_up(s64 rounding, bool negative, bool odd, u64 rest, u64 half)
{
	switch (rounding) {
	case TAPIR_FP_TOWARD_ZERO:
		return false;
	case TAPIR_FP_DOWN:
		return negative && rest;
	case TAPIR_FP_UP:
		return !negative && rest;
	case TAPIR_FP_ODD:
		return rest && !odd;
	case TAPIR_FP_NEAREST_AWAY:
		return rest >= half;
	default:
		return rest > half || (rest == half && odd);
	}
}

s64 tapir_fp_to_long(s64 number, s64 rounding)
{
	const u64 most = ~0ull >> 1;
	u64 a = (u64)number, whole, rest, significand;
	bool negative = a >> 63;
	s32 exponent;

	if (fp_is_nan(a))
		return (s64)FP_SIGN;
	if (fp_is_zero(a))
		return 0;
	significand = fp_unpack(a, &exponent);
	exponent -= 1023 + 52;
	if (exponent > 11) /* 2^63 and more, or infinite */
		return negative ? (s64)FP_SIGN : (s64)most;
	if (exponent >= 0) {
		whole = significand << exponent;
	} else {
		/* The part behind the point, in units of 2^-62. */
		whole = exponent > -64 ? significand >> -exponent : 0;
		rest = exponent > -62 ? significand << (62 + exponent) : fp_shift_jam(significand, (u32)(-exponent - 62));
		rest &= (1ull << 62) - 1;
		whole += rounds_up(rounding, negative, whole & 1, rest, 1ull << 61);
	}
	if (negative)
		return whole > most ? (s64)FP_SIGN : -(s64)whole;
	return whole > most ? (s64)most : (s64)whole;
}

/* ---- arithmetic ---- */

static u64 add_finite(u64 a, u64 b)
{
	s32 ea = (s32)(a >> 52 & 2047), eb = (s32)(b >> 52 & 2047);
	u64 x = ((a & FP_FRACTION) | (ea ? FP_IMPLICIT : 0)) << 10;
	u64 y = ((b & FP_FRACTION) | (eb ? FP_IMPLICIT : 0)) << 10;
	u64 sign = a & FP_SIGN;

	ea += !ea;
	eb += !eb;
	y = fp_shift_jam(y, (u32)(ea - eb));
	if ((a ^ b) & FP_SIGN) {
		x -= y;
		if (!x)
			return 0;
	} else {
		x += y;
		if (!x)
			return sign;
	}
	return normalize(sign, ea, x);
}

s64 tapir_fp_add(s64 first, s64 second)
{
	u64 a = (u64)first, b = (u64)second;

	if (fp_is_nan(a) || fp_is_nan(b))
		return (s64)quiet(a, b);
	if (fp_is_infinite(a))
		return fp_is_infinite(b) && a != b ? (s64)FP_NAN : first;
	if (fp_is_infinite(b))
		return second;
	if ((a & ~FP_SIGN) < (b & ~FP_SIGN))
		return (s64)add_finite(b, a);
	return (s64)add_finite(a, b);
}

s64 tapir_fp_sub(s64 a, s64 b)
{
	return tapir_fp_add(a, fp_is_nan((u64)b) ? b : (s64)((u64)b ^ FP_SIGN));
}

s64 tapir_fp_mul(s64 first, s64 second)
{
	u64 a = (u64)first, b = (u64)second, sign = (a ^ b) & FP_SIGN, high;
	tapir_u128 product;
	s32 ea, eb;

	if (fp_is_nan(a) || fp_is_nan(b))
		return (s64)quiet(a, b);
	if (fp_is_infinite(a) || fp_is_infinite(b))
		return (s64)(fp_is_zero(a) || fp_is_zero(b) ? FP_NAN : sign | FP_INFINITY);
	if (fp_is_zero(a) || fp_is_zero(b))
		return (s64)sign;
	a = fp_unpack(a, &ea);
	b = fp_unpack(b, &eb);
	product = (tapir_u128)(a << 10) * (b << 11);
	high = (u64)(product >> 64) | ((u64)product != 0);
	/* high is the product of two numbers in [1, 2) in units of 2^-61 */
	return (s64)normalize(sign, ea + eb - 1023 + 1, high);
}

s64 tapir_fp_div(s64 first, s64 second)
{
	u64 a = (u64)first, b = (u64)second, sign = (a ^ b) & FP_SIGN, quotient = 0;
	s32 ea, eb;
	u32 i;

	if (fp_is_nan(a) || fp_is_nan(b))
		return (s64)quiet(a, b);
	if (fp_is_infinite(a))
		return (s64)(fp_is_infinite(b) ? FP_NAN : sign | FP_INFINITY);
	if (fp_is_zero(b))
		return (s64)(fp_is_zero(a) ? FP_NAN : sign | FP_INFINITY);
	if (fp_is_infinite(b) || fp_is_zero(a))
		return (s64)sign;
	a = fp_unpack(a, &ea);
	b = fp_unpack(b, &eb);
	for (i = 0; i < 63; i++) {
		quotient <<= 1;
		if (a >= b) {
			a -= b;
			quotient |= 1;
		}
		a <<= 1;
	}
	return (s64)normalize(sign, ea - eb + 1023, quotient | (a != 0));
}

static u64 remainder_finite(u64 a, u64 b)
{
	u64 sign = a & FP_SIGN, x, y;
	bool odd = false;
	s32 ea, eb;

	x = fp_unpack(a, &ea);
	y = fp_unpack(b, &eb);
	if (ea < eb - 1)
		return a;
	if (ea < eb) {
		/* x counts half of what y counts: the remainder is a, or a - b if that is nearer. */
		if (x <= y)
			return a;
		return normalize(sign ^ FP_SIGN, ea + 10, 2 * y - x);
	}
	for (;; ea--) {
		odd = x >= y;
		if (odd)
			x -= y;
		if (ea == eb)
			break;
		x <<= 1;
	}
	if (2 * x > y || (2 * x == y && odd)) {
		x = y - x;
		sign ^= FP_SIGN;
	}
	return x ? normalize(sign, eb + 10, x) : a & FP_SIGN;
}

s64 tapir_fp_rem(s64 first, s64 second)
{
	u64 a = (u64)first, b = (u64)second;

	if (fp_is_nan(a) || fp_is_nan(b))
		return (s64)quiet(a, b);
	if (fp_is_infinite(a) || fp_is_zero(b))
		return (s64)FP_NAN;
	if (fp_is_zero(a) || fp_is_infinite(b))
		return first;
	return (s64)remainder_finite(a, b);
}

s64 tapir_fp_sqrt(s64 number)
{
	u64 a = (u64)number, root = 0, bit;
	tapir_u128 square;
	s32 exponent;

	if (fp_is_nan(a))
		return (s64)quiet(a, a);
	if (fp_is_zero(a) || a == FP_INFINITY)
		return number;
	if (a & FP_SIGN)
		return (s64)FP_NAN;
	a = fp_unpack(a, &exponent);
	exponent -= 1023;
	/* a * 2^72 or 2^73 is in [2^124, 2^126), its root in [2^62, 2^63). */
	square = (tapir_u128)a << (exponent & 1 ? 73 : 72);
	for (bit = 1ull << 62; bit; bit >>= 1) {
		if ((tapir_u128)(root | bit) * (root | bit) <= square)
			root |= bit;
	}
	return (s64)tapir_fp_pack(0, (exponent >> 1) + 1023, root | ((tapir_u128)root * root != square));
}

/* ---- comparison ---- */

s64 tapir_fp_eq(s64 a, s64 b)
{
	if (fp_is_nan((u64)a) || fp_is_nan((u64)b))
		return 0;
	return a == b || (fp_is_zero((u64)a) && fp_is_zero((u64)b));
}

s64 tapir_fp_lt(s64 a, s64 b)
{
	if (fp_is_nan((u64)a) || fp_is_nan((u64)b) || tapir_fp_eq(a, b))
		return 0;
	if ((a ^ b) < 0)
		return a < 0;
	return a < 0 ? a > b : a < b;
}

s64 tapir_fp_le(s64 a, s64 b)
{
	return tapir_fp_lt(a, b) || tapir_fp_eq(a, b);
}
