// SPDX-License-Identifier: GPL-2.0-or-later
/* Stand-ins for port functions that need the kernel, and the parts of a hit that are known everywhere. */
#include <stdio.h>

#include "process/base/base.h"
#include <tapir/wait.h>
#include "handler.h"

bool tapir_port_behind_call(u64 address)
{
	(void)address;
	return false;
}

bool tapir_port_return_symbol(u64 address, char *dst, u32 cap)
{
	return tapir_port_symbol(address, dst, cap);
}

bool tapir_port_symbol(u64 address, char *dst, u32 cap)
{
	(void)address;
	tapir_str_copy(dst, "", cap);
	return false;
}

/* No packets either. */
s64 tapir_port_packet_field(const struct tapir_packet *packet, u32 field)
{
	(void)packet;
	(void)field;
	return 0;
}

void tapir_port_packet_address(const struct tapir_packet *packet, bool source, char *dst, u32 cap)
{
	(void)packet;
	(void)source;
	tapir_str_copy(dst, "", cap);
}

void tapir_port_packet_device(const struct tapir_packet *packet, bool in, char *dst, u32 cap)
{
	(void)packet;
	(void)in;
	tapir_str_copy(dst, "", cap);
}

u32 tapir_port_packet_mac(const struct tapir_packet *packet, bool in, u8 *address)
{
	(void)packet;
	(void)in;
	(void)address;
	return 0;
}

bool tapir_port_packet_bytes(const struct tapir_packet *packet, bool network, u32 offset, void *to, u32 bytes)
{
	(void)packet;
	(void)network;
	(void)offset;
	(void)to;
	(void)bytes;
	return false;
}

/* No event counters either. */
s64 tapir_port_perf_counter(struct tapir_ctx *c, const char *name)
{
	tapir_errorf(c, NULL, "no events are counted as '%s'", name);
	return 0;
}

s64 tapir_port_task_counter(struct tapir_ctx *c, const char *name)
{
	return tapir_port_perf_counter(c, name);
}

u64 tapir_port_argument(struct tapir_ctx *c, s64 n, bool *ok)
{
	(void)c;
	(void)n;
	*ok = false;
	return 0;
}

u64 tapir_port_return_value(struct tapir_ctx *c, bool *ok)
{
	(void)c;
	*ok = false;
	return 0;
}

s64 tapir_port_syscall_number(bool *narrow)
{
	*narrow = false;
	return -1;
}

u64 tapir_port_syscall_argument(s64 n)
{
	(void)n;
	return 0;
}

s64 tapir_port_task_current(void)
{
	return 0;
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

s64 tapir_port_wait_site(struct tapir_ctx *c)
{
	(void)c;
	return TAPIR_WAIT_UNKNOWN;
}

u32 tapir_port_wait_kind(struct tapir_ctx *c)
{
	(void)c;
	return TAPIR_WAIT_KINDS;
}

s64 tapir_port_task_wait_site(struct tapir_ctx *c, u64 task)
{
	(void)c;
	(void)task;
	return TAPIR_WAIT_UNKNOWN;
}

u32 tapir_port_task_wait_kind(struct tapir_ctx *c, u64 task)
{
	(void)c;
	(void)task;
	return TAPIR_WAIT_KINDS;
}

u32 tapir_port_task_stack(struct tapir_ctx *c, u64 task, u64 *addresses, u32 max)
{
	(void)c;
	(void)task;
	(void)addresses;
	(void)max;
	return 0;
}

/* Tasks of the kernel below are out of reach. */
u64 tapir_port_task_of_pid(s64 pid)
{
	(void)pid;
	return 0;
}
