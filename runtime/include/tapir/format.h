/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Printing. Formats are parsed by the translator; the runtime walks tables. */
#ifndef TAPIR_FORMAT_H
#define TAPIR_FORMAT_H

#include <tapir/context.h>
#include <tapir/items.h>
#include <tapir/map.h>

/* Appends to the handler's output. Errors (memory dumps) are raised at `site`. */
void tapir_printf(struct tapir_ctx *c, const struct tapir_fmt *fmt, u32 nfmt, const union tapir_val *args,
		  const struct tapir_site *site);
/* The same text, which the loader makes of what this leaves in the output, if that has room for it. Raises no errors. */
void tapir_print(struct tapir_ctx *c, const struct tapir_item_format *f, const union tapir_val *args);
/*
 * tapir_print() in pieces, which emitted code has inline where the arguments are few: open, the arguments in their order, and
 * close. False: there is no room, or text in front of the item; nothing was appended, and tapir_print() is to do it. `p` is where
 * the item goes on. A word may begin at `end`, but not behind it: what begins there or before leaves room for eight bytes of each
 * argument behind it.
 */
static inline bool tapir_item_open(const struct tapir_ctx *c, u32 number, u32 nargs, char **p, const char **end)
{
	*p = c->out + c->out_len;
	*end = c->out + (TAPIR_OUTPUT_MAX - 8 * nargs);
	if (TAPIR_UNLIKELY(c->out_text || *p + sizeof(u16) > *end))
		return false;
	*(tapir_any16 *)*p = (u16)number;
	*p += sizeof(u16);
	return true;
}

/* Copies a string with its NUL. Returns where the copy ends; NULL: it does not fit. */
char *tapir_item_put_text(char *p, const char *s, const char *end);

static inline bool tapir_item_add_text(char **p, const char *s, const char *end)
{
	*p = tapir_item_put_text(*p, s, end);
	return TAPIR_LIKELY(*p);
}

static inline bool tapir_item_add_number(char **p, s64 n)
{
	*(tapir_any64 *)*p = (u64)n;
	*p += 8;
	return true;
}

static inline bool tapir_item_close(struct tapir_ctx *c, const char *p)
{
	c->out_len = (u32)(p - c->out);
	c->out_items = 1;
	return true;
}

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
