/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The language's own limits, as its users know them: they hold where neither the module nor its loader sets others. Handlers that
 * delay no process, as on a core file, get larger ones: these only end loops over damaged lists, and arrays may be large.
 */
#ifndef TAPIR_DEFAULT_LIMITS_H
#define TAPIR_DEFAULT_LIMITS_H

#ifdef TAPIR_STILL
#define TAPIR_DEFAULT_MAXACTION		      2000000000
#define TAPIR_DEFAULT_MAXACTION_INTERRUPTIBLE 2000000000
#define TAPIR_DEFAULT_MAXMAPENTRIES	      1000000
#else
#define TAPIR_DEFAULT_MAXACTION		      1000
#define TAPIR_DEFAULT_MAXACTION_INTERRUPTIBLE 10000
/* So many can be sorted or deleted within some milliseconds. */
#define TAPIR_DEFAULT_MAXMAPENTRIES	      65536
#endif
#define TAPIR_DEFAULT_MAXERRORS	 0
#define TAPIR_DEFAULT_MAXSKIPPED 100
#define TAPIR_DEFAULT_MAXNESTING 10
#define TAPIR_DEFAULT_MAXTIME	 10000
/* Elements of an array with "%" and without a size, where MAXMAPENTRIES is not set. */
#define TAPIR_DEFAULT_WRAPENTRIES 2048
/* An error report out of nested functions takes 1.5 KB, an exception on top of it 0.5 KB more. */
#define TAPIR_DEFAULT_MINSTACKSPACE 3072
#define TAPIR_DEFAULT_STACK_BYTES   (64ull << 20)
/* With rings of 100 events, 10 MB. */
#define TAPIR_DEFAULT_MAXRECALLTHREADS 2048

#endif
