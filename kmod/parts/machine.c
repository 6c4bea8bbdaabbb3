// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions for handlers: the machine, the stack and the current call. See Kbuild. */
#include "kmod/port_machine.c"
#include "kmod/port_stack.c"
