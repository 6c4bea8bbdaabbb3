// SPDX-License-Identifier: GPL-2.0-or-later
/* Context functions for a process that is its own subject. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <tapir/stacks.h>
#include "process/test/host.h"
#include "handler.h"

static __thread u64 execname[2];
static __thread bool have_execname;

void tapir_host_set_execname(const char *name)
{
	snprintf((char *)execname, sizeof(execname), "%s", name);
	have_execname = true;
}

void tapir_port_execname(char *dst, u32 cap)
{
	(void)cap; /* at least 16 */
	if (__builtin_expect(!have_execname, 0)) {
		char name[16] = "";

		prctl(PR_GET_NAME, name);
		tapir_host_set_execname(name);
	}
	memcpy(dst, execname, sizeof(execname));
}

void tapir_port_pexecname(char *dst, u32 cap)
{
	char path[64];
	FILE *f;

	dst[0] = 0;
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)getppid());
	f = fopen(path, "r");
	if (!f)
		return;
	if (fgets(dst, (int)cap, f))
		dst[strcspn(dst, "\n")] = 0;
	fclose(f);
}

s64 tapir_port_pid(void)
{
	return getpid();
}

void tapir_port_own_pid(u32 *own, u32 *space)
{
	*own = *space = 0;
}

s64 tapir_port_tid(void)
{
	return syscall(SYS_gettid);
}

s64 tapir_port_ppid(void)
{
	return getppid();
}

s64 tapir_port_pgrp(void)
{
	return getpgrp();
}

s64 tapir_port_sid(void)
{
	return getsid(0);
}

s64 tapir_port_uid(void)
{
	return getuid();
}

s64 tapir_port_euid(void)
{
	return geteuid();
}

s64 tapir_port_gid(void)
{
	return getgid();
}

s64 tapir_port_egid(void)
{
	return getegid();
}

s64 tapir_port_target(void)
{
	return 0;
}

s64 tapir_port_crash(u32 what)
{
	(void)what;
	return 0;
}

void tapir_port_pp(struct tapir_ctx *c, char *dst, u32 cap)
{
	tapir_str_copy(dst, c->probe ? c->probe->point : "", cap);
}

s64 tapir_port_frame(void)
{
	return 0;
}

bool tapir_port_user_memory(u64 address, u64 *start, u64 *end)
{
	(void)address;
	(void)start;
	(void)end;
	return false;
}

bool tapir_port_user_mode(struct tapir_ctx *c)
{
	(void)c;
	return false;
}

u64 tapir_port_user_address(void)
{
	return 0;
}

u64 tapir_port_addr(struct tapir_ctx *c)
{
	return c->ip;
}

u64 tapir_port_register(struct tapir_ctx *c, const char *name, u32 *bytes)
{
	(void)c;
	(void)name;
	*bytes = 0;
	return 0;
}

bool tapir_port_hit_register(struct tapir_ctx *c, u32 number, u64 *value)
{
	if (!c->regs || number >= TAPIR_SAVED_REGISTERS)
		return false;
	*value = *(const u64 *)((const char *)c->regs + tapir_saved_offsets[number]);
	return true;
}

bool tapir_port_set_hit_register(struct tapir_ctx *c, u32 number, u64 value)
{
	if (!c->regs || number >= TAPIR_SAVED_REGISTERS)
		return false;
	*(u64 *)((char *)c->regs + tapir_saved_offsets[number]) = value;
	return true;
}

bool tapir_port_user_register(struct tapir_ctx *c, u32 number, u64 *value)
{
	return tapir_port_hit_register(c, number, value);
}

u32 tapir_port_program_bias(struct tapir_ctx *c, u32 program, u64 *bias)
{
	(void)c;
	(void)program;
	(void)bias;
	return TAPIR_PROGRAM_NOT_MAPPED;
}

void tapir_port_probefunc(struct tapir_ctx *c, char *dst, u32 cap)
{
	(void)c;
	tapir_str_copy(dst, "", cap); /* simulated hits are of no address */
}

u32 tapir_port_registers(struct tapir_ctx *c)
{
	(void)c;
	return TAPIR_REGISTERS_NONE;
}

/* Simulated hits have no registers. */
void tapir_host_describe(struct tapir_ctx *c)
{
	(void)c;
}
