/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hex2bin() and its like: in <linux/kernel.h>, in a header of their own since 6.4, and in 7.2 only there. */
#ifndef TAPIR_COMPAT_HEX_H
#define TAPIR_COMPAT_HEX_H

#include <linux/kernel.h>
#if __has_include(<linux/hex.h>)
#include <linux/hex.h>
#endif

#endif
