// SPDX-License-Identifier: GPL-2.0-or-later
/* tapir/port.h for a process: arrays grow. The thread that ends a handler does the work that other threads do in the kernel. */
#include <pthread.h>

#include "process/base/base.h"
#include "handler.h"

static bool growing;
static pthread_mutex_t arrays_mutex = PTHREAD_MUTEX_INITIALIZER;

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

static bool elements_age(void)
{
	u32 i;

	for (i = 0; i < tapir_module.nglobals; i++)
		if (tapir_module.globals[i].kind == TAPIR_GLOBAL_MAP && tapir_module.globals[i].map->age)
			return true;
	return false;
}

void tapir_host_tend(void)
{
	if (__atomic_load_n(&growing, __ATOMIC_ACQUIRE))
		tapir_port_grow_now();
	if (elements_age()) {
		pthread_mutex_lock(&arrays_mutex);
		tapir_globals_age((u64)tapir_port_ktime_ns());
		pthread_mutex_unlock(&arrays_mutex);
	}
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
