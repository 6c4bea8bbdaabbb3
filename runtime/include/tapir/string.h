/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Strings are NUL-terminated bytes in buffers of tapir_module.string_cap bytes, 8-aligned. Every result longer than the buffer is
 * cut at cap - 1 bytes, as the language says, and counted. Constants and borrowed strings may be unaligned. `dst` may equal a
 * source only where said. Any context; bounded by cap.
 */
#ifndef TAPIR_STRING_H
#define TAPIR_STRING_H

#include <tapir/port.h>

u32 tapir_strlen(const char *s, u32 cap);				 /* at most cap - 1 */
void tapir_str_copy(char *dst, const char *src, u32 cap);		 /* dst may be src */
void tapir_str_concat(char *dst, const char *a, const char *b, u32 cap); /* dst may be a or b */
void tapir_str_append(char *dst, const char *src, u32 cap);		 /* .= ; src may be dst */
/* Less of a string than there is, as its caller wants it: not counted. At most cap - 1 bytes; src may not be dst. */
void tapir_str_take(char *dst, const char *src, u32 cap);
/* All parts, one behind the other; none may be in dst. */
void tapir_str_join(char *dst, const char *const *parts, u32 count, u32 cap);
/* Counts a text that did not fit into `cap` bytes (enum tapir_cut). A capacity other than that of strings was asked for, and does
 * not count. */
void tapir_count_cut(u32 what, u32 cap);
s64 tapir_str_compare(const char *a, const char *b, u32 cap); /* <0, 0, >0, by unsigned bytes */

#endif
