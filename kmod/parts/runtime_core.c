// SPDX-License-Identifier: GPL-2.0-or-later
/* What every module has of the runtime. See Kbuild. */
#include "runtime/deref.c"
#include "runtime/errors.c"
#include "runtime/format.c"
#include "runtime/globals.c"
#include "runtime/hist.c"
#include "runtime/map_create.c"
#include "runtime/message.c"
#include "runtime/output.c"
#include "runtime/stat.c"
#include "runtime/string.c"
#include "runtime/touch.c"
