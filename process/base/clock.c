// SPDX-License-Identifier: GPL-2.0-or-later
/* tapir/port.h for a process: clocks and chance. */
#include <time.h>

#include "process/base/base.h"
#include "handler.h"

static s64 clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

s64 tapir_port_gettimeofday_ns(void)
{
	return clock_ns(CLOCK_REALTIME);
}

s64 tapir_port_ktime_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

s64 tapir_port_cpu_clock_ns(s64 cpu)
{
	(void)cpu;
	return clock_ns(CLOCK_MONOTONIC);
}

s64 tapir_port_local_clock_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

s64 tapir_port_cycles(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

s64 tapir_port_jiffies(void)
{
	return clock_ns(CLOCK_MONOTONIC) / (1000000000ll / 250);
}

s64 tapir_port_hz(void)
{
	return 250;
}

s64 tapir_port_random(s64 n)
{
	static __thread u64 state;

	if (!state)
		state = (u64)clock_ns(CLOCK_MONOTONIC) * 0x9e3779b97f4a7c15ull | 1;
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return n > 0 ? (s64)(state % (u64)n) : 0;
}

s64 tapir_port_stack_left(void)
{
	return 1 << 20;
}

/* Unlike a kernel's, a process's stack has room for any MAXNESTING in use. */
bool tapir_port_stack_low(const struct tapir_ctx *c)
{
	(void)c;
	return false;
}

s64 tapir_port_timezone_offset(void)
{
	struct tm local;
	time_t now = time(NULL);

	localtime_r(&now, &local);
	return -local.tm_gmtoff;
}

u64 tapir_port_work_ns(void)
{
	static u64 now;

	return __atomic_add_fetch(&now, tapir_host.look_ns, __ATOMIC_RELAXED);
}

bool tapir_port_work_is_own(void)
{
	return tapir_host.own;
}
