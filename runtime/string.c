// SPDX-License-Identifier: GPL-2.0-or-later
/* Strings in buffers of fixed capacity, a word at a time. */
#include <tapir/tapir.h>
#include <tapir/string_word.h>

static inline bool is_aligned(const void *p)
{
	return ((unsigned long)p & 7u) == 0;
}

u32 tapir_strlen(const char *s, u32 cap)
{
	u32 length;

	for (length = 0; length + 1 < cap; length += 8) {
		u64 zeros = tapir_word_zeros(tapir_word_any(s + length));

		if (zeros) {
			length += tapir_word_length(zeros);
			break;
		}
	}
	return length + 1 < cap ? length : cap - 1;
}

void tapir_count_cut(u32 what, u32 cap)
{
	if (cap == tapir_module.string_cap)
		tapir_port_count_cut(what);
}

/* Out of line, so that copying saves no registers. */
static __attribute__((__cold__, __noinline__)) void count_cut(void)
{
	tapir_port_count_cut(TAPIR_CUT_STRING);
}

/* Copies src to where there is room for so many bytes; at least one. */
static __attribute__((__noinline__)) void copy_bytes(char *p, const char *src, u32 room)
{
	while (room > 1 && *src) {
		*p++ = *src++;
		room--;
	}
	*p = 0;
	if (TAPIR_UNLIKELY(*src))
		count_cut();
}

/* Copies src behind the first `at` bytes of dst; at < cap. The part of the last word that lies behind the terminator is zeroed. */
static void copy_at(char *dst, u32 at, const char *src, u32 cap)
{
	char *p = dst + at;
	u32 room = cap - at;

	if (!is_aligned(p)) {
		copy_bytes(p, src, room);
		return;
	}
	while (room > 8) {
		u64 word = tapir_word_any(src);
		u64 zeros = tapir_word_zeros(word);

		if (zeros) {
			*(tapir_word *)p = tapir_word_cut(word, zeros);
			return;
		}
		*(tapir_word *)p = word;
		p += 8;
		src += 8;
		room -= 8;
	}
	copy_bytes(p, src, room);
}

void tapir_str_copy(char *dst, const char *src, u32 cap)
{
	if (dst != src)
		copy_at(dst, 0, src, cap);
}

void tapir_str_take(char *dst, const char *src, u32 cap)
{
	const u32 length = tapir_strlen(src, cap);

	__builtin_memcpy(dst, src, length);
	dst[length] = 0;
}

void tapir_str_append(char *dst, const char *src, u32 cap)
{
	u32 length = tapir_strlen(dst, cap);
	u32 more;

	if (src != dst) {
		copy_at(dst, length, src, cap);
		return;
	}
	more = length;
	if (TAPIR_UNLIKELY(more > cap - 1 - length)) {
		more = cap - 1 - length;
		count_cut();
	}
	__builtin_memcpy(dst + length, dst, more);
	dst[length + more] = 0;
}

void tapir_str_concat(char *dst, const char *a, const char *b, u32 cap)
{
	if (dst == b && dst != a) {
		u32 la = tapir_strlen(a, cap), lb = tapir_strlen(b, cap);

		if (TAPIR_UNLIKELY(lb > cap - 1 - la)) {
			lb = cap - 1 - la;
			count_cut();
		}
		__builtin_memmove(dst + la, b, lb);
		__builtin_memcpy(dst, a, la);
		dst[la + lb] = 0;
		return;
	}
	tapir_str_copy(dst, a, cap);
	tapir_str_append(dst, b, cap);
}

void tapir_str_join(char *dst, const char *const *parts, u32 count, u32 cap)
{
	u32 used = 0, i;

	for (i = 0; i < count; i++) {
		u32 room = cap - 1 - used, length = tapir_strlen(parts[i], room + 2);

		if (TAPIR_UNLIKELY(length > room)) {
			__builtin_memcpy(dst + used, parts[i], room);
			used += room;
			count_cut();
			break;
		}
		__builtin_memcpy(dst + used, parts[i], length);
		used += length;
	}
	dst[used] = 0;
}

s64 tapir_str_compare(const char *a, const char *b, u32 cap)
{
	u32 at;

	for (at = 0; at + 1 < cap; at += 8) {
		u64 x = tapir_word_any(a + at), y = tapir_word_any(b + at);
		u64 zeros = tapir_word_zeros(x);
		u32 left = cap - 1 - at;

		if (zeros)
			x = tapir_word_cut(x, zeros);
		if (tapir_word_zeros(y))
			y = tapir_word_cut(y, tapir_word_zeros(y));
		if (left < 8) {
			x &= (1ull << left * 8) - 1;
			y &= (1ull << left * 8) - 1;
		}
		if (x != y)
			return __builtin_bswap64(x) < __builtin_bswap64(y) ? -1 : 1;
		if (zeros)
			return 0;
	}
	return 0;
}
