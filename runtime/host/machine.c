// SPDX-License-Identifier: GPL-2.0-or-later
/* tapir/port.h for a process: other tasks, and the machine. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "host/host.h"
#include "handler.h"

/* Tasks of the kernel below are out of reach. */
u64 tapir_port_task_of_pid(s64 pid)
{
	(void)pid;
	return 0;
}

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

const char *tapir_port_kind(struct tapir_ctx *c)
{
	return c->probe ? c->probe->kind->name : "";
}

bool tapir_port_is_return(struct tapir_ctx *c)
{
	(void)c;
	return false;
}

u32 tapir_port_registers(struct tapir_ctx *c)
{
	(void)c;
	return TAPIR_REGISTERS_NONE;
}

bool tapir_port_set_argument(struct tapir_ctx *c, s64 n, u64 value)
{
	(void)c;
	(void)n;
	(void)value;
	return false;
}

bool tapir_port_set_return_value(struct tapir_ctx *c, u64 value)
{
	(void)c;
	(void)value;
	return false;
}

u32 tapir_port_user_bits(void)
{
	return sizeof(void *) * 8;
}
