// SPDX-License-Identifier: GPL-2.0-or-later
/* Where threads wait. See Kbuild. */
#include "runtime/wait.c"
#include "runtime/wait_kinds.c"
