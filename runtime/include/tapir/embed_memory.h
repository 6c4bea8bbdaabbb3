/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How embedded C reads and writes through pointers: what cannot be accessed raises a run-time error and leaves the function. After
 * the script's own C of the top level, whose headers may have macros of these names.
 */
#ifndef TAPIR_EMBED_MEMORY_H
#define TAPIR_EMBED_MEMORY_H

/* Errors leave at once, so that there is nothing to catch. */
#define CATCH_DEREF_FAULT()                                                                                                        \
	do {                                                                                                                       \
	} while (0)

#define TAPIR_READ(p, how)                                                                                                         \
	__extension__({                                                                                                            \
		union {                                                                                                            \
			__typeof__(*(p)) v;                                                                                        \
			char b[sizeof(*(p))];                                                                                      \
		} u_;                                                                                                              \
		u64 at_ = (u64)(unsigned long)(p);                                                                                 \
		if (how(u_.b, at_, sizeof(u_.b))) {                                                                                \
			tapir_error_fault(CONTEXT, "read", at_);                                                                   \
			return;                                                                                                    \
		}                                                                                                                  \
		u_.v;                                                                                                              \
	})
#undef kread
#define kread(p) TAPIR_READ(p, tapir_port_read_kernel)
#undef uread
#define uread(p) TAPIR_READ(p, tapir_port_read_user)

#define TAPIR_WRITE(p, value, how)                                                                                                 \
	__extension__({                                                                                                            \
		__typeof__(*(p)) v_ = (value);                                                                                     \
		u64 at_ = (u64)(unsigned long)(p);                                                                                 \
		if (how(at_, &v_, sizeof(v_))) {                                                                                   \
			tapir_error_fault(CONTEXT, "write", at_);                                                                  \
			return;                                                                                                    \
		}                                                                                                                  \
	})
#undef kwrite
#define kwrite(p, value) TAPIR_WRITE(p, value, tapir_port_write_kernel)
#undef uwrite
#define uwrite(p, value) TAPIR_WRITE(p, value, tapir_port_write_user)

#endif
