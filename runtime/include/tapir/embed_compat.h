/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for embedded C written for SystemTap, mapped to those of <tapir/...> or the kernel. Included before a user's own C of the
 * top level; the words that read and write memory are in <tapir/embed_memory.h>, those about the kernel in kmod/compat/embedded.h.
 * Macros that need CONTEXT are for bodies, and for macros that bodies use. The emitted file defines STAP_COMPAT_VERSION, and those
 * limits that -D has set.
 */
#ifndef TAPIR_EMBED_COMPAT_H
#define TAPIR_EMBED_COMPAT_H

#include <tapir/default_limits.h>

#define STAP_VERSION(major, minor) (((major) << 8) + (minor))

#ifndef MAXACTION
#define MAXACTION TAPIR_DEFAULT_MAXACTION
#endif
#ifndef MAXACTION_INTERRUPTIBLE
#define MAXACTION_INTERRUPTIBLE TAPIR_DEFAULT_MAXACTION_INTERRUPTIBLE
#endif
#ifndef MAXERRORS
#define MAXERRORS TAPIR_DEFAULT_MAXERRORS
#endif
#ifndef MAXSKIPPED
#define MAXSKIPPED TAPIR_DEFAULT_MAXSKIPPED
#endif
#ifndef MAXNESTING
#define MAXNESTING TAPIR_DEFAULT_MAXNESTING
#endif
#ifndef MAXMAPENTRIES
#define MAXMAPENTRIES TAPIR_DEFAULT_MAXMAPENTRIES
#endif
#ifndef MINSTACKSPACE
#define MINSTACKSPACE TAPIR_DEFAULT_MINSTACKSPACE
#endif
#ifndef MAXBACKTRACE
#define MAXBACKTRACE TAPIR_STACK_MAX
#endif

#ifndef TAPIR_KMOD
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
#define _stp_snprintf __builtin_snprintf
#endif

/* The kernel lost the first with 6.8. */
static inline __attribute__((__unused__)) size_t tapir_strlcpy(char *dst, const char *src, size_t size)
{
	size_t length = __builtin_strlen(src), kept = length < size ? length : size - 1;

	if (length >= size)
		tapir_count_cut(TAPIR_CUT_STRING, (u32)size);
	if (size) {
		__builtin_memcpy(dst, src, kept);
		dst[kept] = 0;
	}
	return length;
}

static inline __attribute__((__unused__)) size_t tapir_strlcat(char *dst, const char *src, size_t size)
{
	size_t used = 0;

	while (used < size && dst[used])
		used++;
	return used + (used < size ? tapir_strlcpy(dst + used, src, size - used) : __builtin_strlen(src));
}
#undef strlcpy
#define strlcpy(dst, src, size) tapir_strlcpy(dst, src, size)
#undef strlcat
#define strlcat(dst, src, size) tapir_strlcat(dst, src, size)

/* Output and the session. */
#define _stp_printf(...)     tapir_outf(CONTEXT, __VA_ARGS__)
#define _stp_print(text)     tapir_print_string(CONTEXT, (text))
#define _stp_print_char(c)   tapir_print_bytes(CONTEXT, (const char[]){(char)(c)}, 1)
#define _stp_print_flush()   ((void)0) /* handlers' output is handed over when they end */
#define _stp_warn(...)	     tapir_warnf(CONTEXT, __VA_ARGS__)
#define _stp_softerror(...)  tapir_errorf(CONTEXT, NULL, __VA_ARGS__)
#define _stp_exit()	     tapir_exit(CONTEXT)
#define _stp_target	     tapir_port_target()
#define _stp_random_u(n)     ((unsigned)tapir_port_random(n))
#define _stp_gettimeofday_ns tapir_port_gettimeofday_ns
/* Ends the session, too. */
#define _stp_error(...)                                                                                                            \
	do {                                                                                                                       \
		tapir_errorf(CONTEXT, NULL, __VA_ARGS__);                                                                          \
		tapir_exit(CONTEXT);                                                                                               \
	} while (0)

/* How many bytes are missing; how many were read without the NUL, or -EFAULT. */
#define _stp_copy_from_user(dst, src, n)    ((unsigned long)(tapir_port_read_user((dst), (u64)(unsigned long)(src), (n)) ? (n) : 0))
#define _stp_strncpy_from_user(dst, src, n) ((long)tapir_read_user_text((dst), (u64)(unsigned long)(src), (n)))

#endif
