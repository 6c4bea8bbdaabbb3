// SPDX-License-Identifier: GPL-2.0-or-later
/* tapir/port.h for a process: memory, locks, output, counters. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "host/host.h"
#include "handler.h"

struct tapir_host_config tapir_host = {.ncpus = 4};

static struct tapir_host_probe *probes;
static bool exit_requested;
static u64 errors, live_allocations, live_bytes, allocated_bytes;
static u64 cuts[TAPIR_CUTS];
static pthread_mutex_t output_mutex = PTHREAD_MUTEX_INITIALIZER;

/* ---- state ---- */

void tapir_host_reset(void)
{
	free(probes);
	probes = calloc(tapir_module.nprobes + 1, sizeof(*probes));
	if (!probes)
		abort();
	exit_requested = false;
	errors = 0;
	memset(cuts, 0, sizeof(cuts));
}

struct tapir_host_probe *tapir_host_probe_of(const struct tapir_probe *probe)
{
	if (!probes)
		tapir_host_reset();
	if (!probe || probe < tapir_module.probes || probe >= tapir_module.probes + tapir_module.nprobes)
		return &probes[tapir_module.nprobes];
	return &probes[probe - tapir_module.probes];
}

bool tapir_host_exit_requested(void)
{
	return __atomic_load_n(&exit_requested, __ATOMIC_ACQUIRE);
}

u64 tapir_host_errors(void)
{
	return __atomic_load_n(&errors, __ATOMIC_ACQUIRE);
}

u64 tapir_host_cut(u32 what)
{
	return __atomic_load_n(&cuts[what], __ATOMIC_ACQUIRE);
}

void tapir_port_count_cut(u32 what)
{
	__atomic_fetch_add(&cuts[what], 1, __ATOMIC_RELAXED);
}

u64 tapir_host_live_allocations(void)
{
	return __atomic_load_n(&live_allocations, __ATOMIC_ACQUIRE);
}

u64 tapir_host_allocated_bytes(void)
{
	return __atomic_load_n(&allocated_bytes, __ATOMIC_ACQUIRE);
}

/* ---- memory ---- */

static bool fails(u64 *countdown)
{
	u64 n = __atomic_load_n(countdown, __ATOMIC_RELAXED);

	while (n && !__atomic_compare_exchange_n(countdown, &n, n - 1, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	return n == 1;
}

int tapir_port_read_kernel(void *dst, u64 address, u32 length)
{
	struct iovec local = {dst, length}, remote = {(void *)(uintptr_t)address, length};

	if (!length)
		return 0;
	if (!fails(&tapir_host.fail_read) && process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)length)
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

	if (fails(&tapir_host.fail_alloc) || bytes > 1ull << 33 || posix_memalign(&p, 64, bytes ? bytes : 1))
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

/* ---- arrays: whoever ends a handler does what others do in the kernel ---- */

static bool growing;
static pthread_mutex_t arrays_mutex = PTHREAD_MUTEX_INITIALIZER;

u64 tapir_port_room(void)
{
	u64 taken = __atomic_load_n(&live_bytes, __ATOMIC_ACQUIRE), memory = tapir_host.memory ? tapir_host.memory : 1ull << 40;

	return memory > taken ? memory - taken : 0;
}

void tapir_port_grow(void)
{
	__atomic_store_n(&growing, true, __ATOMIC_RELEASE);
}

void tapir_port_tend(void)
{
}

void tapir_port_grow_now(void)
{
	pthread_mutex_lock(&arrays_mutex);
	__atomic_store_n(&growing, false, __ATOMIC_RELEASE);
	tapir_globals_grow();
	pthread_mutex_unlock(&arrays_mutex);
}

void tapir_host_tend(void)
{
	if (__atomic_load_n(&growing, __ATOMIC_ACQUIRE))
		tapir_port_grow_now();
	if (!tapir_globals_pending())
		return;
	pthread_mutex_lock(&arrays_mutex);
	tapir_globals_tend();
	pthread_mutex_unlock(&arrays_mutex);
}

u64 tapir_port_tending_begin(void)
{
	return tapir_port_irq_save();
}

void tapir_port_tending_end(u64 state)
{
	tapir_port_irq_restore(state);
}

/* ---- locks: word 0 is the holder's mark, word 1 counts contention ---- */

#define TRY_SPINS 20000

u64 tapir_port_irq_save(void)
{
	return 0;
}

void tapir_port_irq_restore(u64 flags)
{
	(void)flags;
}

static bool try_once(struct tapir_lock *lock)
{
	u64 expected = 0;

	return __atomic_compare_exchange_n(&lock->opaque[0], &expected, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

void tapir_port_lock(struct tapir_lock *lock)
{
	u32 spins = 0;

	if (try_once(lock))
		return;
	__atomic_add_fetch(&lock->opaque[1], 1, __ATOMIC_RELAXED);
	while (!try_once(lock)) {
		if (++spins % 64 == 0)
			sched_yield();
	}
}

bool tapir_port_lock_patiently(struct tapir_lock *lock)
{
	if (fails(&tapir_host.fail_lock))
		return false;
	tapir_port_lock(lock);
	return true;
}

bool tapir_port_trylock(struct tapir_lock *lock)
{
	u32 spins;

	if (try_once(lock))
		return true;
	__atomic_add_fetch(&lock->opaque[1], 1, __ATOMIC_RELAXED);
	for (spins = 0; spins < TRY_SPINS; spins++) {
		if (try_once(lock))
			return true;
		if (spins % 64 == 63)
			sched_yield();
	}
	return false;
}

void tapir_port_unlock(struct tapir_lock *lock)
{
	__atomic_store_n(&lock->opaque[0], 0, __ATOMIC_RELEASE);
}

u64 tapir_port_lock_contended(const struct tapir_lock *lock)
{
	return __atomic_load_n(&lock->opaque[1], __ATOMIC_RELAXED);
}

u32 tapir_port_ncpus(void)
{
	return tapir_host.ncpus;
}

/* ---- output and session ---- */

bool tapir_port_emit(struct tapir_ctx *c, u8 type, const void *data, u32 length)
{
	(void)c;
	if (length > TAPIR_RECORD_MAX)
		return false;
	pthread_mutex_lock(&output_mutex);
	if (tapir_host.sink) {
		tapir_host.sink(tapir_host.sink_arg, type, data, length);
	} else if (type == TAPIR_REC_DATA) {
		fwrite(data, 1, length, stdout);
	} else {
		fflush(stdout);
		fprintf(stderr, "%s: %.*s\n",
			type == TAPIR_REC_ERROR	    ? "ERROR"
			: type == TAPIR_REC_WARNING ? "WARNING"
						    : "SYSTEM",
			(int)length, (const char *)data);
	}
	pthread_mutex_unlock(&output_mutex);
	return true;
}

void tapir_port_request_exit(struct tapir_ctx *c)
{
	(void)c;
	__atomic_store_n(&exit_requested, true, __ATOMIC_RELEASE);
}

void tapir_port_count_skip(struct tapir_ctx *c, u32 reason)
{
	__atomic_add_fetch(&tapir_host_probe_of(c->probe)->skipped[reason], 1, __ATOMIC_RELAXED);
}

bool tapir_port_pause(struct tapir_ctx *c)
{
	(void)c;
	return true;
}

/* Nothing is attached here: every simulated hit asks its condition. */
void tapir_port_condition_changed(void)
{
}

bool tapir_port_count_error(struct tapir_ctx *c)
{
	u64 n = __atomic_add_fetch(&errors, 1, __ATOMIC_ACQ_REL);

	__atomic_add_fetch(&tapir_host_probe_of(c->probe)->errors, 1, __ATOMIC_RELAXED);
	if (tapir_host.suppress_errors)
		return false;
	if (n > tapir_port_limit(TAPIR_LIMIT_MAXERRORS))
		tapir_port_request_exit(c);
	return true;
}

u64 tapir_port_limit(u32 limit)
{
	if (tapir_host.limits[limit])
		return tapir_host.limits[limit];
	return tapir_module_limit(limit);
}
