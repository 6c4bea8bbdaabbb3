// SPDX-License-Identifier: GPL-2.0-or-later
// The measure for Tapir's user stacks: a uprobe on a place of a file, which does nothing or walks the user stack by frame
// pointers as the kernel's perf does, and keeps the addresses. With how=check it tells how many frames there were.
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/namei.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>

static char *path = "";
module_param(path, charp, 0);
static unsigned long place;
module_param(place, ulong, 0);
static bool walk;
module_param(walk, bool, 0);

#define FRAMES 128
static DEFINE_PER_CPU(unsigned long, addresses[FRAMES]);
static DEFINE_PER_CPU(unsigned int, frames);

static void walk_by_frame_pointers(struct pt_regs *regs)
{
	unsigned long *list = this_cpu_ptr(addresses), frame[2], at = regs->bp, address;
	unsigned int count = 0;

	list[count++] = regs->ip;
	/* The first instruction: the frame is the caller's, the return address on top. */
	if (!copy_from_user_nofault(&address, (void __user *)regs->sp, sizeof(address)))
		list[count++] = address;
	while (count < FRAMES && at >= regs->sp && !(at & 7) && !copy_from_user_nofault(frame, (void __user *)at, sizeof(frame)) &&
	       frame[1]) {
		list[count++] = frame[1];
		at = frame[0];
	}
	this_cpu_write(frames, count);
}

static int walker_hit(struct uprobe_consumer *consumer, struct pt_regs *regs)
{
	preempt_disable();
	if (walk)
		walk_by_frame_pointers(regs);
	preempt_enable();
	return 0;
}

static struct uprobe_consumer consumer = {.handler = walker_hit};
static struct path file;

static int __init walker_init(void)
{
	int error = kern_path(path, LOOKUP_FOLLOW, &file);

	if (error)
		return error;
	error = uprobe_register(d_real_inode(file.dentry), place, &consumer);
	if (error)
		path_put(&file);
	return error;
}

static void __exit walker_exit(void)
{
	unsigned int most = 0;
	int cpu;

	uprobe_unregister(d_real_inode(file.dentry), place, &consumer);
	path_put(&file);
	for_each_possible_cpu(cpu)
		most = max(most, per_cpu(frames, cpu));
	if (walk)
		pr_info("walker: %u frames\n", most);
}

module_init(walker_init);
module_exit(walker_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("User stacks by frame pointers");
