// SPDX-License-Identifier: GPL-2.0-or-later
/* Address spaces, and stacks in them. See Kbuild. */
#include "kmod/user_objects.c"
#include "kmod/user_copies.c"
#include "kmod/user_mappings.c"
#include "kmod/user_interpreters.c"
#include "kmod/port_user_stack.c"
