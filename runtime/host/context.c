// SPDX-License-Identifier: GPL-2.0-or-later
/* Handler contexts of the native port, one per CPU and level, and what the context functions answer. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "host/host.h"
#include "handler.h"

#define TAPIR_KIND(Name, name, LEAF, registers, flags) const struct tapir_kind_ops tapir_kind_##name = {#name, TAPIR_LEAF_##LEAF};
#include <tapir/kinds.def>

static struct tapir_ctx *contexts[TAPIR_HOST_CPUS_MAX][TAPIR_LEVELS];
static u32 active[TAPIR_HOST_CPUS_MAX]; /* bit per level */
static pthread_mutex_t create_mutex = PTHREAD_MUTEX_INITIALIZER;

static __thread u64 execname[2];
static __thread bool have_execname;

static struct tapir_ctx *create(u32 cpu, u8 level)
{
	struct tapir_ctx *c = calloc(1, sizeof(*c));

	if (!c)
		abort();
	c->cpu = cpu;
	c->level = level;
	c->may_wait = level == TAPIR_LEVEL_SESSION;
	c->out = malloc(TAPIR_OUTPUT_MAX);
	c->frame = aligned_alloc(64, (tapir_module.frame_bytes + 127u) & ~63u);
	c->scratch = malloc(TAPIR_SCRATCH_BYTES);
	if (!c->out || !c->frame || !c->scratch)
		abort();
	return c;
}

struct tapir_ctx *tapir_host_enter(u32 cpu, u8 level, const struct tapir_probe *probe)
{
	struct tapir_ctx *c = __atomic_load_n(&contexts[cpu][level], __ATOMIC_ACQUIRE);

	if (!c) {
		pthread_mutex_lock(&create_mutex);
		c = contexts[cpu][level];
		if (!c) {
			c = create(cpu, level);
			__atomic_store_n(&contexts[cpu][level], c, __ATOMIC_RELEASE);
		}
		pthread_mutex_unlock(&create_mutex);
	}
	__atomic_or_fetch(&active[cpu], 1u << level, __ATOMIC_RELAXED);
	tapir_handler_start(c, probe, (s64)tapir_port_limit(TAPIR_LIMIT_MAXACTION_INTERRUPTIBLE));
	return c;
}

void tapir_host_leave(struct tapir_ctx *c)
{
	__atomic_and_fetch(&active[c->cpu], ~(1u << c->level), __ATOMIC_RELAXED);
	if (!tapir_host.idle)
		tapir_host_tend();
}

bool tapir_port_nested(const struct tapir_ctx *c)
{
	return c->level != TAPIR_LEVEL_SESSION && __atomic_load_n(&active[c->cpu], __ATOMIC_RELAXED) & ((1u << c->level) - 1);
}

/* Nothing is at a probe's place here: what a leaf wants to know of a hit is 0. */
static void tapir_host_leaf(const struct tapir_probe *probe, u32 cpu)
{
	static const u64 registers[32];

	switch (probe->kind->leaf) {
	case TAPIR_LEAF_REGISTERS:
		probe->leaf.registers(cpu, registers);
		break;
	case TAPIR_LEAF_ARGUMENTS:
		probe->leaf.arguments(cpu, 0, 0, 0, 0, 0);
		break;
	default:
		probe->leaf.plain(cpu);
	}
}

void tapir_host_hit(u32 cpu, u8 level, const struct tapir_probe *probe)
{
	struct tapir_host_probe *counters = tapir_host_probe_of(probe);
	struct tapir_ctx *c;

	__atomic_add_fetch(&counters->hits, 1, __ATOMIC_RELAXED);
	if (probe->leaf.plain) {
		tapir_host_leaf(probe, cpu);
		__atomic_add_fetch(&counters->handled, 1, __ATOMIC_RELAXED);
		return;
	}
	if (probe->attempt && probe->attempt(NULL, cpu)) {
		__atomic_add_fetch(&counters->handled, 1, __ATOMIC_RELAXED);
		return;
	}
	c = tapir_host_enter(cpu, level, probe);
	probe->handler(c);
	tapir_handler_finish(c);
	if (c->failed != TAPIR_FAIL_SKIP)
		__atomic_add_fetch(&counters->handled, 1, __ATOMIC_RELAXED);
	tapir_host_leave(c);
}

/* ---- context functions ---- */

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

s64 tapir_port_cpu(void)
{
	return sched_getcpu();
}

s64 tapir_port_numa_node(void)
{
	return 0;
}

s64 tapir_port_target(void)
{
	return 0;
}

void tapir_port_module_name(char *dst, u32 cap)
{
	tapir_str_copy(dst, "tapir_host", cap);
}

s64 tapir_port_module_size(void)
{
	return 0;
}

void tapir_port_pp(struct tapir_ctx *c, char *dst, u32 cap)
{
	tapir_str_copy(dst, c->probe ? c->probe->point : "", cap);
}

void tapir_port_probefunc(struct tapir_ctx *c, char *dst, u32 cap)
{
	(void)c;
	tapir_str_copy(dst, "", cap); /* simulated hits are of no address */
}

/* Nor do they have a kernel below them. */
u32 tapir_port_kernel_stack(struct tapir_ctx *c, u64 *addresses, u32 max)
{
	(void)c;
	(void)addresses;
	(void)max;
	return 0;
}

/* ... nor a user stack. */
bool tapir_port_user_walk_begin(struct tapir_ctx *c, struct tapir_user_walk *w)
{
	(void)c;
	w->end = TAPIR_UNWIND_FOREIGN;
	return false;
}

void tapir_port_user_walk_end(struct tapir_user_walk *w)
{
	(void)w;
}

void tapir_port_user_walk_from(struct tapir_user_walk *w, u64 pc, u64 sp, u64 fp)
{
	(void)w;
	(void)pc;
	(void)sp;
	(void)fp;
}

void tapir_port_count_user_stack(u8 end)
{
	(void)end;
}

bool tapir_port_symbol(u64 address, char *dst, u32 cap)
{
	(void)address;
	tapir_str_copy(dst, "", cap);
	return false;
}

/* Nor packets. */
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

/* Nor does anything count events. */
s64 tapir_port_perf_counter(struct tapir_ctx *c, const char *name)
{
	tapir_errorf(c, NULL, "no events are counted as '%s'", name);
	return 0;
}

s64 tapir_port_task_counter(struct tapir_ctx *c, const char *name)
{
	return tapir_port_perf_counter(c, name);
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

s64 tapir_port_timezone_offset(void)
{
	struct tm local;
	time_t now = time(NULL);

	localtime_r(&now, &local);
	return -local.tm_gmtoff;
}
