// SPDX-License-Identifier: GPL-2.0-or-later
// A program that computes on processor 0, and neighbors that take three quarters of it away. At its end the victim says
// how much processor time it had, and how long it wanted one: "had MICROSECONDS", "wanted MICROSECONDS".
// _culprit_neighbor victim MILLISECONDS | neighbors
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noipa))

static volatile unsigned sink;

static long microseconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000L + t.tv_nsec / 1000;
}

KEEP void compute_totals(void) {
    for (unsigned i = 0; i < 20000; i++)
        sink += i * i;
}

// Its processor time.
KEEP long serve(long milliseconds) {
    const long begun = microseconds(CLOCK_PROCESS_CPUTIME_ID);
    long had = 0;
    while ((had = microseconds(CLOCK_PROCESS_CPUTIME_ID) - begun) < milliseconds * 1000)
        compute_totals();
    return had;
}

int main(int argc, char **argv) {
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    if (argc < 2 || sched_setaffinity(0, sizeof first, &first)) return 2;
    if (!strcmp(argv[1], "neighbors")) {
        for (int i = 0; i < 2; i++)
            if (!fork()) break;
        for (;;)
            compute_totals();
    }
    const long begun = microseconds(CLOCK_MONOTONIC);
    const long had = serve(argc > 2 ? atol(argv[2]) : 500);
    printf("had %ld\nwanted %ld\n", had, microseconds(CLOCK_MONOTONIC) - begun);
    return 0;
}
