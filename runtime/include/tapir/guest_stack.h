/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames of an interpreted language as a folded stack, "OUTERMOST;...;INNERMOST", for C in tapsets. The innermost come first, each
 * put together at the beginning of the string, and then moved in front of those at its end.
 */
#ifndef TAPIR_GUEST_STACK_H
#define TAPIR_GUEST_STACK_H

#include <tapir/port.h>
#include <tapir/types.h>

/* A word of the current process's memory, and half of one; 0 if it cannot be read. */
static inline u64 tapir_guest_word(u64 address)
{
	u64 word;

	return address > 4096 && !tapir_port_read_user(&word, address, sizeof(word)) ? word : 0;
}

static inline u32 tapir_guest_half(u64 address)
{
	u32 half;

	return address > 4096 && !tapir_port_read_user(&half, address, sizeof(half)) ? half : 0;
}

struct tapir_guest_stack {
	char *to;
	u32 cap; /* bytes of `to`, with NUL */
	u32 low; /* where the outermost frame so far begins */
};

static inline void tapir_guest_begin(struct tapir_guest_stack *s, char *to, u32 cap)
{
	*s = (struct tapir_guest_stack){.to = to, .cap = cap, .low = cap - 1};
}

/* Returns the bytes at the beginning of the string that the next frame may take, so that "...;" still fits in front of it. 0 if the
 * string is full.
 */
static inline u32 tapir_guest_room(const struct tapir_guest_stack *s)
{
	return s->low > 48 ? s->low - 6 : 0;
}

/* As __folded_name() has it. */
static inline void tapir_guest_fold(char *text, u32 length)
{
	u32 i;

	for (i = 0; i < length; i++)
		text[i] = text[i] == ';' ? ':' : (u8)text[i] < ' ' ? '?' : text[i];
}

/* Moves the part of a path behind its last slash to the beginning. Returns its length. */
static inline u32 tapir_guest_file(char *path, u32 length)
{
	u32 from = 0, i;

	for (i = 0; i + 1 < length; i++)
		if (path[i] == '/')
			from = i + 1;
	for (i = from; i < length; i++)
		path[i - from] = path[i];
	return length - from;
}

/* "NAME (FILE:LINE)", as __guest_frame() has it, of a name at the beginning of `to` and a path two bytes behind it; its length. No
 * line if it is not positive. 0: there are no 32 bytes more. */
static inline u32 tapir_guest_frame(char *to, u32 cap, u32 name, u32 path, s64 line)
{
	char digits[24];
	u32 i;

	if (name + path + 32 > cap)
		return 0;
	tapir_guest_fold(to, name);
	to[name] = ' ';
	to[name + 1] = '(';
	name += 2;
	path = tapir_guest_file(to + name, path);
	tapir_guest_fold(to + name, path);
	name += path;
	if (line > 0) {
		to[name++] = ':';
		for (i = 0; line; line /= 10)
			digits[i++] = (char)('0' + line % 10);
		while (i)
			to[name++] = digits[--i];
	}
	to[name++] = ')';
	return name;
}

/* A text, which may be at the beginning of the string, becomes the outermost frame. It has to fit. */
static inline void tapir_guest_add(struct tapir_guest_stack *s, const char *text, u32 length)
{
	u32 i;

	if (s->low != s->cap - 1)
		s->to[--s->low] = ';';
	for (i = 0; i < length; i++)
		s->to[s->low - 1 - i] = text[length - 1 - i];
	s->low -= length;
}

/* The stack comes to the beginning of the string. */
static inline void tapir_guest_end(struct tapir_guest_stack *s)
{
	u32 i;

	for (i = s->low; i < s->cap - 1; i++)
		s->to[i - s->low] = s->to[i];
	s->to[s->cap - 1 - s->low] = 0;
}

#endif
