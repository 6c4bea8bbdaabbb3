// SPDX-License-Identifier: GPL-2.0-or-later
/* Doubles to decimal and back. */
#include <tapir/string.h>
#include "fp_internal.h"

/* ---- to text: exact, in words of 32 bits, the least significant first ---- */

#define WORDS 36 /* 2^1024 and 2^-1074 need fewer */

struct big {
	u32 word[WORDS];
};

/* significand << shift, which fits. */
static void big_set(struct big *n, u64 significand, u32 shift)
{
	u32 i;

	__builtin_memset(n, 0, sizeof(*n));
	for (i = shift / 32, shift %= 32; significand && i < WORDS; i++) {
		n->word[i] = (u32)(significand << shift);
		significand >>= 32 - shift;
		shift = 0;
	}
}

/* Divides by ten and returns the rest. */
static u32 big_divide(struct big *n)
{
	u64 rest = 0;
	u32 i;

	for (i = WORDS; i-- > 0;) {
		rest = rest << 32 | n->word[i];
		n->word[i] = (u32)(rest / 10);
		rest %= 10;
	}
	return (u32)rest;
}

/* Multiplies by ten and returns what overflows. */
static u32 big_multiply(struct big *n)
{
	u64 carry = 0;
	u32 i;

	for (i = 0; i < WORDS; i++) {
		carry += (u64)n->word[i] * 10;
		n->word[i] = (u32)carry;
		carry >>= 32;
	}
	return (u32)carry;
}

static bool big_is_zero(const struct big *n)
{
	u32 any = 0, i;

	for (i = 0; i < WORDS; i++)
		any |= n->word[i];
	return !any;
}

/* A fraction of 2^1152 compared with one half: -1, 0, 1. */
static int big_compare_half(const struct big *n)
{
	u32 i;

	if (n->word[WORDS - 1] != 0x80000000u)
		return n->word[WORDS - 1] > 0x80000000u ? 1 : -1;
	for (i = 0; i < WORDS - 1; i++) {
		if (n->word[i])
			return 1;
	}
	return 0;
}

/* Digits of the whole part, cut at room; the first is at dst[0]. Returns how many there are; at most 309. */
static u32 put_whole(char *dst, u32 room, u64 significand, s32 exponent)
{
	char digits[312];
	struct big n;
	u32 length = 0, i;

	if (exponent >= 0)
		big_set(&n, significand, (u32)exponent);
	else
		big_set(&n, exponent > -64 ? significand >> -exponent : 0, 0);
	do {
		digits[length++] = (char)('0' + big_divide(&n));
	} while (!big_is_zero(&n));
	for (i = 0; i < length && i < room; i++)
		dst[i] = digits[length - 1 - i];
	return length;
}

/* Adds one to the last place of the decimal number dst[0 .. length). True: the carry wants a new first digit. */
static bool increment(char *dst, u32 length)
{
	while (length-- > 0) {
		if (dst[length] == '.')
			continue;
		if (dst[length] != '9') {
			dst[length]++;
			return false;
		}
		dst[length] = '0';
	}
	return true;
}

static void put_special(char *dst, u64 a, u32 cap)
{
	const char *text = fp_is_nan(a) ? "nan" : a & FP_SIGN ? "-inf" : "inf";

	tapir_str_copy(dst, text, cap);
}

/* Writes the digits behind the point; rounding may change those in front of it, too. Returns the new length. */
static u32 put_fraction(char *dst, u32 start, u32 length, u32 room, u64 significand, s32 exponent, u32 precision)
{
	struct big n;
	int half;
	bool odd;

	/* The fraction in units of 2^-1152; the whole part falls out at the top. */
	if (exponent >= 0)
		big_set(&n, 0, 0);
	else if (exponent > -64)
		big_set(&n, significand & ((1ull << -exponent) - 1), (u32)(WORDS * 32 + exponent));
	else
		big_set(&n, significand, (u32)(WORDS * 32 + exponent));
	if (precision && length < room)
		dst[length++] = '.';
	while (precision && length < room) {
		dst[length++] = (char)('0' + big_multiply(&n));
		precision--;
	}
	half = big_compare_half(&n);
	odd = dst[length - 1] != '.' && (dst[length - 1] - '0') & 1;
	if ((half > 0 || (half == 0 && odd)) && increment(dst + start, length - start)) {
		if (length == room)
			length--;
		__builtin_memmove(dst + start + 1, dst + start, length - start);
		dst[start] = '1';
		length++;
	}
	return length;
}

void tapir_fp_to_string(char *dst, s64 number, s64 precision, u32 cap)
{
	u64 a = (u64)number, significand = a & FP_FRACTION;
	s32 exponent = (s32)(a >> 52 & 2047);
	u32 start = 0, whole, length, room = cap - 1;

	if (exponent == 2047) {
		put_special(dst, a, cap);
		return;
	}
	if (exponent)
		significand |= FP_IMPLICIT;
	exponent = (exponent ? exponent : 1) - 1023 - 52;
	if (precision < 0)
		precision = 0;
	if (precision > room)
		precision = room;
	if (a & FP_SIGN && room)
		dst[start++] = '-';
	whole = put_whole(dst + start, room - start, significand, exponent);
	if (start + whole + (precision ? 1 + (u32)precision : 0) > room)
		tapir_count_cut(TAPIR_CUT_STRING, cap);
	length = start + (whole < room - start ? whole : room - start);
	if (length > start && length < room)
		length = put_fraction(dst, start, length, room, significand, exponent, (u32)precision);
	dst[length] = 0;
}

/* ---- from text ---- */

/* mantissa * 2^exponent; the mantissa's top bit is set. */
struct wide {
	tapir_u128 mantissa;
	s32 exponent;
};

static void wide_normalize(struct wide *w)
{
	u64 high = (u64)(w->mantissa >> 64);
	u32 shift = high ? (u32)__builtin_clzll(high) : 64 + (u32)__builtin_clzll((u64)w->mantissa);

	w->mantissa <<= shift;
	w->exponent -= (s32)shift;
}

static void wide_multiply(struct wide *w)
{
	w->mantissa = (w->mantissa >> 4) * 10;
	w->exponent += 4;
	wide_normalize(w);
}

/* A compiler would call a library for the division of 128 bits. */
static void wide_divide(struct wide *w)
{
	u64 high = (u64)(w->mantissa >> 64), low = (u64)w->mantissa, part;
	u64 rest = high % 10;
	tapir_u128 quotient = (tapir_u128)(high / 10) << 64;

	part = rest << 32 | low >> 32;
	quotient |= (tapir_u128)(part / 10) << 32;
	part = part % 10 << 32 | (low & 0xffffffffu);
	quotient |= part / 10;
	w->mantissa = quotient;
	wide_normalize(w);
}

static s64 wide_pack(const struct wide *w, u64 sign)
{
	u64 significand = (u64)(w->mantissa >> 65);

	if (w->mantissa << 63)
		significand |= 1;
	return (s64)tapir_fp_pack(sign, w->exponent + 127 + 1023, significand);
}

static bool is_digit(char ch)
{
	return ch >= '0' && ch <= '9';
}

/* Returns true if s starts with the lower-case word, in either case. */
static bool starts_with(const char *s, const char *word)
{
	for (; *word; s++, word++) {
		if ((*s | 0x20) != *word)
			return false;
	}
	return true;
}

/* Digits with a point, collected as far as they fit; *power counts the decimal places. Returns the rest; NULL without digits. */
static const char *read_digits(const char *s, tapir_u128 *number, s32 *power)
{
	bool point = false, any = false;

	for (; is_digit(*s) || (*s == '.' && !point); s++) {
		if (*s == '.') {
			point = true;
			continue;
		}
		any = true;
		if (*number < (tapir_u128)1 << 123) { /* times ten still fits */
			*number = *number * 10 + (u32)(*s - '0');
			*power -= point;
		} else {
			*power += !point;
		}
	}
	return any ? s : NULL;
}

static s32 read_exponent(const char *s)
{
	bool negative;
	s32 n = 0;

	if ((*s | 0x20) != 'e')
		return 0;
	negative = *++s == '-';
	if (*s == '-' || *s == '+')
		s++;
	for (; is_digit(*s); s++) {
		if (n < 100000)
			n = n * 10 + (*s - '0');
	}
	return negative ? -n : n;
}

s64 tapir_fp_from_string(const char *s, u32 cap)
{
	u64 sign = 0;
	struct wide w;
	s32 power = 0;

	(void)cap; /* the terminator ends every loop */
	while (*s == ' ' || (*s >= '\t' && *s <= '\r'))
		s++;
	if (*s == '-' || *s == '+')
		sign = *s++ == '-' ? FP_SIGN : 0;
	if (starts_with(s, "inf"))
		return (s64)(sign | FP_INFINITY);
	if (starts_with(s, "nan"))
		return (s64)(sign | FP_NAN);
	w.mantissa = 0;
	w.exponent = 0;
	s = read_digits(s, &w.mantissa, &power);
	if (!s || !w.mantissa)
		return (s64)(s ? sign : 0);
	power += read_exponent(s);
	if (power > 400)
		return (s64)(sign | FP_INFINITY);
	if (power < -400)
		return (s64)sign;
	wide_normalize(&w);
	for (; power > 0; power--)
		wide_multiply(&w);
	for (; power < 0; power++)
		wide_divide(&w);
	return wide_pack(&w, sign);
}
