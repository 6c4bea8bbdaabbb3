// SPDX-License-Identifier: GPL-2.0-or-later
// The cheapest counters a person would write by hand; they increment a per-CPU number. What Tapir's own counting is measured
// against. how=entry: an ftrace_ops on vfs_read; how=return: a kretprobe on it; how=exit: an fprobe on its exit, where the kernel
// has them; how=trace: a probe on the tracepoint task_rename; how=syscall: one on sys_enter; how=user, how=user_return: a
// uprobe, a uretprobe at `offset` in the file `path`.
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/namei.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/uprobes.h>
#include "features.h"
#ifdef CONFIG_FPROBE
#include <linux/fprobe.h>
#endif

static char *how = "entry";
module_param(how, charp, 0);

static char *path = "";
module_param(path, charp, 0);
static unsigned long offset;
module_param(offset, ulong, 0);

static DEFINE_PER_CPU(unsigned long, hits);

/* ---- entry ---- */

static void notrace counter_entry(unsigned long ip, unsigned long parent, struct ftrace_ops *ops, struct ftrace_regs *regs)
{
	this_cpu_inc(hits);
}

static struct ftrace_ops counter_ops = {.func = counter_entry};

static int counter_ops_register(void)
{
	int error = ftrace_set_filter(&counter_ops, "vfs_read", sizeof("vfs_read") - 1, 0);

	return error ? error : register_ftrace_function(&counter_ops);
}

/* ---- return ---- */

static int counter_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	this_cpu_inc(hits);
	return 0;
}

static struct kretprobe counter_kretprobe = {.kp.symbol_name = "vfs_read", .handler = counter_return, .maxactive = 64};

#ifdef CONFIG_FPROBE
/* The type of the registers differs between kernels; they are not looked at. */
static void counter_exit_handler(void)
{
	this_cpu_inc(hits);
}

static struct fprobe counter_fprobe;

static int counter_fprobe_register(void)
{
	counter_fprobe.exit_handler = (void *)counter_exit_handler;
	return register_fprobe(&counter_fprobe, "vfs_read", NULL);
}
#endif

/* ---- tracepoint ---- */

static struct tracepoint *counter_tracepoint;

static void counter_trace(void *data, struct task_struct *task, const char *comm)
{
	this_cpu_inc(hits);
}

static void counter_seen(struct tracepoint *tracepoint, void *unused)
{
	if (!strcmp(tracepoint->name, !strcmp(how, "syscall") ? "sys_enter" : "task_rename"))
		counter_tracepoint = tracepoint;
}

static void counter_syscall(void *data, struct pt_regs *regs, long number)
{
	this_cpu_inc(hits);
}

static void *counter_trace_callback(void)
{
	return !strcmp(how, "syscall") ? (void *)counter_syscall : (void *)counter_trace;
}

static int counter_trace_register(void)
{
	for_each_kernel_tracepoint(counter_seen, NULL);
	return counter_tracepoint ? tracepoint_probe_register(counter_tracepoint, counter_trace_callback(), NULL) : -ENOENT;
}

/* ---- programs ---- */

static struct path counter_file;
static struct inode *counter_inode;

#if TAPIR_HAVE_UPROBE_DATA
static int counter_user(struct uprobe_consumer *consumer, struct pt_regs *regs, __u64 *data)
#else
static int counter_user(struct uprobe_consumer *consumer, struct pt_regs *regs)
#endif
{
	this_cpu_inc(hits);
	return 0;
}

#if TAPIR_HAVE_UPROBE_DATA
static int counter_user_return(struct uprobe_consumer *consumer, unsigned long function, struct pt_regs *regs, __u64 *data)
#else
static int counter_user_return(struct uprobe_consumer *consumer, unsigned long function, struct pt_regs *regs)
#endif
{
	this_cpu_inc(hits);
	return 0;
}

static struct uprobe_consumer counter_uprobe;
#if TAPIR_HAVE_UPROBE_HANDLE
static struct uprobe *counter_handle;
#endif

static int counter_user_register(bool at_return)
{
	int error = kern_path(path, LOOKUP_FOLLOW, &counter_file);

	if (error)
		return error;
	counter_inode = d_real_inode(counter_file.dentry);
	if (at_return)
		counter_uprobe.ret_handler = counter_user_return;
	else
		counter_uprobe.handler = counter_user;
#if TAPIR_HAVE_UPROBE_HANDLE
	counter_handle = uprobe_register(counter_inode, offset, 0, &counter_uprobe);
	error = PTR_ERR_OR_ZERO(counter_handle);
#else
	error = uprobe_register(counter_inode, offset, &counter_uprobe);
#endif
	if (error)
		path_put(&counter_file);
	return error;
}

static void counter_user_unregister(void)
{
#if TAPIR_HAVE_UPROBE_HANDLE
	uprobe_unregister_nosync(counter_handle, &counter_uprobe);
	uprobe_unregister_sync();
#else
	uprobe_unregister(counter_inode, offset, &counter_uprobe);
#endif
	path_put(&counter_file);
}

/* ---- the module ---- */

static int __init counter_init(void)
{
	if (!strcmp(how, "entry"))
		return counter_ops_register();
	if (!strcmp(how, "return"))
		return register_kretprobe(&counter_kretprobe);
	if (!strcmp(how, "trace") || !strcmp(how, "syscall"))
		return counter_trace_register();
	if (!strncmp(how, "user", 4))
		return counter_user_register(strcmp(how, "user"));
#ifdef CONFIG_FPROBE
	if (!strcmp(how, "exit"))
		return counter_fprobe_register();
#endif
	return -EOPNOTSUPP;
}

static void __exit counter_exit(void)
{
	unsigned long sum = 0;
	int cpu;

	if (!strcmp(how, "entry"))
		unregister_ftrace_function(&counter_ops);
	else if (!strcmp(how, "return"))
		unregister_kretprobe(&counter_kretprobe);
	else if (!strcmp(how, "trace") || !strcmp(how, "syscall"))
		tracepoint_probe_unregister(counter_tracepoint, counter_trace_callback(), NULL);
	else if (!strncmp(how, "user", 4))
		counter_user_unregister();
#ifdef CONFIG_FPROBE
	else
		unregister_fprobe(&counter_fprobe);
#endif
	tracepoint_synchronize_unregister();
	for_each_possible_cpu(cpu)
		sum += per_cpu(hits, cpu);
	pr_info("counter: %lu hits\n", sum);
}

module_init(counter_init);
module_exit(counter_exit);
MODULE_DESCRIPTION("counter of calls, returns or passes of a tracepoint");
MODULE_LICENSE("GPL");
