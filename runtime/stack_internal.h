/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks and symbols as text: what those of the kernel and of user mode have in common. Any handler context. */
#ifndef TAPIR_STACK_INTERNAL_H
#define TAPIR_STACK_INTERNAL_H

#include <tapir/context.h>

#define TAPIR_HEX_BYTES 20 /* "0xffffffffffffffff" and some */

/* The symbol of an address, taken apart: "NAME", "0xOFFSET", "0xSIZE", "MODULE". Without a name (NULL) the offset is the address in
 * the module. `file` NULL: the source line is not known, or not asked for. */
struct tapir_symbol_text {
	const char *name, *offset, *size, *module;
	const char *file;
	u32 line;
};

/* "0xADDRESS"; how long it is. */
u32 tapir_put_hex(char *dst, u64 value);
/* Prints " 0xADDRESS : NAME+0xOFFSET/0xSIZE [MODULE]", " 0xADDRESS [MODULE+0xOFFSET]", or the address alone (NULL); before the
 * module " at FILE:LINE" if that is known. */
void tapir_print_line(struct tapir_ctx *c, u64 address, const struct tapir_symbol_text *s);
/* The same as up to TAPIR_LINE_PARTS strings, some of them in `room`: how many. `brief`: "NAME+0xOFFSET\n", or the address. */
#define TAPIR_LINE_PARTS 16
struct tapir_line_room {
	char address[TAPIR_HEX_BYTES], line[TAPIR_HEX_BYTES];
};
u32 tapir_line_parts(u64 address, const struct tapir_symbol_text *s, bool brief, struct tapir_line_room *room, const char **parts);
/* Prints such a brief line. */
void tapir_print_brief(struct tapir_ctx *c, u64 address, const struct tapir_symbol_text *s);
/* These append at `used`, whole or not at all, and give the new length or `used`: "NAME+0xOFFSET [MODULE]\n",
 * "0xADDRESS [MODULE+0xOFFSET]\n" or the address alone; "0xADDRESS ". */
u32 tapir_add_line(u64 address, const struct tapir_symbol_text *s, char *dst, u32 used, u32 cap);
u32 tapir_add_address(u64 address, char *dst, u32 used, u32 cap);
/* "NAME+0xOFFSET/0xSIZE [MODULE]"; of a symbol with a name. */
void tapir_symbol_line(const struct tapir_symbol_text *s, char *dst, u32 cap);
/* Finds the symbol of an address of the kernel, in the context's scratch memory. `called`: it is a return address, or that of
 * interrupted code, from a stack. Returns false if no symbol has the address. */
bool tapir_kernel_symbol(struct tapir_ctx *c, u64 address, bool called, struct tapir_symbol_text *symbol);
/* The address `text` starts with and what follows it; NULL: no more. Handles as many as a string can have. */
const char *tapir_next_address(const char *text, u64 *address);

#endif
