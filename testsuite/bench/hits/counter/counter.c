// SPDX-License-Identifier: GPL-2.0-or-later
// The cheapest counter a person would write by hand: an ftrace_ops on vfs_read that increments a per-CPU number. What Tapir's own
// counting is measured against.
#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/percpu.h>

static DEFINE_PER_CPU(unsigned long, hits);

static void notrace count(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, struct ftrace_regs *regs)
{
	this_cpu_inc(hits);
}

static struct ftrace_ops ops = {.func = count};

static int __init counter_init(void)
{
	int error = ftrace_set_filter(&ops, "vfs_read", sizeof("vfs_read") - 1, 0);

	return error ? error : register_ftrace_function(&ops);
}

static void __exit counter_exit(void)
{
	unsigned long sum = 0;
	int cpu;

	unregister_ftrace_function(&ops);
	for_each_possible_cpu(cpu)
		sum += per_cpu(hits, cpu);
	pr_info("counter: %lu hits\n", sum);
}

module_init(counter_init);
module_exit(counter_exit);
MODULE_DESCRIPTION("ftrace_ops counter on vfs_read");
MODULE_LICENSE("GPL");
