// SPDX-License-Identifier: GPL-2.0-or-later
/* tapir/port.h for a process that is its own subject: memory. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "process/test/host.h"
#include "handler.h"

static u64 live_allocations, live_bytes, allocated_bytes;

u64 tapir_host_live_allocations(void)
{
	return __atomic_load_n(&live_allocations, __ATOMIC_ACQUIRE);
}

u64 tapir_host_allocated_bytes(void)
{
	return __atomic_load_n(&allocated_bytes, __ATOMIC_ACQUIRE);
}

int tapir_port_read_kernel(void *dst, u64 address, u32 length)
{
	struct iovec local = {dst, length}, remote = {(void *)(uintptr_t)address, length};

	if (!length)
		return 0;
	if (!tapir_host_fails(&tapir_host.fail_read) && process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)length)
		return 0;
	memset(dst, 0, length);
	return -EFAULT;
}

int tapir_port_read_user(void *dst, u64 address, u32 length)
{
	return tapir_port_read_kernel(dst, address, length);
}

int tapir_port_read_kernel_string(char *dst, u64 address, u32 cap)
{
	u32 length;

	for (length = 0; length + 1 < cap; length++) {
		if (tapir_port_read_kernel(dst + length, address + length, 1)) {
			dst[0] = 0;
			return -EFAULT;
		}
		if (!dst[length])
			return (int)length;
	}
	dst[length] = 0;
	return (int)length;
}

int tapir_port_read_user_string(char *dst, u64 address, u32 cap)
{
	return tapir_port_read_kernel_string(dst, address, cap);
}

int tapir_port_write_kernel(u64 address, const void *src, u32 length)
{
	struct iovec local = {(void *)(uintptr_t)src, length}, remote = {(void *)(uintptr_t)address, length};

	if (!length || process_vm_writev(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)length)
		return 0;
	return -EFAULT;
}

int tapir_port_write_user(u64 address, const void *src, u32 length)
{
	return tapir_port_write_kernel(address, src, length);
}

void *tapir_port_alloc(u64 bytes)
{
	void *p = NULL;

	if (tapir_host_fails(&tapir_host.fail_alloc) || bytes > 1ull << 33 || posix_memalign(&p, 64, bytes ? bytes : 1))
		return NULL;
	memset(p, 0, bytes);
	__atomic_add_fetch(&live_allocations, 1, __ATOMIC_ACQ_REL);
	__atomic_add_fetch(&live_bytes, malloc_usable_size(p), __ATOMIC_ACQ_REL);
	__atomic_add_fetch(&allocated_bytes, bytes, __ATOMIC_ACQ_REL);
	return p;
}

void tapir_port_free(void *p)
{
	if (p) {
		__atomic_sub_fetch(&live_allocations, 1, __ATOMIC_ACQ_REL);
		__atomic_sub_fetch(&live_bytes, malloc_usable_size(p), __ATOMIC_ACQ_REL);
	}
	free(p);
}

u64 tapir_port_room(void)
{
	u64 taken = __atomic_load_n(&live_bytes, __ATOMIC_ACQUIRE), memory = tapir_host.memory ? tapir_host.memory : 1ull << 40;

	return memory > taken ? memory - taken : 0;
}

/* Nothing can ask for an end here. */
bool tapir_port_pause(struct tapir_ctx *c)
{
	(void)c;
	return true;
}
