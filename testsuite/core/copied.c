// SPDX-License-Identifier: GPL-2.0-or-later
/* A program that copies its code to memory of no file and maps that over it, as programs do that want it on huge pages.
 * Its argument says how much: "whole", or "part" for the middle of it only, as those do that take whole huge pages; of
 * "other" each page has been changed. Then it waits, or with a second argument "spin" runs until it is killed.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile long never, turns;

/* So that there is a middle. */
#define FILL(name)                                      \
    __attribute__((noinline, used)) long name(long k) { \
        __asm__ volatile(".fill 12288, 1, 0x90");       \
        return k * 3 + never;                           \
    }
FILL(fill_before)

__attribute__((noinline)) static void stay(int spin) {
    printf("ready\n");
    fflush(stdout);
    while (spin && !never)
        turns++;
    for (;;)
        pause();
}

__attribute__((noinline)) static long outer(int k, int spin) {
    long kept = k * 7;
    stay(spin);
    return kept + never;
}

FILL(fill_behind)

static void copy(uintptr_t start, uintptr_t end, int change) {
    size_t bytes = end - start;
    char *to = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (to == MAP_FAILED) abort();
    memcpy(to, (void *)start, bytes);
    /* In what is never run. */
    if (change)
        for (size_t at = 0; at + 4096 <= bytes; at += 4096)
            for (size_t i = 0; i < 4096; i++)
                if (to[at + i] == (char)0x90 && to[at + (i ^ 1)] == (char)0x90) to[at + i] = (char)0xcc;
    if (mprotect(to, bytes, PROT_READ | PROT_EXEC)) abort();
    /* The code that calls this goes away and comes back in one step. */
    if (mremap(to, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)start) == MAP_FAILED) abort();
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "whole";
    uintptr_t start = 0, end = 0, here = (uintptr_t)outer;
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long from, to;
        if (sscanf(line, "%lx-%lx", &from, &to) == 2 && here >= from && here < to) start = from, end = to;
    }
    if (!start) return 1;
    fclose(maps);
    if (strcmp(how, "part") == 0) {
        start = (here & ~4095ul) - 4096;
        end = (here & ~4095ul) + 4096;
    }
    copy(start, end, strcmp(how, "other") == 0);
    return (int)outer(argc * 3, argc > 2);
}
