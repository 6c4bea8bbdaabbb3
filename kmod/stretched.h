/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Under a budget, makes the periods of performance events longer where their way alone takes too much (runtime/stretch.h). */
#ifndef TAPIR_KMOD_STRETCHED_H
#define TAPIR_KMOD_STRETCHED_H

/* All of them are the session thread's. The session may have a budget: before the first hit, after tapir_governed_begin(). */
void tapir_stretch_begin(void);
/* When tapir_stretch_tend() is to be called next: jiffies from now. */
long tapir_stretch_next(void);
/* Looks at each processor once in a window. */
void tapir_stretch_tend(void);

#endif
