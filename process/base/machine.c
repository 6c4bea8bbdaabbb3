// SPDX-License-Identifier: GPL-2.0-or-later
/* tapir/port.h for a process: the machine that it runs on. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "process/base/base.h"
#include "handler.h"

s64 tapir_port_page_size(void)
{
	return sysconf(_SC_PAGESIZE);
}

s64 tapir_port_stack_size(void)
{
	return 1 << 20;
}

s64 tapir_port_memory_node(u64 address)
{
	(void)address;
	return -1;
}

s64 tapir_port_memory_pages(u32 place, u64 kind)
{
	(void)place;
	(void)kind;
	return 0;
}

u64 tapir_port_page(u64 address)
{
	(void)address;
	return 0;
}

s64 tapir_port_cpu_counts(u64 counters)
{
	(void)counters;
	return 0;
}

s64 tapir_port_load_average(u32 which)
{
	double loads[3] = {0};

	return which < 3 && getloadavg(loads, 3) == 3 ? (s64)(loads[which] * 2048) : 0;
}

void tapir_port_allocation_flags(u64 flags, char *dst, u32 cap)
{
	snprintf(dst, cap, "0x%llx", (unsigned long long)flags);
}

void tapir_port_kernel_log(s64 level, const char *text)
{
	fprintf(stderr, "<%lld>%s\n", (long long)level, text);
}

bool tapir_port_trace_log(const char *text)
{
	(void)text;
	return false;
}

int tapir_port_raise(s64 signal)
{
	if (signal < 1 || signal > 64)
		return -EINVAL;
	return raise((int)signal) ? -EINVAL : 0;
}

void tapir_port_panic(const char *text)
{
	fprintf(stderr, "panic: %s\n", text);
	abort();
}

void tapir_port_dump_stack(void)
{
}

void tapir_port_timezone_name(char *dst, u32 cap)
{
	struct tm local;
	time_t now = time(NULL);

	localtime_r(&now, &local);
	tapir_str_copy(dst, local.tm_zone, cap);
}

s64 tapir_port_namespaces_pid(void)
{
	return tapir_port_loader_pid();
}

s64 tapir_port_loader_pid(void)
{
	return getpid();
}

s64 tapir_port_loader_uid(void)
{
	return getuid();
}

s64 tapir_port_remote_id(void)
{
	return -1;
}

void tapir_port_remote_uri(char *dst, u32 cap)
{
	tapir_str_copy(dst, "", cap);
}

u32 tapir_port_user_bits(void)
{
	return sizeof(void *) * 8;
}

s64 tapir_port_cpu(void)
{
	return sched_getcpu();
}

s64 tapir_port_numa_node(void)
{
	return 0;
}

s64 tapir_port_interrupted_by(void)
{
	return TAPIR_BY_NOTHING;
}

void tapir_port_module_name(char *dst, u32 cap)
{
	tapir_str_copy(dst, "tapir_host", cap);
}

s64 tapir_port_module_size(void)
{
	return 0;
}
