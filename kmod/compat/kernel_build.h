/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The build of the kernel that the headers belong to, as in its `uname -v`; "" if the headers do not have it. UTS_VERSION moved
 * from generated/compile.h to generated/utsversion.h in 6.1 (2df8220cc511).
 */
#ifndef TAPIR_COMPAT_KERNEL_BUILD_H
#define TAPIR_COMPAT_KERNEL_BUILD_H

#if __has_include(<generated/utsversion.h>)
#include <generated/utsversion.h>
#elif __has_include(<generated/compile.h>)
#include <generated/compile.h>
#endif
#ifdef UTS_VERSION
#define TAPIR_KERNEL_BUILD UTS_VERSION
#else
#define TAPIR_KERNEL_BUILD ""
#endif

#endif
