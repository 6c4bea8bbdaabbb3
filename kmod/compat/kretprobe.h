/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instances of return probes. */
#ifndef TAPIR_COMPAT_KRETPROBE_H
#define TAPIR_COMPAT_KRETPROBE_H

#include <linux/kprobes.h>
#include <tapir_kernel_features.h>

/* The kretprobe an instance is of. Since 5.11 (d741bf41d7c7) an instance outlives its kretprobe and so has no pointer to it. */
static inline struct kretprobe *tapir_kretprobe_of(struct kretprobe_instance *instance)
{
#if TAPIR_HAVE_GET_KRETPROBE
	return get_kretprobe(instance);
#else
	return instance->rp;
#endif
}

#endif
