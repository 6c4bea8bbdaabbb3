/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of the limits of a session for -D and --limit, by enum tapir_limit. */
#ifndef TAPIR_LIMIT_NAMES_H
#define TAPIR_LIMIT_NAMES_H

#include <tapir/wire.h>

static const char *const tapir_limit_names[TAPIR_LIMITS] = {
    "MAXACTION",     "MAXACTION_INTERRUPTIBLE", "MAXERRORS",	"MAXSKIPPED", "MAXNESTING",
    "MAXMAPENTRIES", "MINSTACKSPACE",		"BUFFER_BYTES", "MAXTIME",    "STACK_BYTES",
    "OVERLOAD",	     "MAXRECALLTHREADS",	"BUDGET",
};

#endif
