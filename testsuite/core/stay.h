/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where programs wait to be looked at: main calls outer(), which calls stay(). */
#ifndef STAY_H
#define STAY_H

#include <stdio.h>
#include <unistd.h>

static volatile long never, turns;

/* Says that it is ready, and waits; or runs until it is killed. */
__attribute__((noinline, no_reorder)) static void stay(int spin) {
    printf("ready\n");
    fflush(stdout);
    while (spin && !never)
        turns++;
    for (;;)
        pause();
}

__attribute__((noinline, no_reorder)) static long outer(int k, int spin) {
    long kept = k * 7;
    stay(spin);
    return kept + never;
}

#endif
