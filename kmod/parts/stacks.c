// SPDX-License-Identifier: GPL-2.0-or-later
/* Stacks as values. See Kbuild. */
#include "kmod/port_stacks.c"
#include "kmod/stack_reads.c"
#include "kmod/stack_store.c"
