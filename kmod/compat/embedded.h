/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Macros and functions for embedded C that was written for SystemTap; see <tapir/embed_compat.h>. */
#ifndef TAPIR_COMPAT_EMBEDDED_H
#define TAPIR_COMPAT_EMBEDDED_H

#include <tapir_kernel_features.h>
#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/types.h>

/* 6.1 has only uintptr_t, 6.12 both. */
#if !TAPIR_HAVE_INTPTR_T
typedef long intptr_t;
#endif

#define _stp_snprintf	       scnprintf
#define _stp_vsnprintf	       vscnprintf
#define _stp_current_pt_regs   current_pt_regs
#define _stp_kmalloc(n)	       kmalloc((n), GFP_ATOMIC | __GFP_NOWARN)
#define _stp_kzalloc(n)	       kzalloc((n), GFP_ATOMIC | __GFP_NOWARN)
#define _stp_kmalloc_gfp(n, f) kmalloc((n), (f) | __GFP_NOWARN)
#define _stp_kzalloc_gfp(n, f) kzalloc((n), (f) | __GFP_NOWARN)
#define _stp_kfree	       kfree

/* Features of every kernel since 5.10 ... */
#define STAPCONF_ACCESS_OK_2ARGS     1
#define STAPCONF_BIO_BI_OPF	     1
#define STAPCONF_BLK_TYPES	     1
#define STAPCONF_CPU_CLOCK	     1
#define STAPCONF_DPATH_PATH	     1
#define STAPCONF_FROM_KUID_MUNGED    1
#define STAPCONF_HLIST_ADD_TAIL_RCU  1
#define STAPCONF_INODE_PRIVATE	     1
#define STAPCONF_INODE_RWSEM	     1
#define STAPCONF_KERN_PATH	     1
#define STAPCONF_LINUX_SCHED_HEADERS 1
#define STAPCONF_LINUX_UACCESS_H     1
#define STAPCONF_LINUX_UIDGID_H	     1
#define STAPCONF_LOCAL_CLOCK	     1
#define STAPCONF_MMAP_LOCK	     1
#define STAPCONF_MM_SHMEMPAGES	     1
#define STAPCONF_PAGEFAULT_DISABLE   1
#define STAPCONF_PROC_CREATE_DATA    1
#define STAPCONF_PROC_OPS	     1
#define STAPCONF_RCU_IS_WATCHING     1
#define STAPCONF_REAL_PARENT	     1
#define STAPCONF_SYNCHRONIZE_RCU     1
#define STAPCONF_TIME32_OLD_H	     1
#define STAPCONF_TIMERFD_H	     1
#define STAPCONF_TRACE_PRINTK	     1
#define STAPCONF_UAPI_LINUX_MOUNT_H  1
#define STAPCONF_VZALLOC	     1
/* ... and what some have. The others are of older kernels: not defined. */
#if TAPIR_HAVE_DISK_GET_PART
#define STAPCONF_DISK_GET_PART 1
#endif
#if TAPIR_HAVE_FILES_LOOKUP_FD_RAW
#define STAPCONF_FILES_LOOKUP_FD_RAW 1
#endif
#if TAPIR_HAVE_MODULE_CORE_LAYOUT
#define STAPCONF_MODULE_LAYOUT 1
#endif
#if TAPIR_HAVE_PDE_DATA
#define STAPCONF_PDE_DATA 1
#endif
#if TAPIR_HAVE_SET_FS
#define STAPCONF_SET_FS 1
#endif
#if TAPIR_HAVE_TASK_STATE
#define STAPCONF_TASK_STATE 1
#endif

#endif
