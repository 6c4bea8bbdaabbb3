/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IEEE-754 double precision in integers: kernel code must not touch the FPU. Numbers are the bit patterns of doubles. Results are
 * rounded to nearest, ties to even, subnormals included; NaNs that come out are quiet. Any context; bounded.
 */
#ifndef TAPIR_FP_H
#define TAPIR_FP_H

#include <tapir/types.h>

enum tapir_fp_rounding {
	TAPIR_FP_NEAREST_EVEN,
	TAPIR_FP_TOWARD_ZERO,
	TAPIR_FP_DOWN,
	TAPIR_FP_UP,
	TAPIR_FP_NEAREST_AWAY, /* ties away from zero */
	TAPIR_FP_ODD = 6,      /* inexact results go to the odd neighbour */
};

s64 tapir_fp_from_long(s64 n);
s64 tapir_fp_from_single(s64 bits); /* the low 32 bits: a float's pattern */
/* Saturates; NaN becomes the smallest number. An unknown rounding counts as nearest even. */
s64 tapir_fp_to_long(s64 a, s64 rounding);

s64 tapir_fp_add(s64 a, s64 b);
s64 tapir_fp_sub(s64 a, s64 b);
s64 tapir_fp_mul(s64 a, s64 b);
s64 tapir_fp_div(s64 a, s64 b);
s64 tapir_fp_rem(s64 a, s64 b); /* a - n * b with n the integer nearest to a / b, ties to even */
s64 tapir_fp_sqrt(s64 a);

/* 0 or 1; 0 when one of them is NaN. */
s64 tapir_fp_eq(s64 a, s64 b);
s64 tapir_fp_lt(s64 a, s64 b);
s64 tapir_fp_le(s64 a, s64 b);

/* "[-]digits[.precision digits]", exact and then rounded, "inf", "-inf" or "nan"; cut at cap - 1. */
void tapir_fp_to_string(char *dst, s64 a, s64 precision, u32 cap);
/* Returns the number `s` starts with, after blanks: [sign] digits [. digits] [e [sign] digits], inf or nan; 0 if it starts with no
 * number. Correct to the last bit but for texts within a part in 10^35 of a tie. */
s64 tapir_fp_from_string(const char *s, u32 cap);

#endif
