/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Strings are NUL-terminated bytes in buffers of tapir_module.string_cap bytes, 8-aligned. Every result longer than the buffer is
 * cut silently at cap - 1 bytes, as the language says. Constants and borrowed strings may be unaligned. `dst` may equal a source
 * only where said. Any context; bounded by cap.
 */
#ifndef TAPIR_STRING_H
#define TAPIR_STRING_H

#include <tapir/types.h>

u32 tapir_strlen(const char *s, u32 cap);				 /* at most cap - 1 */
void tapir_str_copy(char *dst, const char *src, u32 cap);		 /* dst may be src */
void tapir_str_concat(char *dst, const char *a, const char *b, u32 cap); /* dst may be a or b */
void tapir_str_append(char *dst, const char *src, u32 cap);		 /* .= ; src may be dst */
s64 tapir_str_compare(const char *a, const char *b, u32 cap);		 /* <0, 0, >0, by unsigned bytes */
u64 tapir_str_hash(const char *s, u32 cap);

#endif
