// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions of programs: entries, returns, statements. See Kbuild. */
#include "kmod/user_calls.c"
#include "kmod/user_sites.c"
#include "kmod/kind_uprobe.c"
#include "kmod/kind_uretprobe.c"
