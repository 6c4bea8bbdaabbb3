/* SPDX-License-Identifier: GPL-2.0-or-later */
/* <linux/percpu.h> */
#ifndef TAPIR_COMPAT_PERCPU_H
#define TAPIR_COMPAT_PERCPU_H

#include <linux/err.h>
#include <linux/percpu.h>

/* As PTR_ERR_OR_ZERO(), which takes no pointers to per-CPU data since these are an address space of their own for the
 * compiler, 6.15. */
static inline long tapir_percpu_error(const void __percpu *p)
{
	unsigned long value = (__force unsigned long)p;

	return IS_ERR_VALUE(value) ? (long)value : 0;
}

#endif
