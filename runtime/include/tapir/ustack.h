/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The user stack of the current task at a hit, and names for its addresses. Any handler context; they use the context's scratch
 * memory. Without a user stack (kernel threads, begin, end and error probes, 32-bit processes) they give nothing. */
#ifndef TAPIR_USTACK_H
#define TAPIR_USTACK_H

#include <tapir/context.h>
#include <tapir/unwind.h>

/* ---- the port's side ---- */

/* Mappings that a walk keeps to come back to. */
#define TAPIR_WALK_MAPPINGS 4

/* A walk, with access to the task's mappings. */
struct tapir_user_walk {
	struct tapir_unwind_source source;
	struct tapir_unwind_frame frame;  /* where user mode was left */
	void *process;			  /* the port's, as the rest */
	struct tapir_unwind_mapping last; /* that was found; length 0: none */
	struct tapir_unwind_mapping earlier[TAPIR_WALK_MAPPINGS];
	u32 left;	/* how many were put there */
	u64 returned;	/* at a function's return that function, whose frame is gone; else 0 */
	u64 trampoline; /* the port's, as the next */
	u8 end;		/* enum tapir_unwind_end */
	u8 lock;
};

/* Begins a walk; between begin and end no found table goes away. Returns false if there is no user stack; w->end then has the
 * reason, and the walk needs no end. */
bool tapir_port_user_walk_begin(struct tapir_ctx *c, struct tapir_user_walk *w);
void tapir_port_user_walk_end(struct tapir_user_walk *w);
/* After begin: the walk is to start from these registers instead of the hit's. */
void tapir_port_user_walk_from(struct tapir_user_walk *w, u64 pc, u64 sp, u64 fp);
void tapir_port_count_user_stack(u8 end); /* enum tapir_unwind_end */

/* ---- for handlers ---- */

/* "0x1 0x2 0x3 ": at most `limit` frames, all for a negative one; whole addresses, as many as fit. */
void tapir_ustack_addresses(struct tapir_ctx *c, char *dst, u32 cap, s64 limit);
/* Returns the address of frame n; 0 is the place where user mode was left, or the function that returned. Returns 0 beyond the last
 * frame. */
s64 tapir_ustack_frame(struct tapir_ctx *c, s64 n);
/* A line " 0xADDRESS : NAME+0xOFFSET/0xSIZE [PATH]" per frame. */
void tapir_ustack_print(struct tapir_ctx *c);
/* Like tapir_ustack_print(), for a stack that the hit's registers do not point to, as that of a coroutine: give the place, stack
 * and frame pointer it was left with. Other registers are assumed to be those of the hit. */
void tapir_ustack_print_from(struct tapir_ctx *c, u64 pc, u64 sp, u64 fp);
/* A line "NAME+0xOFFSET", or the address, per frame. */
void tapir_ustack_print_brief(struct tapir_ctx *c);
/* A line "NAME+0xOFFSET [PATH]" per frame; whole lines, as many as fit. */
void tapir_ustack_text(struct tapir_ctx *c, char *dst, u32 cap);
/* Like tapir_ustack_print() and tapir_ustack_text(), for a list of addresses as tapir_ustack_addresses() makes it. `dst` may not be
 * `list`. */
void tapir_uaddresses_print(struct tapir_ctx *c, const char *list);
void tapir_uaddresses_text(struct tapir_ctx *c, const char *list, char *dst, u32 cap);

/* "NAME", or the address in hexadecimal. */
void tapir_usymbol_name(struct tapir_ctx *c, u64 address, char *dst, u32 cap);
/* "NAME+0xOFFSET/0xSIZE [PATH]", or the address in hexadecimal. */
void tapir_usymbol_data(struct tapir_ctx *c, u64 address, char *dst, u32 cap);
/* The file's path, or "<unknown>". */
void tapir_usymbol_module(struct tapir_ctx *c, u64 address, char *dst, u32 cap);
/* Its build-id in lower-case hexadecimal, or "". */
void tapir_usymbol_build_id(struct tapir_ctx *c, u64 address, char *dst, u32 cap);
/* The address that the file itself has for it, or 0. */
s64 tapir_usymbol_object_address(struct tapir_ctx *c, u64 address);

/* ---- source lines; only scripts that use one of these have them in their tables ---- */

/* As tapir_ustack_print(), with " at FILE:LINE" where that is known. */
void tapir_ustack_print_lines(struct tapir_ctx *c);
void tapir_ustack_print_lines_from(struct tapir_ctx *c, u64 pc, u64 sp, u64 fp);
/* "FILE", "LINE" and "FILE:LINE", or the address in hexadecimal. */
void tapir_usymbol_file(struct tapir_ctx *c, u64 address, char *dst, u32 cap);
void tapir_usymbol_line(struct tapir_ctx *c, u64 address, char *dst, u32 cap);
void tapir_usymbol_file_line(struct tapir_ctx *c, u64 address, char *dst, u32 cap);

/* Linked with any of these; control.c looks whether it is there. */
extern const bool tapir_user_lines;

#endif
