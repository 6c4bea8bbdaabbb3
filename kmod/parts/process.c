// SPDX-License-Identifier: GPL-2.0-or-later
/* Processes: their beginnings and ends, and their system calls. See Kbuild. */
#include "kmod/tracepoints.c"
#include "kmod/family.c"
#include "kmod/whose.c"
#include "kmod/process_probes.c"
#include "kmod/kind_process.c"
#include "kmod/kind_process_syscall.c"
