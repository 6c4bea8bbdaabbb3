// SPDX-License-Identifier: GPL-2.0-or-later
/* Where threads wait. See Kbuild. */
#include "kmod/kernel_walk.c"
#include "kmod/port_wait.c"
