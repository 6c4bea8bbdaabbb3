// SPDX-License-Identifier: GPL-2.0-or-later
/* What handlers ask of the machine, the stack and the call they are in. See Kbuild. */
#include "kmod/port_machine.c"
#include "kmod/port_stack.c"
