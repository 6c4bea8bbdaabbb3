/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions and macros for embedded C. Emitted C includes this before the script's own C of the top level, and
 * <tapir/embed_memory.h> after it. The macros are for bodies only: `tapir_context_` and `tapir_next_` are parameters of theirs.
 */
#ifndef TAPIR_EMBED_H
#define TAPIR_EMBED_H

#define CONTEXT tapir_context_
/* Raises a run-time error with a text as of printf, and leaves the function. */
#define STAP_ERROR(...)                                                                                                            \
	do {                                                                                                                       \
		tapir_errorf(CONTEXT, NULL, __VA_ARGS__);                                                                          \
		return;                                                                                                            \
	} while (0)
#define STAP_PRINTF(...) tapir_outf(CONTEXT, __VA_ARGS__)
/* Leaves the function: the next overload is tried. */
#define STAP_NEXT                                                                                                                  \
	do {                                                                                                                       \
		*tapir_next_ = 1;                                                                                                  \
		return;                                                                                                            \
	} while (0)

#endif
