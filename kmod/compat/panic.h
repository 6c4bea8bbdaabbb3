/* SPDX-License-Identifier: GPL-2.0-or-later */
/* panic(): of linux/kernel.h, since 5.14 (f39650de687e) of linux/panic.h. */
#ifndef TAPIR_COMPAT_PANIC_H
#define TAPIR_COMPAT_PANIC_H

#if __has_include(<linux/panic.h>)
#include <linux/panic.h>
#else
#include <linux/kernel.h>
#endif

#endif
