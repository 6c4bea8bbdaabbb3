/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's stack at a hit, and names for addresses of the kernel. Any handler context; they use the context's scratch memory.
 */
#ifndef TAPIR_STACK_H
#define TAPIR_STACK_H

#include <tapir/context.h>

#define TAPIR_STACK_MAX 128 /* frames that are looked at */

/* "0x1 0x2 0x3 ": at most `limit` frames, all for a negative one; whole addresses, as many as fit. */
void tapir_stack_addresses(struct tapir_ctx *c, char *dst, u32 cap, s64 limit);
/* Returns the address of frame n; 0 is the place of the hit. Returns 0 beyond the last frame. */
s64 tapir_stack_frame(struct tapir_ctx *c, s64 n);
/* A line " 0xADDRESS : NAME+0xOFFSET/0xSIZE [MODULE]" per frame. */
void tapir_stack_print(struct tapir_ctx *c);
/* A line "NAME+0xOFFSET [MODULE]" per frame; whole lines, as many as fit. */
void tapir_stack_text(struct tapir_ctx *c, char *dst, u32 cap);
/* Like tapir_stack_print() and tapir_stack_text(), for a list of addresses as tapir_stack_addresses() makes it. `dst` may not be
 * `list`. */
void tapir_addresses_print(struct tapir_ctx *c, const char *list);
void tapir_addresses_text(struct tapir_ctx *c, const char *list, char *dst, u32 cap);

/* "NAME", or the address in hexadecimal. */
void tapir_symbol_name(struct tapir_ctx *c, u64 address, char *dst, u32 cap);
/* "NAME+0xOFFSET/0xSIZE [MODULE]", or the address in hexadecimal. */
void tapir_symbol_data(struct tapir_ctx *c, u64 address, char *dst, u32 cap);
/* "MODULE", "kernel", or "<unknown>". */
void tapir_symbol_module(struct tapir_ctx *c, u64 address, char *dst, u32 cap);

#endif
