/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's headers that embedded C of a user's script need not include itself. */
#ifndef TAPIR_KMOD_KERNEL_HEADERS_H
#define TAPIR_KMOD_KERNEL_HEADERS_H

#include <linux/version.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/errno.h>
#include <linux/string.h>
#include <linux/ctype.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/mm.h>
#include <linux/uaccess.h>
#include <linux/spinlock.h>
#include <linux/rcupdate.h>
#include <linux/percpu.h>
#include <linux/jiffies.h>
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/pid.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/file.h>
#include <linux/fdtable.h>
#include "compat/embedded.h"

#endif
