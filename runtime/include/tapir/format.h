/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Printing. Formats are parsed by the translator; the runtime walks tables. */
#ifndef TAPIR_FORMAT_H
#define TAPIR_FORMAT_H

#include <tapir/context.h>
#include <tapir/map.h>

enum tapir_conv {
	TAPIR_CONV_LITERAL,
	TAPIR_CONV_DECIMAL,
	TAPIR_CONV_UNSIGNED,
	TAPIR_CONV_HEX,
	TAPIR_CONV_HEX_UPPER,
	TAPIR_CONV_OCTAL,
	TAPIR_CONV_POINTER,
	TAPIR_CONV_STRING,
	TAPIR_CONV_CHAR,
	TAPIR_CONV_BINARY,
	TAPIR_CONV_MEMORY,
	TAPIR_CONV_MEMORY_HEX,
};
#define TAPIR_FMT_ZERO		(1u << 0)
#define TAPIR_FMT_PLUS		(1u << 1)
#define TAPIR_FMT_LEFT		(1u << 2)
#define TAPIR_FMT_SPACE		(1u << 3)
#define TAPIR_FMT_ALTERNATE	(1u << 4)
#define TAPIR_FMT_WIDTH_ARG	(1u << 5) /* the width is the next argument (before a precision, before the value) */
#define TAPIR_FMT_PRECISION_ARG (1u << 6)
#define TAPIR_FMT_UNSET		(-1)

struct tapir_fmt {
	u8 conv; /* enum tapir_conv */
	u8 flags;
	s32 width, precision; /* TAPIR_FMT_UNSET when absent */
	const char *literal;  /* LITERAL: bytes, may contain NUL */
	u32 literal_len;
};

/* Appends to the handler's output. Errors (memory dumps) are raised at `site`. */
void tapir_printf(struct tapir_ctx *c, const struct tapir_fmt *fmt, u32 nfmt, const union tapir_val *args,
		  const struct tapir_site *site);
/* Into a string buffer, cut at cap - 1. Arguments may point into dst only if dst is not also an argument. */
void tapir_sprintf(struct tapir_ctx *c, char *dst, u32 cap, const struct tapir_fmt *fmt, u32 nfmt, const union tapir_val *args,
		   const struct tapir_site *site);
void tapir_print_string(struct tapir_ctx *c, const char *s);
void tapir_print_long(struct tapir_ctx *c, s64 n);
void tapir_print_bytes(struct tapir_ctx *c, const void *p, u32 len);
/* STAP_PRINTF of embedded C: printf of C without floating point and %n. */
void tapir_outf(struct tapir_ctx *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* End of handler: everything printed becomes records. Called by the runtime, not by emitted code. */
void tapir_output_flush(struct tapir_ctx *c);

/* warn(), and the runtime's own warnings; text without newline. */
void tapir_warn(struct tapir_ctx *c, const char *text);
void tapir_warnf(struct tapir_ctx *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
