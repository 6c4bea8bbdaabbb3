// SPDX-License-Identifier: GPL-2.0-or-later
/* The port API: other tasks, memory, and the machine's own logs. Any context. */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/loadavg.h>
#include <linux/string.h>
#include <tapir/port.h>
#include <tapir/string.h>
#include "compat/panic.h"
#include "compat/trace_puts.h"

u64 tapir_port_task_of_pid(s64 pid)
{
	struct task_struct *task;

	if (pid <= 0 || pid != (pid_t)pid)
		return 0;
	rcu_read_lock();
	task = pid_task(find_pid_ns(pid, &init_pid_ns), PIDTYPE_PID);
	rcu_read_unlock();
	return (u64)(uintptr_t)task;
}

s64 tapir_port_page_size(void)
{
	return PAGE_SIZE;
}

s64 tapir_port_stack_size(void)
{
	return THREAD_SIZE;
}

s64 tapir_port_memory_node(u64 address)
{
	const void *p = (const void *)(uintptr_t)address;

	return virt_addr_valid(p) ? page_to_nid(virt_to_page(p)) : -1;
}

s64 tapir_port_memory_pages(u32 place, u64 kind)
{
	switch (place) {
	case TAPIR_PAGES_NODE:
		return kind < NR_VM_NODE_STAT_ITEMS ? (s64)global_node_page_state_pages(kind) : 0;
	case TAPIR_PAGES_ZONE:
		return kind < NR_VM_ZONE_STAT_ITEMS ? (s64)global_zone_page_state(kind) : 0;
	default:
		return (s64)totalram_pages();
	}
}

u64 tapir_port_page(u64 address)
{
	const void *p = (const void *)(uintptr_t)address;

	return virt_addr_valid(p) ? (u64)(uintptr_t)virt_to_head_page(p) : 0;
}

s64 tapir_port_cpu_counts(u64 counters)
{
	const s32 __percpu *each = (const s32 __percpu *)(uintptr_t)counters;
	s64 sum = 0;
	int cpu;

	if (!counters)
		return 0;
	for_each_possible_cpu(cpu) {
		s32 count;

		if (!tapir_port_read_kernel(&count, (u64)(uintptr_t)per_cpu_ptr(each, cpu), sizeof(count)))
			sum += count;
	}
	return sum;
}

s64 tapir_port_load_average(u32 which)
{
	return which < 3 ? READ_ONCE(avenrun[which]) : 0;
}

void tapir_port_allocation_flags(u64 flags, char *dst, u32 cap)
{
	gfp_t gfp = (__force gfp_t)flags;

	if (snprintf(dst, cap, "%pGg", &gfp) >= cap)
		tapir_count_cut(TAPIR_CUT_STRING, cap);
}

void tapir_port_kernel_log(s64 level, const char *text)
{
	const char prefix[] = {KERN_SOH_ASCII, (char)('0' + (level & 7)), '\0'};

	printk("%s%s\n", level >= 0 && level <= 7 ? prefix : KERN_DEFAULT, text);
}

bool tapir_port_trace_log(const char *text)
{
	return tapir_trace_puts(text) > 0;
}

void tapir_port_panic(const char *text)
{
	panic("%s", text);
}

void tapir_port_dump_stack(void)
{
	dump_stack();
}
