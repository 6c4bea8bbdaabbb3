// SPDX-License-Identifier: GPL-2.0-or-later
/* The port API: memory below, and small services. Context functions are in port_context.c. */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <tapir/port.h>
#include "arch/this_arch.h"
#include "hit.h"
#include "port_memory.h"
#include "state.h"
#include "subject.h"

/* ---- memory below ---- */

/* Addresses come from scripts. The kernel's functions for access without faults ask less of them than we do. */
static __always_inline bool tapir_kernel_accessible(u64 address, u32 length)
{
	return !length || tapir_is_kernel_range(address, address + length - 1);
}

int tapir_port_read_kernel(void *dst, u64 address, u32 length)
{
	if (TAPIR_LIKELY(tapir_kernel_accessible(address, length) &&
			 !copy_from_kernel_nofault(dst, (const void *)(uintptr_t)address, length)))
		return 0;
	memset(dst, 0, length);
	return -EFAULT;
}

int tapir_port_read_user(void *dst, u64 address, u32 length)
{
	if (TAPIR_LIKELY(!copy_from_user_nofault(dst, (const void __user *)(uintptr_t)address, length)))
		return 0;
	if (tapir_in_snapshot() && !tapir_subject_read(dst, address, length))
		return 0;
	memset(dst, 0, length);
	return -EFAULT;
}

/*
 * Strings are read in pieces that do not cross a multiple of the piece's size, and so no page: a piece faults only if its first
 * byte does.
 */
#define TAPIR_STRING_PIECE 64u

static int tapir_read_string(char *dst, u64 address, u32 cap, int (*read)(void *, u64, u32))
{
	u32 length = 0;

	while (length + 1 < cap) {
		u32 piece =
		    min3(TAPIR_STRING_PIECE - (u32)(address & (TAPIR_STRING_PIECE - 1)), cap - 1 - length, TAPIR_STRING_PIECE);
		const char *end;

		if (read(dst + length, address, piece)) {
			dst[0] = 0;
			return -EFAULT;
		}
		end = memchr(dst + length, 0, piece);
		if (end)
			return end - dst;
		length += piece;
		address += piece;
	}
	dst[length] = 0;
	return length;
}

int tapir_port_read_kernel_string(char *dst, u64 address, u32 cap)
{
	return tapir_read_string(dst, address, cap, tapir_port_read_kernel);
}

int tapir_port_read_user_string(char *dst, u64 address, u32 cap)
{
	return tapir_read_string(dst, address, cap, tapir_port_read_user);
}

int tapir_port_write_kernel(u64 address, const void *src, u32 length)
{
	char *to = (char *)(uintptr_t)address;
	const char *from = src;

	if (!tapir_kernel_accessible(address, length))
		return -EFAULT;
	pagefault_disable();
	for (; length >= sizeof(u64); length -= sizeof(u64), to += sizeof(u64), from += sizeof(u64))
		__put_kernel_nofault(to, from, u64, fault);
	for (; length; length--, to++, from++)
		__put_kernel_nofault(to, from, u8, fault);
	pagefault_enable();
	return 0;

fault:
	pagefault_enable();
	return -EFAULT;
}

int tapir_port_write_user(u64 address, const void *src, u32 length)
{
	return copy_to_user_nofault((void __user *)(uintptr_t)address, src, length) ? -EFAULT : 0;
}

/* ---- allocation ---- */

/*
 * Memory that no session takes: a part of it, but no more than this. It covers allocations of others between two checks.
 * si_mem_available() already leaves out what the kernel reserves for itself.
 */
#define TAPIR_RESERVE_PART 16
#define TAPIR_RESERVE_MOST (1ull << 30)

u64 tapir_port_room(void)
{
	u64 available = (u64)max(si_mem_available(), 0l) << PAGE_SHIFT;
	u64 reserve = min_t(u64, ((u64)totalram_pages() << PAGE_SHIFT) / TAPIR_RESERVE_PART, TAPIR_RESERVE_MOST);

	return available > reserve ? available - reserve : 0;
}

u64 tapir_port_spare(void)
{
	return tapir_port_room() / 2;
}

bool tapir_port_affordable(u64 bytes)
{
	return bytes <= tapir_port_room();
}

void *tapir_port_alloc(u64 bytes)
{
	gfp_t flags = TAPIR_GFP_ASKED | __GFP_ZERO;

	/* kmalloc aligns powers of two to themselves, vmalloc to pages. */
	if (bytes <= PAGE_SIZE)
		return kmalloc(roundup_pow_of_two(max_t(u64, bytes, 64)), flags);
	return tapir_port_affordable(bytes) ? __vmalloc(bytes, flags) : NULL;
}

void tapir_port_free(void *p)
{
	kvfree(p);
}

/* ---- session ---- */

u32 tapir_port_ncpus(void)
{
	return nr_cpu_ids;
}

void tapir_port_request_exit(struct tapir_ctx *c)
{
	tapir_session_request_exit();
}

u64 tapir_port_limit(u32 limit)
{
	if (limit == TAPIR_LIMIT_MAXACTION_INTERRUPTIBLE && tapir_in_snapshot() &&
	    tapir_session.limits[limit] == TAPIR_DEFAULT_MAXACTION_INTERRUPTIBLE)
		return TAPIR_SNAPSHOT_ACTIONS;
	return limit < TAPIR_LIMITS ? tapir_session.limits[limit] : 0;
}
