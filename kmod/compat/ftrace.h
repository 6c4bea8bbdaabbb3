/* SPDX-License-Identifier: GPL-2.0-or-later */
/* <linux/ftrace.h>: the arguments of callbacks, and the selection of sites. */
#ifndef TAPIR_COMPAT_FTRACE_H
#define TAPIR_COMPAT_FTRACE_H

#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/types.h>
#include <tapir_kernel_features.h>
#include "../arch/this_arch.h"
/* In 6.13 (7888af4166d4), and in the stable 6.12 since its 75th release, the contents of ftrace_regs became the architecture's. */
#if __has_include(<linux/ftrace_regs.h>)
#include <linux/ftrace_regs.h>
#define TAPIR_FTRACE_REGS_OPAQUE 1
#else
#define TAPIR_FTRACE_REGS_OPAQUE 0
#endif

/*
 * Handlers need the registers that hold arguments. With WITH_ARGS every callback gets those. Saving all registers costs more per
 * hit, so it is requested only where there is no other way. IF_SUPPORTED keeps SAVE_REGS from failing on kernels that cannot save
 * them.
 */
#if TAPIR_HAVE_FTRACE_REGS_ARG
typedef struct ftrace_regs tapir_ftrace_regs;
#else
typedef struct pt_regs tapir_ftrace_regs; /* before ftrace_regs, 5.11 (d19ad0775dcd) */
#endif

#if TAPIR_HAVE_FTRACE_REGS_ARG && defined(CONFIG_DYNAMIC_FTRACE_WITH_ARGS)
#define TAPIR_FTRACE_FLAGS_REGS 0
#define TAPIR_FTRACE_FULL_REGS	0
#else
#define TAPIR_FTRACE_FLAGS_REGS (FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED)
#define TAPIR_FTRACE_FULL_REGS	1
#endif

/* The callback protects itself from recursion. 5.11 (a25d036d939a) inverted the meaning of this bit and its name. */
#if TAPIR_HAVE_FTRACE_RECURSION_SAFE
#define TAPIR_FTRACE_FLAGS_RECURSION FTRACE_OPS_FL_RECURSION_SAFE
#else
#define TAPIR_FTRACE_FLAGS_RECURSION 0
#endif

/* PERMANENT: the sysctl kernel.ftrace_enabled cannot switch the probes off behind our back. */
#define TAPIR_FTRACE_FLAGS (TAPIR_FTRACE_FLAGS_REGS | TAPIR_FTRACE_FLAGS_RECURSION | FTRACE_OPS_FL_PERMANENT)

/* Returns the callback's registers as pt_regs. Only arguments, stack pointer and ip are valid unless TAPIR_FTRACE_FULL_REGS. May be
 * NULL. */
static __always_inline struct pt_regs *tapir_ftrace_pt_regs(tapir_ftrace_regs *fregs)
{
#if !TAPIR_HAVE_FTRACE_REGS_ARG
	return fregs;
#elif TAPIR_FTRACE_FULL_REGS
	return ftrace_get_regs(fregs);
#elif !TAPIR_FTRACE_REGS_ARE_PT_REGS
	return NULL; /* not laid out as pt_regs */
#elif TAPIR_FTRACE_REGS_OPAQUE
	return &arch_ftrace_regs(fregs)->regs;
#else
	return &fregs->regs;
#endif
}

/* Many sites can be switched at one go: since 5.18 (4f554e955614). */
#define TAPIR_FTRACE_BATCHES TAPIR_HAVE_FTRACE_SET_FILTER_IPS

enum tapir_ftrace_change {
	TAPIR_FTRACE_REMOVE,
	TAPIR_FTRACE_ADD,     /* sites that are not there yet */
	TAPIR_FTRACE_REPLACE, /* of an unregistered ops */
};

/* Changes sites of the filter of an ops, registered or not; all or none. -EINVAL: at least one address has none. */
static inline int tapir_ftrace_change_sites(struct ftrace_ops *ops, unsigned long *ips, unsigned int count,
					    enum tapir_ftrace_change change)
{
	int remove = change == TAPIR_FTRACE_REMOVE, reset = change == TAPIR_FTRACE_REPLACE;

#if TAPIR_HAVE_FTRACE_SET_FILTER_IPS
	return ftrace_set_filter_ips(ops, ips, count, remove, reset);
#else
	/* One at a time; the caller splits until count is 1. */
	return count == 1 ? ftrace_set_filter_ip(ops, ips[0], remove, reset) : -EINVAL;
#endif
}

/*
 * All functions of the kernel, in steps that do not keep a processor for too long: adds a step to the filter of an ops, or removes
 * it. Without ftrace_set_filter_ips() there is no other way to name many functions at a time.
 */
#define TAPIR_FTRACE_STEPS 8
static inline int tapir_ftrace_change_step(struct ftrace_ops *ops, unsigned int step, bool add)
{
	static const char *const names[TAPIR_FTRACE_STEPS] = {
	    "[q-s]*", "[A-Z_]*", "[a-b]*", "[c-d]*", "[e-h]*", "[i-m]*", "[n-p]*", "[t-z]*",
	};
	unsigned char pattern[16]; /* is written to */
	int length = scnprintf((char *)pattern, sizeof(pattern), "%s%s", add ? "" : "!", names[step]);

	return ftrace_set_filter(ops, pattern, length, 0);
}

/* Frees the filter of an unregistered ops. The function for that is exported since 6.2 (8be9fbd5345d, also in the stable 6.1). */
static inline void tapir_ftrace_free_sites(struct ftrace_ops *ops)
{
#if TAPIR_HAVE_FTRACE_FREE_FILTER
	ftrace_free_filter(ops);
#else
	ftrace_set_filter(ops, NULL, 0, 1);
#endif
}

#endif
