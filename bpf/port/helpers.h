/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's functions for BPF programs, by their numbers in enum bpf_func_id of linux/bpf.h. */
#ifndef TAPIR_BPF_HELPERS_H
#define TAPIR_BPF_HELPERS_H

#include <tapir/types.h>

static long (*const bpf_ktime_get_ns)(void) = (void *)5;
static u32 (*const bpf_get_prandom_u32)(void) = (void *)7;
static u32 (*const bpf_get_smp_processor_id)(void) = (void *)8;
static u64 (*const bpf_get_current_pid_tgid)(void) = (void *)14;
static u64 (*const bpf_get_current_uid_gid)(void) = (void *)15;
static long (*const bpf_get_current_comm)(void *name, u32 bytes) = (void *)16;
static u64 (*const bpf_get_current_task)(void) = (void *)35;
static long (*const bpf_get_numa_node_id)(void) = (void *)42;
static long (*const bpf_probe_read_user)(void *to, u32 bytes, u64 from) = (void *)112;
static long (*const bpf_probe_read_kernel)(void *to, u32 bytes, u64 from) = (void *)113;
static long (*const bpf_probe_read_user_str)(void *to, u32 bytes, u64 from) = (void *)114;
static long (*const bpf_probe_read_kernel_str)(void *to, u32 bytes, u64 from) = (void *)115;
static u64 (*const bpf_jiffies64)(void) = (void *)118;

#endif
