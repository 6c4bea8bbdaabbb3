/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fixed-width types under the kernel's names, without a kernel header. The typedefs are the same types as the kernel's on every
 * 64-bit architecture, so a translation unit may include both.
 */
#ifndef TAPIR_TYPES_H
#define TAPIR_TYPES_H

#ifdef TAPIR_KMOD
#include <linux/types.h>
#include <linux/stddef.h>
#else
typedef signed char s8;
typedef unsigned char u8;
typedef short s16;
typedef unsigned short u16;
typedef int s32;
typedef unsigned int u32;
typedef signed long long s64;
typedef unsigned long long u64;
typedef __SIZE_TYPE__ size_t;
#ifndef __cplusplus
#ifndef __bool_true_false_are_defined
#define __bool_true_false_are_defined 1
typedef _Bool bool;
enum { false = 0, true = 1 };
#endif
#ifndef NULL
#define NULL ((void *)0)
#endif
#endif
#endif

/* Words at any address. */
typedef u64 __attribute__((__may_alias__, __aligned__(1))) tapir_any64;
typedef u32 __attribute__((__may_alias__, __aligned__(1))) tapir_any32;
typedef u16 __attribute__((__may_alias__, __aligned__(1))) tapir_any16;

#define TAPIR_LIKELY(x)	  __builtin_expect(!!(x), 1)
#define TAPIR_UNLIKELY(x) __builtin_expect(!!(x), 0)

#endif
