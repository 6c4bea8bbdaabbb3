// SPDX-License-Identifier: GPL-2.0-or-later
/* The port API: the context functions of the language. Any context. */
#include <linux/cred.h>
#include <linux/jiffies.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/ptrace.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/time.h>
#include <linux/timekeeping.h>
#include <linux/timex.h>
#include <linux/topology.h>
#include <asm/syscall.h>
#include <tapir/port.h>
#include <tapir/string.h>
#include <tapir/unwind.h>
#include "arch/this_arch.h"
#include "compat/module.h"
#include "hit.h"
#include "state.h"
#include "subject.h"
#include "syscall_args.h"

/* ---- the current task, or whom a snapshot looks at ---- */

s64 tapir_port_pid(void)
{
	return tapir_subject_task()->tgid;
}

s64 tapir_port_tid(void)
{
	return tapir_subject_task()->pid;
}

/* Tasks and their numbers are freed after a grace period, and preemption is disabled, but in a snapshot. */
static void tapir_parent_keep(void)
{
	if (tapir_in_snapshot())
		rcu_read_lock();
}

static void tapir_parent_leave(void)
{
	if (tapir_in_snapshot())
		rcu_read_unlock();
}

void tapir_port_own_pid(u32 *own, u32 *space)
{
	const struct pid *pid;

	tapir_parent_keep();
	pid = task_tgid(tapir_subject_task());
	*own = pid ? pid->numbers[pid->level].nr : 0;
	*space = pid ? pid->numbers[pid->level].ns->ns.inum : 0;
	tapir_parent_leave();
}

static const struct task_struct *tapir_parent(void)
{
	return rcu_dereference_raw(tapir_subject_task()->real_parent);
}

s64 tapir_port_ppid(void)
{
	s64 pid;

	tapir_parent_keep();
	pid = tapir_parent()->tgid;
	tapir_parent_leave();
	return pid;
}

s64 tapir_port_pgrp(void)
{
	return task_pgrp_nr_ns(tapir_subject_task(), &init_pid_ns);
}

s64 tapir_port_sid(void)
{
	return task_session_nr_ns(tapir_subject_task(), &init_pid_ns);
}

s64 tapir_port_uid(void)
{
	return __kuid_val(tapir_in_snapshot() ? task_uid(tapir_subject.task) : current_uid());
}

s64 tapir_port_euid(void)
{
	return __kuid_val(tapir_in_snapshot() ? task_cred_xxx(tapir_subject.task, euid) : current_euid());
}

s64 tapir_port_gid(void)
{
	return __kgid_val(tapir_in_snapshot() ? task_cred_xxx(tapir_subject.task, gid) : current_gid());
}

s64 tapir_port_egid(void)
{
	return __kgid_val(tapir_in_snapshot() ? task_cred_xxx(tapir_subject.task, egid) : current_egid());
}

/* Another task may rename this one meanwhile; every mixture is terminated. */
static __always_inline void tapir_copy_comm(char *dst, u32 cap, const struct task_struct *task)
{
	if (cap < TASK_COMM_LEN) {
		tapir_str_copy(dst, task->comm, cap);
		return;
	}
	memcpy(dst, task->comm, TASK_COMM_LEN);
	dst[TASK_COMM_LEN - 1] = 0;
}

void tapir_port_execname(char *dst, u32 cap)
{
	tapir_copy_comm(dst, cap, tapir_subject_task());
}

void tapir_port_pexecname(char *dst, u32 cap)
{
	tapir_parent_keep();
	tapir_copy_comm(dst, cap, tapir_parent());
	tapir_parent_leave();
}

s64 tapir_port_task_current(void)
{
	return (s64)(uintptr_t)tapir_subject_task();
}

s64 tapir_port_syscall_number(bool *narrow)
{
	struct pt_regs *regs = tapir_subject_registers();

	*narrow = tapir_in_snapshot() ? tapir_port_user_bits() == 32 : tapir_syscall_is_32bit();
	return regs ? tapir_syscall_plain_number(syscall_get_nr(tapir_subject_task(), regs), *narrow) : -1;
}

u64 tapir_port_syscall_argument(s64 n)
{
	u64 args[TAPIR_SYSCALL_ARGUMENTS];
	bool narrow;

	if (n < 0 || n >= TAPIR_SYSCALL_ARGUMENTS || tapir_port_syscall_number(&narrow) < 0)
		return 0;
	tapir_syscall_arguments(tapir_subject_registers(), narrow, args);
	return args[n];
}

s64 tapir_port_stack_left(void)
{
	return min_t(unsigned long, tapir_stack_left(), THREAD_SIZE);
}

/* A handler may be entered with MINSTACKSPACE left and then needs room for some calls. */
#define TAPIR_CALLS_ON_UNKNOWN_STACK 12

bool tapir_port_stack_low(const struct tapir_ctx *c)
{
	unsigned long left = tapir_stack_left();

	if (left < THREAD_SIZE)
		return left < tapir_session.min_stack * 2 / 3;
	return c->nesting >= TAPIR_CALLS_ON_UNKNOWN_STACK;
}

/* ---- the machine ---- */

s64 tapir_port_cpu(void)
{
	return raw_smp_processor_id();
}

s64 tapir_port_numa_node(void)
{
	return numa_node_id();
}

s64 tapir_port_interrupted_by(void)
{
	unsigned long count = preempt_count();

	/* The breakpoint of a probe counts as an NMI, and each NMI as a hard interrupt, too. */
	if ((count & HARDIRQ_MASK) / HARDIRQ_OFFSET > (count & NMI_MASK) / NMI_OFFSET)
		return TAPIR_BY_HARDIRQ;
	return in_serving_softirq() ? TAPIR_BY_SOFTIRQ : TAPIR_BY_NOTHING;
}

s64 tapir_port_gettimeofday_ns(void)
{
	return ktime_get_real_fast_ns();
}

s64 tapir_port_ktime_ns(void)
{
	return ktime_get_mono_fast_ns();
}

s64 tapir_port_local_clock_ns(void)
{
	return local_clock();
}

s64 tapir_port_cpu_clock_ns(s64 cpu)
{
	return cpu >= 0 && cpu < nr_cpu_ids && cpu_possible(cpu) ? cpu_clock(cpu) : 0;
}

s64 tapir_port_cycles(void)
{
	return get_cycles();
}

s64 tapir_port_jiffies(void)
{
	return jiffies;
}

s64 tapir_port_hz(void)
{
	return HZ;
}

s64 tapir_port_timezone_offset(void)
{
	return tapir_session.seconds_west;
}

void tapir_port_timezone_name(char *dst, u32 cap)
{
	tapir_str_copy(dst, tapir_session.zone, cap);
}

/* xorshift64*, one state per CPU: callable where the kernel's own generator is not. Interruption at worst repeats a number. */
static DEFINE_PER_CPU(u64, tapir_random_state);

s64 tapir_port_random(s64 n)
{
	u64 x = raw_cpu_read(tapir_random_state);

	if (!x)
		x = (get_cycles() ^ ktime_get_mono_fast_ns() * 0x9e3779b97f4a7c15ull) + raw_smp_processor_id() * 2 + 1;
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	raw_cpu_write(tapir_random_state, x);
	x = (x * 0x2545f4914f6cdd1dull) >> 1;
	return n > 0 ? (s64)(x % (u64)n) : 0;
}

/* ---- the session ---- */

s64 tapir_port_target(void)
{
	return tapir_session.target;
}

/* The subject is alive: nothing has ended it. */
s64 tapir_port_crash(u32 what)
{
	return 0;
}

s64 tapir_port_frame(void)
{
	return 0;
}

void tapir_port_module_name(char *dst, u32 cap)
{
	tapir_str_copy(dst, THIS_MODULE->name, cap);
}

s64 tapir_port_module_size(void)
{
	return tapir_module_bytes(THIS_MODULE);
}

s64 tapir_port_namespaces_pid(void)
{
	return tapir_session.namespaces_pid;
}

s64 tapir_port_loader_pid(void)
{
	return tapir_session.loader_pid;
}

s64 tapir_port_loader_uid(void)
{
	return tapir_session.loader_uid;
}

s64 tapir_port_remote_id(void)
{
	return tapir_session.remote_id;
}

void tapir_port_remote_uri(char *dst, u32 cap)
{
	tapir_str_copy(dst, tapir_session.remote_uri, cap);
}

/* ---- the hit ---- */

const char *tapir_port_kind(struct tapir_ctx *c)
{
	return c->probe->kind->name;
}

bool tapir_port_is_return(struct tapir_ctx *c)
{
	return c->probe->kind->returns && !c->at_entry;
}

u32 tapir_port_registers(struct tapir_ctx *c)
{
	return !c->regs ? TAPIR_REGISTERS_NONE : c->probe->kind->arguments_only ? TAPIR_REGISTERS_ARGUMENTS : TAPIR_REGISTERS_ALL;
}

void tapir_port_pp(struct tapir_ctx *c, char *dst, u32 cap)
{
	if (c->probe->kind->point)
		c->probe->kind->point(c, dst, cap);
	else
		tapir_str_copy(dst, c->probe->point, cap);
}

/* The name in front of a label's "@". It is written as in a script: backslashes precede quotes, themselves and, two of them, an "@"
 * of the name; "::" in front means that it is in no scope. */
static void tapir_label_name(const char *label, char *dst, u32 cap)
{
	u32 used = 0;

	if (!strncmp(label, "::", 2))
		label += 2;
	for (; *label && *label != '@' && used + 1 < cap; label++) {
		if (!strncmp(label, "\\\\@", 3))
			label += 2;
		else if (label[0] == '\\' && label[1])
			label++;
		dst[used++] = *label;
	}
	dst[used] = 0;
	if (*label && *label != '@')
		tapir_count_cut(TAPIR_CUT_STRING, cap);
}

void tapir_port_probefunc(struct tapir_ctx *c, char *dst, u32 cap)
{
	const char *label = c->probe->kind->label ? c->probe->kind->label(c) : NULL;

	if (label)
		tapir_label_name(label, dst, cap);
	else if (!c->probe->kind->user && c->ip && !tapir_port_user_mode(c) && tapir_port_symbol(c->ip, dst, cap))
		dst[strcspn(dst, "+")] = 0;
	else
		dst[0] = 0;
}

bool tapir_port_symbol(u64 address, char *dst, u32 cap)
{
	/* The kernel prints an address without a symbol in hexadecimal. Only the name counts, not the offset behind it. */
	if (snprintf(dst, cap, "%pS", (void *)(uintptr_t)address) >= cap && !strchr(dst, '+'))
		tapir_count_cut(TAPIR_CUT_STRING, cap);
	return dst[0] != '0';
}

bool tapir_port_behind_call(u64 address)
{
	u64 before;

	return !tapir_port_read_kernel(&before, address - sizeof(before), sizeof(before)) &&
	       tapir_unwind_after_call(TAPIR_THIS_UNWIND_MACHINE, before);
}

bool tapir_port_return_symbol(u64 address, char *dst, u32 cap)
{
	/* Interrupted code is on a stack, too. */
	if (!tapir_port_behind_call(address))
		return tapir_port_symbol(address, dst, cap);
	if (snprintf(dst, cap, "%pB", (void *)(uintptr_t)address) >= cap && !strchr(dst, '+'))
		tapir_count_cut(TAPIR_CUT_STRING, cap);
	return dst[0] != '0';
}

bool tapir_port_user_mode(struct tapir_ctx *c)
{
	return c->regs && !c->probe->kind->arguments_only && user_mode((struct pt_regs *)c->regs);
}

u64 tapir_port_addr(struct tapir_ctx *c)
{
	return c->ip;
}

u64 tapir_port_user_address(void)
{
	struct pt_regs *regs = tapir_subject_registers();

	return regs && user_mode(regs) ? instruction_pointer(regs) : 0;
}

u64 tapir_port_register(struct tapir_ctx *c, const char *name, u32 *bytes)
{
	const struct tapir_register *reg = c->regs ? tapir_register_find(name) : NULL;

	*bytes = reg && (reg->partial || !c->probe->kind->arguments_only) ? reg->bytes : 0;
	return *bytes ? tapir_register_read(reg, c->regs) : 0;
}

/* Where a register of the hit is saved, or NULL. */
static u64 *tapir_hit_register(struct tapir_ctx *c, u32 number)
{
	if (!c->regs || (c->probe->kind->arguments_only && !(TAPIR_PARTIAL_REGISTERS >> (number & 63) & 1)))
		return NULL;
	return tapir_saved_register(c->regs, number);
}

bool tapir_port_hit_register(struct tapir_ctx *c, u32 number, u64 *value)
{
	const u64 *saved = tapir_hit_register(c, number);

	if (!saved)
		return false;
	*value = *saved;
	return true;
}

bool tapir_port_set_hit_register(struct tapir_ctx *c, u32 number, u64 value)
{
	u64 *saved = tapir_hit_register(c, number);

	if (saved)
		*saved = value;
	return saved;
}

bool tapir_port_user_register(struct tapir_ctx *c, u32 number, u64 *value)
{
	struct pt_regs *regs = tapir_subject_registers();

	if (regs && number == TAPIR_THREAD_POINTER) {
		*value = tapir_in_snapshot() ? tapir_subject.thread_pointer : tapir_thread_pointer();
		return true;
	}
	if (!regs || !user_mode(regs))
		return false;
	/* The kernel is not about to use vector registers itself where a breakpoint of a program brought us. */
	if (c->probe->kind->user && tapir_vector_register(number, value))
		return true;
	if (number >= TAPIR_SAVED_REGISTERS)
		return false;
	*value = *tapir_saved_register(regs, number);
	return true;
}

static bool tapir_at_function_entry(const struct tapir_ctx *c)
{
	const struct tapir_kind_ops *kind = c->probe->kind;

	if (kind->returns)
		return c->at_entry;
	if (kind->user)
		return ((const struct tapir_function_site *)c->place)->entry;
	return kind->function_entry;
}

u64 tapir_port_argument(struct tapir_ctx *c, s64 n, bool *ok)
{
	u64 value = 0;

	if (c->probe->kind->value) {
		*ok = n >= 1 && n <= U8_MAX && c->probe->kind->value(c, n, &value);
		return value;
	}
	*ok = c->regs && tapir_at_function_entry(c) && (!c->probe->kind->user || tapir_user_is_64bit(c->regs)) && n >= 1 &&
	      n <= TAPIR_REGISTER_ARGUMENTS && IS_ENABLED(CONFIG_HAVE_FUNCTION_ARG_ACCESS_API);
	return *ok ? tapir_register_argument(c->regs, n - 1) : 0;
}

u64 tapir_port_return_value(struct tapir_ctx *c, bool *ok)
{
	u64 value = 0;

	if (c->probe->kind->value) {
		*ok = c->probe->kind->value(c, 0, &value);
		return value;
	}
	*ok = c->regs && c->probe->kind->returns && !c->at_entry;
	return *ok ? regs_return_value(c->regs) : 0;
}

bool tapir_port_set_argument(struct tapir_ctx *c, s64 n, u64 value)
{
	return n >= 1 && n <= TAPIR_REGISTER_ARGUMENTS && tapir_port_set_hit_register(c, tapir_argument_registers[n - 1], value);
}

bool tapir_port_set_return_value(struct tapir_ctx *c, u64 value)
{
	return tapir_port_set_hit_register(c, TAPIR_RETURN_REGISTER, value);
}

u32 tapir_port_user_bits(void)
{
	struct pt_regs *regs = tapir_subject_registers();

	if (regs)
		return tapir_user_is_64bit(regs) ? 64 : 32;
	return tapir_in_snapshot() && current->mm ? (current->mm->task_size > U32_MAX ? 64 : 32) : 0;
}
