// SPDX-License-Identifier: GPL-2.0-or-later
/* printf of C: the runtime's messages, STAP_ERROR and STAP_PRINTF. */
#include <tapir/tapir.h>
#include "handler.h"
#include "format_internal.h"

enum { LENGTH_CHAR = -2, LENGTH_SHORT, LENGTH_INT, LENGTH_LONG, LENGTH_LONG_LONG };

/* The flag of a character, or 0. */
static u32 flag_of(char ch)
{
	switch (ch) {
	case '0':
		return TAPIR_FMT_ZERO;
	case '+':
		return TAPIR_FMT_PLUS;
	case '-':
		return TAPIR_FMT_LEFT;
	case ' ':
		return TAPIR_FMT_SPACE;
	case '#':
		return TAPIR_FMT_ALTERNATE;
	default:
		return 0;
	}
}

/* A number or a star; returns the rest. */
static const char *read_count(const char *s, s32 *count, __builtin_va_list *arguments)
{
	if (*s == '*') {
		*count = __builtin_va_arg(*arguments, int);
		return s + 1;
	}
	for (*count = 0; *s >= '0' && *s <= '9'; s++) {
		if (*count < TAPIR_OUTPUT_MAX)
			*count = *count * 10 + (*s - '0');
	}
	return s;
}

static const char *read_spec(const char *s, struct tapir_spec *f, int *length, __builtin_va_list *arguments)
{
	f->flags = 0;
	f->precision = TAPIR_FMT_UNSET;
	for (; flag_of(*s); s++)
		f->flags |= flag_of(*s);
	s = read_count(s, &f->width, arguments);
	if (f->width < 0) {
		f->flags |= TAPIR_FMT_LEFT;
		f->width = f->width < -TAPIR_OUTPUT_MAX ? TAPIR_OUTPUT_MAX : -f->width;
	}
	if (f->width > TAPIR_OUTPUT_MAX)
		f->width = TAPIR_OUTPUT_MAX;
	if (*s == '.')
		s = read_count(s + 1, &f->precision, arguments);
	if (f->precision > TAPIR_OUTPUT_MAX)
		f->precision = TAPIR_OUTPUT_MAX;
	for (*length = LENGTH_INT;; s++) {
		if (*s == 'l')
			++*length;
		else if (*s == 'h')
			--*length;
		else if (*s == 'z' || *s == 't')
			*length = LENGTH_LONG;
		else if (*s == 'j')
			*length = LENGTH_LONG_LONG;
		else
			return s;
	}
}

static u64 next_number(__builtin_va_list *arguments, int length, bool is_signed)
{
	u64 n;

	if (length >= LENGTH_LONG_LONG)
		return __builtin_va_arg(*arguments, unsigned long long);
	if (length == LENGTH_LONG)
		return is_signed ? (u64) __builtin_va_arg(*arguments, long) : __builtin_va_arg(*arguments, unsigned long);
	n = is_signed ? (u64)(s64) __builtin_va_arg(*arguments, int) : __builtin_va_arg(*arguments, unsigned int);
	if (length == LENGTH_SHORT)
		return is_signed ? (u64)(s16)n : (u16)n;
	if (length <= LENGTH_CHAR)
		return is_signed ? (u64)(s8)n : (u8)n;
	return n;
}

static u32 conversion_of(char ch)
{
	switch (ch) {
	case 'd':
	case 'i':
		return TAPIR_CONV_DECIMAL;
	case 'u':
		return TAPIR_CONV_UNSIGNED;
	case 'x':
		return TAPIR_CONV_HEX;
	case 'X':
		return TAPIR_CONV_HEX_UPPER;
	case 'o':
		return TAPIR_CONV_OCTAL;
	case 'p':
		return TAPIR_CONV_POINTER;
	case 's':
		return TAPIR_CONV_STRING;
	case 'c':
		return TAPIR_CONV_CHAR;
	default:
		return TAPIR_CONV_LITERAL;
	}
}

/* A string of C may have no NUL behind as many bytes as are shown. */
static void put_string(struct tapir_sink *k, const struct tapir_spec *f, const char *s)
{
	u32 most = f->precision >= 0 ? (u32)f->precision + 1 : TAPIR_OUTPUT_MAX;

	if (!s)
		s = "<NULL>";
	tapir_sink_string(k, f, s, tapir_strlen(s, most));
}

static void convert_argument(struct tapir_sink *k, struct tapir_spec *f, int length, __builtin_va_list *arguments)
{
	switch (f->conv) {
	case TAPIR_CONV_STRING:
		put_string(k, f, __builtin_va_arg(*arguments, const char *));
		break;
	case TAPIR_CONV_CHAR:
		f->flags &= ~TAPIR_FMT_ALTERNATE;
		tapir_sink_char(k, f, __builtin_va_arg(*arguments, int));
		break;
	case TAPIR_CONV_POINTER:
		tapir_sink_number(k, f, (u64)(unsigned long)__builtin_va_arg(*arguments, void *));
		break;
	default:
		tapir_sink_number(k, f, next_number(arguments, length, f->conv == TAPIR_CONV_DECIMAL));
		break;
	}
}

/* An unknown conversion ends the formatting, because its argument's type is unknown; the rest of the format is shown as it is. */
static void format_words(struct tapir_sink *k, const char *format, __builtin_va_list *arguments)
{
	struct tapir_spec f;
	const char *s;
	int length;

	f.site = NULL;
	while (*format) {
		for (s = format; *s && *s != '%'; s++)
			;
		tapir_sink_put(k, format, (u32)(s - format));
		format = s;
		if (!*format)
			return;
		if (format[1] == '%') {
			tapir_sink_put(k, "%", 1);
			format += 2;
			continue;
		}
		s = read_spec(format + 1, &f, &length, arguments);
		f.conv = conversion_of(*s);
		if (f.conv == TAPIR_CONV_LITERAL) {
			tapir_sink_put(k, format, tapir_strlen(format, TAPIR_OUTPUT_MAX));
			return;
		}
		convert_argument(k, &f, length, arguments);
		format = s + 1;
	}
}

u32 tapir_vformat(char *dst, u32 cap, const char *format, __builtin_va_list arguments)
{
	struct tapir_sink k;
	__builtin_va_list list;

	k.c = NULL;
	k.output = false;
	k.dst = dst;
	k.length = 0;
	k.limit = cap - 1;
	k.cut = 1; /* messages have capacities of their own */
	__builtin_va_copy(list, arguments);
	format_words(&k, format, &list);
	__builtin_va_end(list);
	dst[k.length] = 0;
	return k.length;
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

void tapir_outf(struct tapir_ctx *c, const char *format, ...)
{
	struct tapir_sink k;
	__builtin_va_list arguments;

	tapir_output_open(c, &k);
	__builtin_va_start(arguments, format);
	format_words(&k, format, &arguments);
	__builtin_va_end(arguments);
	tapir_output_close(&k);
}

void tapir_warnf(struct tapir_ctx *c, const char *format, ...)
{
	char text[200];
	__builtin_va_list arguments;
	u32 length;

	__builtin_va_start(arguments, format);
	length = tapir_vformat(text, sizeof(text), format, arguments);
	__builtin_va_end(arguments);
	tapir_port_emit(c, TAPIR_REC_WARNING, text, length);
}
