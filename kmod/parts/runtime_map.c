// SPDX-License-Identifier: GPL-2.0-or-later
/* Arrays. See Kbuild. */
#include "runtime/map.c"
#include "runtime/map_ask.c"
#include "runtime/map_iter.c"
#include "runtime/map_known.c"
#include "runtime/map_lend.c"
#include "runtime/map_locks.c"
#include "runtime/map_snapshot.c"
#include "runtime/map_sort.c"
#include "runtime/map_stat.c"
#include "runtime/locks.c"
