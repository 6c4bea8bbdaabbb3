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
