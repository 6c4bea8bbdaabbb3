/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registering kprobes. */
#ifndef TAPIR_COMPAT_KPROBE_H
#define TAPIR_COMPAT_KPROBE_H

#include <linux/kprobes.h>

/*
 * Up to 6.12 register_kprobe() fails when the probe cannot be put in place; in 7.2 it says nothing of that. enable_kprobe() does
 * everywhere.
 */
static inline int tapir_kprobe_register(struct kprobe *kprobe)
{
	int error;

	kprobe->flags = KPROBE_FLAG_DISABLED;
	error = register_kprobe(kprobe);
	if (error)
		return error;
	error = enable_kprobe(kprobe);
	if (error)
		unregister_kprobe(kprobe);
	return error;
}

#endif
