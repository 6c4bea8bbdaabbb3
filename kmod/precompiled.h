/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's headers that most files of kmod/ include, compiled once for all of them: they are most of those files' compile time.
 * Every file still includes its own headers; this one is only for the compiler's -include. It comes before kbuild's own includes.
 * So it begins with those, and lets the header come again that kbuild expects to be the first.
 */
#include <linux/kconfig.h>
#include <linux/compiler_types.h>
#include <linux/module.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/mm.h>
#include <linux/fs.h>
#include <linux/uaccess.h>
#include <linux/rcupdate.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/ptrace.h>
#include <linux/kprobes.h>
#include <linux/ftrace.h>
#include <linux/irq_work.h>
#include <linux/perf_event.h>
#include <linux/trace_events.h>
#include <linux/uprobes.h>
#include <linux/file.h>
#include <linux/proc_fs.h>
#include <linux/poll.h>
#include <linux/kthread.h>
#include <asm/syscall.h>
#undef __LINUX_COMPILER_VERSION_H
