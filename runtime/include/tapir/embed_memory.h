/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads and writes of embedded C through pointers: a fault raises a run-time error. The body then continues at its
 * CATCH_DEREF_FAULT(), or ends if it has none. Comes after the script's own C of the top level, whose headers may have macros of
 * these names. The emitted file defines TAPIR_FAULT as TAPIR_FAULT_CAUGHT for bodies with CATCH_DEREF_FAULT().
 */
#ifndef TAPIR_EMBED_MEMORY_H
#define TAPIR_EMBED_MEMORY_H

#define TAPIR_FAULT return
/* A fault after CATCH_DEREF_FAULT() leaves the body, so that the handler of faults runs only once. */
#define TAPIR_FAULT_CAUGHT                                                                                                         \
	do {                                                                                                                       \
		if (tapir_faulted_)                                                                                                \
			return;                                                                                                    \
		tapir_faulted_ = true;                                                                                             \
		goto deref_fault;                                                                                                  \
	} while (0)
#define CATCH_DEREF_FAULT()                                                                                                        \
	do {                                                                                                                       \
	deref_fault:                                                                                                               \
		__attribute__((__unused__));                                                                                       \
	} while (0)

/* An array is its address, as everywhere in C; the value read from it only shows that it is there. */
#define TAPIR_IS_ARRAY(p) (!__builtin_types_compatible_p(__typeof__(*(p)), __typeof__(__extension__({ *(p); }))))
#define TAPIR_READ(p, how)                                                                                                         \
	__extension__({                                                                                                            \
		union {                                                                                                            \
			__typeof__(*(p)) v;                                                                                        \
			char b[sizeof(*(p))];                                                                                      \
		} u_;                                                                                                              \
		u64 at_ = (u64)(unsigned long)(p);                                                                                 \
		if (how(u_.b, at_, sizeof(u_.b))) {                                                                                \
			tapir_error_fault(CONTEXT, "read", at_);                                                                   \
			TAPIR_FAULT;                                                                                               \
		}                                                                                                                  \
		__builtin_choose_expr(TAPIR_IS_ARRAY(p), *(p), u_.v);                                                              \
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
			TAPIR_FAULT;                                                                                               \
		}                                                                                                                  \
	})
#undef kwrite
#define kwrite(p, value) TAPIR_WRITE(p, value, tapir_port_write_kernel)
#undef uwrite
#define uwrite(p, value) TAPIR_WRITE(p, value, tapir_port_write_user)

/* The words that take a size, as SystemTap has them: 1, 2, 4 or 8 bytes, as a number without a sign. */
#define TAPIR_SIZE_CHECK(size) _Static_assert((size) == 1 || (size) == 2 || (size) == 4 || (size) == 8, "the size is 1, 2, 4 or 8")
#define TAPIR_READ_SIZED(size, address, how)                                                                                       \
	__extension__({                                                                                                            \
		u64 value_ = 0, from_ = (u64)(unsigned long)(address);                                                             \
		TAPIR_SIZE_CHECK(size);                                                                                            \
		if (how(&value_, from_, (size))) {                                                                                 \
			tapir_error_fault(CONTEXT, "read", from_);                                                                 \
			TAPIR_FAULT;                                                                                               \
		}                                                                                                                  \
		value_;                                                                                                            \
	})
#define TAPIR_WRITE_SIZED(size, address, value, how)                                                                               \
	__extension__({                                                                                                            \
		u64 value_ = (u64)(value), to_ = (u64)(unsigned long)(address);                                                    \
		TAPIR_SIZE_CHECK(size);                                                                                            \
		if (how(to_, &value_, (size))) {                                                                                   \
			tapir_error_fault(CONTEXT, "write", to_);                                                                  \
			TAPIR_FAULT;                                                                                               \
		}                                                                                                                  \
	})
#undef kderef
#define kderef(size, address) TAPIR_READ_SIZED(size, address, tapir_port_read_kernel)
#undef uderef
#define uderef(size, address) TAPIR_READ_SIZED(size, address, tapir_port_read_user)
#undef deref
#define deref(size, address) kderef(size, address)
#undef store_kderef
#define store_kderef(size, address, value) TAPIR_WRITE_SIZED(size, address, value, tapir_port_write_kernel)
#undef store_uderef
#define store_uderef(size, address, value) TAPIR_WRITE_SIZED(size, address, value, tapir_port_write_user)
#undef store_deref
#define store_deref(size, address, value) store_kderef(size, address, value)

/* Reads `bytes` to `dst`, or only looks whether they can be read if it is NULL. 0, or not. */
static inline __attribute__((__unused__)) int tapir_read_buffer(void *dst, u64 address, u64 bytes, int (*read)(void *, u64, u32))
{
	char part[64];
	u64 done, step;

	for (done = 0; done < bytes; done += step) {
		step = bytes - done < sizeof(part) ? bytes - done : sizeof(part);
		if (read(dst ? (char *)dst + done : part, address + done, (u32)step))
			return -14;
	}
	return 0;
}

/* Writes a string cut to `cap` bytes with its NUL. 0, or not. */
static inline __attribute__((__unused__)) int tapir_write_string(const char *src, u64 address, u64 cap,
								 int (*write)(u64, const void *, u32))
{
	u64 length = 0;

	if (!cap)
		return 0;
	while (length < cap - 1 && src[length])
		length++;
	if (length && write(address, src, (u32)length))
		return -14;
	return write(address + length, "", 1);
}

#define TAPIR_READ_BUFFER(dst, address, bytes, how)                                                                                \
	__extension__({                                                                                                            \
		char *const into_ = (char *)(dst);                                                                                 \
		const u64 from_ = (u64)(unsigned long)(address);                                                                   \
		if (tapir_read_buffer(into_, from_, (bytes), how)) {                                                               \
			tapir_error_fault(CONTEXT, "read", from_);                                                                 \
			TAPIR_FAULT;                                                                                               \
		}                                                                                                                  \
		into_;                                                                                                             \
	})
#define TAPIR_READ_STRING(dst, address, cap, how)                                                                                  \
	__extension__({                                                                                                            \
		const u64 from_ = (u64)(unsigned long)(address);                                                                   \
		const long length_ = how((dst), from_, (cap));                                                                     \
		if (length_ < 0) {                                                                                                 \
			tapir_error_fault(CONTEXT, "read", from_);                                                                 \
			TAPIR_FAULT;                                                                                               \
		}                                                                                                                  \
		length_;                                                                                                           \
	})
#define TAPIR_WRITE_STRING(src, address, cap, how)                                                                                 \
	__extension__({                                                                                                            \
		const u64 to_ = (u64)(unsigned long)(address);                                                                     \
		if (tapir_write_string((src), to_, (cap), how)) {                                                                  \
			tapir_error_fault(CONTEXT, "write", to_);                                                                  \
			TAPIR_FAULT;                                                                                               \
		}                                                                                                                  \
	})
#undef kderef_buffer
#define kderef_buffer(dst, address, bytes) TAPIR_READ_BUFFER(dst, address, bytes, tapir_port_read_kernel)
#undef uderef_buffer
#define uderef_buffer(dst, address, bytes) TAPIR_READ_BUFFER(dst, address, bytes, tapir_port_read_user)
#undef kderef_string
#define kderef_string(dst, address, cap) TAPIR_READ_STRING(dst, address, cap, tapir_read_kernel_text)
#undef uderef_string
#define uderef_string(dst, address, cap) TAPIR_READ_STRING(dst, address, cap, tapir_read_user_text)
#undef deref_string
#define deref_string(dst, address, cap) kderef_string(dst, address, cap)
#undef store_kderef_string
#define store_kderef_string(src, address, cap) TAPIR_WRITE_STRING(src, address, cap, tapir_port_write_kernel)
#undef store_uderef_string
#define store_uderef_string(src, address, cap) TAPIR_WRITE_STRING(src, address, cap, tapir_port_write_user)
#undef store_deref_string
#define store_deref_string(src, address, cap) store_kderef_string(src, address, cap)

#endif
