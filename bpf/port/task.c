// SPDX-License-Identifier: GPL-2.0-or-later
/* tapir/port.h for BPF: the current task, the clocks and the hit. */
#include <tapir/context.h>
#include <tapir/port.h>
#include <tapir/registers.h>
#include <tapir/string.h>
#include "helpers.h"
#include "bpf_state.h"

#define COMM_BYTES 16

s64 tapir_port_pid(void)
{
	return (s64)(bpf_get_current_pid_tgid() >> 32);
}

s64 tapir_port_tid(void)
{
	return (u32)bpf_get_current_pid_tgid();
}

s64 tapir_port_uid(void)
{
	return (u32)bpf_get_current_uid_gid();
}

s64 tapir_port_gid(void)
{
	return (s64)(bpf_get_current_uid_gid() >> 32);
}

void tapir_port_execname(char *dst, u32 cap)
{
	u64 name[COMM_BYTES / 8], first, second;
	u32 i;

	bpf_get_current_comm(name, sizeof(name));
	first = *(volatile u64 *)&name[0];
	second = *(volatile u64 *)&name[1];
	if (cap >= COMM_BYTES) {
		((u64 *)dst)[0] = first;
		((u64 *)dst)[1] = second;
		return;
	}
	for (i = 0; i + 1 < cap; i++) {
		dst[i] = (char)first;
		first = first >> 8 | second << 56;
		second >>= 8;
	}
	if (cap)
		dst[i] = 0;
}

s64 tapir_port_task_current(void)
{
	return (s64)bpf_get_current_task();
}

s64 tapir_port_cpu(void)
{
	return bpf_get_smp_processor_id();
}

s64 tapir_port_numa_node(void)
{
	return bpf_get_numa_node_id();
}

s64 tapir_port_target(void)
{
	return tapir_bpf.target;
}

s64 tapir_port_loader_pid(void)
{
	return tapir_bpf.loader;
}

s64 tapir_port_ktime_ns(void)
{
	return bpf_ktime_get_ns();
}

s64 tapir_port_gettimeofday_ns(void)
{
	return bpf_ktime_get_ns() + (s64)tapir_bpf.wall_offset;
}

s64 tapir_port_jiffies(void)
{
	return (s64)bpf_jiffies64();
}

s64 tapir_port_random(s64 n)
{
	return n > 0 ? (s64)(((u64)bpf_get_prandom_u32() << 32 | bpf_get_prandom_u32()) % (u64)n) : 0;
}

/* Nothing that BPF calls comes near the end of a stack: the verifier sees to that. */
s64 tapir_port_stack_left(void)
{
	return 8192;
}

bool tapir_port_stack_low(const struct tapir_ctx *c)
{
	(void)c;
	return false;
}

void tapir_port_pp(struct tapir_ctx *c, char *dst, u32 cap)
{
	tapir_str_copy(dst, c->probe ? c->probe->point : "", cap);
}

u32 tapir_port_registers(struct tapir_ctx *c)
{
	return c->regs ? TAPIR_REGISTERS_ALL : TAPIR_REGISTERS_NONE;
}

bool tapir_port_hit_register(struct tapir_ctx *c, u32 number, u64 *value)
{
	if (!c->regs || number >= TAPIR_SAVED_REGISTERS)
		return false;
	*value = (u64)tapir_leaf_register(c->regs, number);
	return true;
}

u64 tapir_port_addr(struct tapir_ctx *c)
{
	return c->ip;
}
