// SPDX-License-Identifier: GPL-2.0-or-later
/* Formatting of numbers, and of the runtime's own short messages. */
#include <tapir/tapir.h>
#include "session.h"

const char *tapir_digits(char *buffer, u64 n, u32 base, bool upper)
{
	const char *digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
	char *p = buffer + TAPIR_DIGITS_MAX;

	if (base == 10) {
		do {
			*--p = digits[n % 10];
			n /= 10;
		} while (n);
		return p;
	}
	if (base == 8) {
		do {
			*--p = digits[n & 7];
			n >>= 3;
		} while (n);
		return p;
	}
	do {
		*--p = digits[n & 15];
		n >>= 4;
	} while (n);
	return p;
}

struct message {
	char *dst;
	u32 length, cap;
};

static void put(struct message *m, const char *s, u32 length)
{
	u32 room = m->cap - 1 - m->length;

	if (length > room)
		length = room;
	__builtin_memcpy(m->dst + m->length, s, length);
	m->length += length;
}

static u64 next_number(__builtin_va_list *arguments, u32 longs, bool is_signed)
{
	if (longs >= 2)
		return __builtin_va_arg(*arguments, unsigned long long);
	if (longs == 1)
		return is_signed ? (u64) __builtin_va_arg(*arguments, long) : __builtin_va_arg(*arguments, unsigned long);
	return is_signed ? (u64)(s64) __builtin_va_arg(*arguments, int) : __builtin_va_arg(*arguments, unsigned int);
}

static void put_number(struct message *m, u64 n, char conversion)
{
	char buffer[TAPIR_DIGITS_MAX];
	const char *digits;

	if (conversion == 'd' && (s64)n < 0) {
		put(m, "-", 1);
		n = 0 - n;
	}
	digits = tapir_digits(buffer, n, conversion == 'x' ? 16 : 10, false);
	put(m, digits, (u32)(buffer + TAPIR_DIGITS_MAX - digits));
}

u32 tapir_vformat(char *dst, u32 cap, const char *format, __builtin_va_list arguments)
{
	struct message m;
	__builtin_va_list list;

	m.dst = dst;
	m.length = 0;
	m.cap = cap;
	__builtin_va_copy(list, arguments);
	while (*format && m.length < cap - 1) {
		const char *s = format;
		u32 longs = 0;
		char c;

		while (*s && *s != '%')
			s++;
		if (s != format) {
			put(&m, format, (u32)(s - format));
			format = s;
			continue;
		}
		format++;
		for (; *format == 'l'; format++)
			longs++;
		switch (*format) {
		case 's':
			s = __builtin_va_arg(list, const char *);
			put(&m, s, tapir_strlen(s, cap));
			break;
		case 'c':
			c = (char)__builtin_va_arg(list, int);
			put(&m, &c, 1);
			break;
		case 'd':
		case 'u':
		case 'x':
			put_number(&m, next_number(&list, longs, *format == 'd'), *format);
			break;
		default:
			put(&m, format, *format ? 1 : 0);
			break;
		}
		if (*format)
			format++;
	}
	__builtin_va_end(list);
	dst[m.length] = 0;
	return m.length;
}

u32 tapir_format(char *dst, u32 cap, const char *format, ...)
{
	__builtin_va_list arguments;
	u32 length;

	__builtin_va_start(arguments, format);
	length = tapir_vformat(dst, cap, format, arguments);
	__builtin_va_end(arguments);
	return length;
}
