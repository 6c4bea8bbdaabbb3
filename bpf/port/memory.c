// SPDX-License-Identifier: GPL-2.0-or-later
/* tapir/port.h for BPF: memory. Helpers do not write into an arena, so what they read comes over BPF's own stack. */
#include <tapir/port.h>
#include "helpers.h"
#include "memory.h"

#define EFAULT_NUMBER 14
#define PIECE	      32u /* bytes of a string that are read at once */

void tapir_bpf_copy(char *to, const char *from, u64 bytes)
{
	for (; bytes >= 8; bytes -= 8, to += 8, from += 8)
		*(volatile tapir_any64 *)to = *(const tapir_any64 *)from;
	for (; bytes; bytes--)
		*(volatile char *)to++ = *from++;
}

void tapir_bpf_move(char *to, const char *from, u64 bytes)
{
	if (to <= from || to >= from + bytes) {
		tapir_bpf_copy(to, from, bytes);
		return;
	}
	for (; bytes; bytes--)
		((volatile char *)to)[bytes - 1] = from[bytes - 1];
}

void tapir_bpf_set(char *to, u64 word, u64 bytes)
{
	for (; bytes >= 8; bytes -= 8, to += 8)
		*(volatile tapir_any64 *)to = word;
	for (; bytes; bytes--)
		*(volatile char *)to++ = (char)word;
}

/* Words and then bytes, since the length is not known to the verifier. */
#define READ(name, helper)                                                                                                         \
	int name(void *dst, u64 address, u32 length)                                                                               \
	{                                                                                                                          \
		char *to = dst;                                                                                                    \
		u64 word;                                                                                                          \
		u32 done = 0;                                                                                                      \
                                                                                                                                   \
		for (; length - done >= 8; done += 8) {                                                                            \
			if (helper(&word, 8, address + done))                                                                      \
				goto fault;                                                                                        \
			*(volatile tapir_any64 *)(to + done) = word;                                                               \
		}                                                                                                                  \
		for (; done < length; done++) {                                                                                    \
			if (helper(&word, 1, address + done))                                                                      \
				goto fault;                                                                                        \
			*(volatile char *)(to + done) = (char)word;                                                                \
		}                                                                                                                  \
		return 0;                                                                                                          \
	fault:                                                                                                                     \
		tapir_bpf_set(dst, 0, length);                                                                                     \
		return -EFAULT_NUMBER;                                                                                             \
	}

READ(tapir_port_read_kernel, bpf_probe_read_kernel)
READ(tapir_port_read_user, bpf_probe_read_user)

/* The first `bytes` bytes of a word; the word, if it has no more. */
static inline void put_part(char *to, u64 word, u32 bytes)
{
	if (bytes >= 8) {
		*(volatile tapir_any64 *)to = word;
		return;
	}
	for (; bytes; bytes--, word >>= 8)
		*(volatile char *)to++ = (char)word;
}

/* The first `bytes` bytes of a piece. Each word of BPF's stack has its own place in the code: the verifier knows no other. */
static inline void put_piece(char *to, const u64 *piece, u32 bytes)
{
#define PUT(n)                                                                                                                     \
	if (bytes > (n)*8)                                                                                                         \
		put_part(to + (n)*8, *(const volatile u64 *)&piece[n], bytes - (n)*8);
	PUT(0)
	PUT(1)
	PUT(2)
	PUT(3)
#undef PUT
}

/* A piece ends at its NUL, or is full and has one at its end all the same. */
#define READ_STRING(name, helper)                                                                                                  \
	int name(char *dst, u64 address, u32 cap)                                                                                  \
	{                                                                                                                          \
		u64 piece[PIECE / 8];                                                                                              \
		u32 length = 0;                                                                                                    \
                                                                                                                                   \
		while (length + 1 < cap) {                                                                                         \
			long got = helper(piece, PIECE, address + length);                                                         \
			u32 text = got > 1 ? (u32)got - 1 : 0;                                                                     \
                                                                                                                                   \
			if (got < 0) {                                                                                             \
				dst[0] = 0;                                                                                        \
				return -EFAULT_NUMBER;                                                                             \
			}                                                                                                          \
			if (text > cap - 1 - length)                                                                               \
				text = cap - 1 - length;                                                                           \
			put_piece(dst + length, piece, text);                                                                      \
			length += text;                                                                                            \
			if (text < PIECE - 1)                                                                                      \
				break;                                                                                             \
		}                                                                                                                  \
		dst[length] = 0;                                                                                                   \
		return (int)length;                                                                                                \
	}

READ_STRING(tapir_port_read_kernel_string, bpf_probe_read_kernel_str)
READ_STRING(tapir_port_read_user_string, bpf_probe_read_user_str)
