// SPDX-License-Identifier: GPL-2.0-or-later
/* System calls by their numbers. See Kbuild. */
#include "kmod/call_data.c"
#include "kmod/syscall_parts.c"
#include "kmod/kind_syscall.c"
