// SPDX-License-Identifier: GPL-2.0-or-later
// Serves 10,000 requests, one of which takes long: serve SLOW MILLISECONDS LOG. Writes what the slow one's thread did
// last, the events in their order with their arguments, and how long each request took that took more than a tenth of
// that.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REQUESTS = 10000, KEPT = 100 };

static struct { long request, kind, value; } events[KEPT];
static long count;
static volatile long sink;

__attribute__((noinline, noipa)) void step(long request, long kind, long value) {
    events[count % KEPT].request = request;
    events[count % KEPT].kind = kind;
    events[count++ % KEPT].value = value;
    sink += kind;
}
__attribute__((noinline, noipa)) void ask_backend(long milliseconds) {
    struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    while (nanosleep(&left, &left))
        ;
    sink++;
}
static unsigned long state = 88172645463325252ul;
static unsigned long next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}
__attribute__((noinline, noipa)) void handle(long request, long milliseconds) {
    const long steps = 1 + (long)(next() % 5);
    for (long i = 0; i < steps; i++)
        step(request, i, (long)(next() % 1000000) - 500000);
    if (milliseconds) ask_backend(milliseconds);
    step(request, -1, steps);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    const long slow = atol(argv[1]), milliseconds = atol(argv[2]);
    FILE *log = fopen(argv[3], "w");
    if (!log) return 1;
    state ^= (unsigned long)slow * 0x9e3779b97f4a7c15ul;
    for (long request = 0; request < REQUESTS; request++) {
        const double began = now();
        handle(request, request == slow ? milliseconds : 0);
        const double took = now() - began;
        if (took * 10 > (double)milliseconds) printf("%ld %.0f\n", request, took);
        if (request != slow) continue;
        for (long i = count < KEPT ? 0 : count - KEPT; i < count; i++)
            fprintf(log, "request %ld, step %ld: %ld\n", events[i % KEPT].request, events[i % KEPT].kind,
                    events[i % KEPT].value);
    }
    return fclose(log) || !sink;
}
