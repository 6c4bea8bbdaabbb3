/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Strings eight bytes at a time. A word of a string is its next eight bytes in memory order (the first in the lowest byte), with
 * zeros from the terminator on. Aligned loads never cross a page, so reading a little past the terminator is harmless; this
 * is why the helpers are hidden from AddressSanitizer.
 */
#ifndef TAPIR_STRING_WORD_H
#define TAPIR_STRING_WORD_H

#include <tapir/types.h>

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "words of strings are written for little-endian machines"
#endif

/* gcc says it by a macro, clang by a feature. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TAPIR_ADDRESS_SANITIZER
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(TAPIR_ADDRESS_SANITIZER)
#define TAPIR_WORD_ACCESS static __attribute__((no_sanitize("address"), __noinline__, __unused__))
#else
#define TAPIR_WORD_ACCESS static inline
#endif

typedef u64 __attribute__((__may_alias__)) tapir_word;

/* Bit 7 of every byte from the first zero byte on may be set, below it none is; 0: the word has no zero byte. */
static inline u64 tapir_word_zeros(u64 word)
{
	return (word - 0x0101010101010101ull) & ~word & 0x8080808080808080ull;
}

/* Clears everything from the first zero byte on. `zeros` is not 0; its lowest bit is bit 7 of that byte. */
static inline u64 tapir_word_cut(u64 word, u64 zeros)
{
	return word & (zeros ^ (zeros - 1));
}

/* Bytes before the terminator. */
static inline u32 tapir_word_length(u64 zeros)
{
	return (u32)__builtin_ctzll(zeros) >> 3;
}

/* One step of the hash of strings and of map keys. The high bits of the result depend on all bits of both. */
static inline u64 tapir_hash_mix(u64 hash, u64 word)
{
	return ((hash << 32 | hash >> 32) ^ word) * 0x9e3779b97f4a7c15ull;
}

/* `s` is 8-aligned. */
TAPIR_WORD_ACCESS u64 tapir_word_aligned(const char *s)
{
	return *(const tapir_word *)s;
}

/* Any alignment; bytes after a terminator may be anything. */
TAPIR_WORD_ACCESS u64 tapir_word_any(const char *s)
{
	u32 shift = ((u32)(unsigned long)s & 7u) * 8u;
	const tapir_word *p = (const tapir_word *)((unsigned long)s & ~7ul);
	u64 word = p[0];

	if (!shift)
		return word;
	word >>= shift;
	if (tapir_word_zeros(word | (~0ull << (64u - shift))))
		return word;
	return word | p[1] << (64u - shift);
}

/* memcpy for the short pieces output is made of: the kernel's has a start-up cost of some thirty cycles. */
static inline void tapir_copy_short(char *dst, const char *src, u32 length)
{
	for (; length >= 8; length -= 8, dst += 8, src += 8) {
		*(tapir_any64 *)dst = *(const tapir_any64 *)src;
		__asm__ __volatile__("" ::: "memory"); /* or the compiler makes it a memcpy again */
	}
	if (length & 4) {
		*(tapir_any32 *)dst = *(const tapir_any32 *)src;
		dst += 4;
		src += 4;
	}
	if (length & 2) {
		*(tapir_any16 *)dst = *(const tapir_any16 *)src;
		dst += 2;
		src += 2;
	}
	if (length & 1)
		*dst = *src;
}

#endif
