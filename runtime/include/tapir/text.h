/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * String functions of the tapset library. Same rules as tapir/string.h: results are cut at cap - 1 bytes, `dst` is a string buffer
 * and no source may point into it. Any context; time in proportion to the texts' lengths.
 */
#ifndef TAPIR_TEXT_H
#define TAPIR_TEXT_H

#include <tapir/port.h>
#include <tapir/types.h>

struct tapir_ctx;

/* Offset of the first `needle` in `s`, or -1. An empty needle is found at 0. */
s64 tapir_str_find(struct tapir_ctx *c, const char *s, const char *needle, u32 cap);
/* Every `from` in `s` becomes `to`; an empty `from` changes nothing. */
void tapir_str_replace(struct tapir_ctx *c, char *dst, const char *s, const char *from, const char *to, u32 cap);
/* The number `s` starts with, or '-' and it, modulo 2^64; base 0 reads C's prefixes, other bases outside 2..36 give 0. As the
 * kernel's simple_strtol(), and with the letters up to z. */
s64 tapir_str_to_long(const char *s, s64 base, u32 cap);
/* Writes C escapes for everything outside printable ASCII, for quotes, and \uXXXX or \UXXXXXXXX for UTF-8. The result with its NUL
 * has at most `cap` bytes and is cut between characters. With `quoted` it is in double quotes, and "..." follows if it was cut;
 * `dst` then has room for six bytes even if `cap` is less. */
void tapir_str_escape(char *dst, const char *s, u32 cap, bool quoted);
/* Like tapir_str_escape() for `count` bytes, which may include NULs. Only the first `limit` are readable; the rest is cut. */
void tapir_bytes_escape(char *dst, const char *bytes, u32 count, u32 cap, u32 limit, bool quoted);
/* Length of the longest prefix whose bytes are all in `set` (`in`), or all not in it (!in). */
s64 tapir_str_span(const char *s, const char *set, u32 cap, bool in);
/* Raises "<what> fault [man error::fault] at 0x<address>"; `what` is "read" or "write". */
void tapir_error_fault(struct tapir_ctx *c, const char *what, u64 address);

/* Counts a text that was cut in front of this address, if it continues there. */
void tapir_text_goes_on(u64 address, u32 cap, bool user);
/* As tapir_port_read_user_string() and tapir_port_read_kernel_string(), and count texts that are cut. */
static inline int tapir_read_user_text(char *dst, u64 address, u32 cap)
{
	const int length = tapir_port_read_user_string(dst, address, cap);

	if (TAPIR_UNLIKELY(length + 1 == (int)cap))
		tapir_text_goes_on(address + (u32)length, cap, true);
	return length;
}
static inline int tapir_read_kernel_text(char *dst, u64 address, u32 cap)
{
	const int length = tapir_port_read_kernel_string(dst, address, cap);

	if (TAPIR_UNLIKELY(length + 1 == (int)cap))
		tapir_text_goes_on(address + (u32)length, cap, false);
	return length;
}

/* Reads text in units of 2 bytes (UTF-16) or 4 (UTF-32) up to a zero, as UTF-8: as many whole characters as fit into cap - 1 bytes.
 * Invalid units become U+FFFD. Returns the length, or -14 with dst empty. Any handler context. */
int tapir_read_wide_text(char *dst, u64 address, u32 cap, u32 bytes, bool user);
/* The same of an array of so many units, which need not end in a zero. */
int tapir_read_wide_units(char *dst, u64 address, u32 cap, u32 bytes, u32 units, bool user);
/* One character as UTF-8. */
void tapir_wide_character(char *dst, u32 cap, u32 c);

#endif
