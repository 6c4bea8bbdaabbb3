// SPDX-License-Identifier: GPL-2.0-or-later
/* Where programs are mapped, under the lock of their address space. See Kbuild. */
#include "kmod/program_places.c"
#include "kmod/user_learn.c"
#include "kmod/user_lock.c"
#include "kmod/port_program.c"
