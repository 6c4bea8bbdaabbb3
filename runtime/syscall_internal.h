/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared parts of the texts of system calls. */
#ifndef TAPIR_SYSCALL_INTERNAL_H
#define TAPIR_SYSCALL_INTERNAL_H

#include <tapir/port.h>
#include <tapir/string.h>
#include <tapir/syscall.h>

/* A text that grows up to its buffer's capacity; the rest is dropped. Always terminated. tapir_text_done() ends it. */
struct tapir_text {
	char *dst;
	u32 cap, length;
	bool cut; /* something was dropped */
};

static inline bool tapir_text_full(const struct tapir_text *t)
{
	return t->length + 1 >= t->cap;
}

static inline void tapir_text_done(const struct tapir_text *t)
{
	if (TAPIR_UNLIKELY(t->cut))
		tapir_count_cut(TAPIR_CUT_STRING, t->cap);
}

void tapir_text_cut(struct tapir_text *t, u32 length);
void tapir_text_char(struct tapir_text *t, char c);
void tapir_text_add(struct tapir_text *t, const char *s);
void tapir_text_digits(struct tapir_text *t, u64 n, u32 base); /* 8, 10 or 16 */
void tapir_text_signed(struct tapir_text *t, s64 n);
void tapir_text_unsigned(struct tapir_text *t, u64 n);
void tapir_text_hex(struct tapir_text *t, u64 n); /* 0x1f; 0 is 0 */
void tapir_text_octal(struct tapir_text *t, u64 n, u32 digits);
void tapir_text_address(struct tapir_text *t, u64 address); /* NULL for 0 */
void tapir_text_signal(struct tapir_text *t, s64 number);
void tapir_text_signals(struct tapir_text *t, u64 set);
/* `count` bytes of user memory, quoted; "..." where no more than `limit` are shown. False: not readable, nothing added. */
bool tapir_text_bytes(struct tapir_text *t, u64 address, u64 count, u32 limit);
/* A string of user memory, quoted. False: not readable, nothing added. */
bool tapir_text_string(struct tapir_text *t, u64 address);

/* Values, from runtime/syscall_value.c. `value` is extended to 64 bits, `bits` covers its original ones. */
void tapir_show_flags(struct tapir_text *t, const struct tapir_names *names, u64 value, u64 bits);
void tapir_show_enum(struct tapir_text *t, const struct tapir_names *names, u64 value, u64 bits);
void tapir_show_mode(struct tapir_text *t, u64 mode);

/* Memory at an address that is not NULL; false: not readable, the text may have got something. */
bool tapir_show_sockaddr(struct tapir_text *t, const struct tapir_names *families, u64 address, u64 length);
bool tapir_show_control(struct tapir_text *t, u64 address, u64 length, bool narrow);
bool tapir_show_strings(struct tapir_text *t, u64 address, bool narrow);
void tapir_show_environment(struct tapir_text *t, u64 address, bool narrow);
bool tapir_show_fdset(struct tapir_text *t, u64 address, s64 descriptors);

#endif
