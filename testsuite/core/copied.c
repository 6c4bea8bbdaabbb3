// SPDX-License-Identifier: GPL-2.0-or-later
/* A program that copies its code to memory of no file and maps that over it, as programs do that want it on huge pages.
 * Its first argument says how: "whole", or "part" for the middle of it only, as those do that take whole huge pages; to
 * memory that is "shared"; to a page that is "huge", which needs FILL_BYTES of 2 MB; of "other" each page has been
 * changed. Then it waits, or with a second argument runs until it is killed.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE (2ul << 20)
#ifndef FILL_BYTES
#define FILL_BYTES 12288
#endif
#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

/* So that there is a middle. */
#define FILL(name)                                               \
    __attribute__((noinline, no_reorder)) long name(long k) {    \
        __asm__ volatile(".fill " TEXT(FILL_BYTES) ", 1, 0x90"); \
        return k * 3;                                            \
    }
FILL(fill_before)

#include "stay.h"

FILL(fill_behind)

static int is(const char *how, const char *word) {
    return strcmp(how, word) == 0;
}

static void copy(uintptr_t start, uintptr_t end, const char *how) {
    size_t bytes = end - start;
    int flags = MAP_ANONYMOUS | (is(how, "shared") ? MAP_SHARED : MAP_PRIVATE) | (is(how, "huge") ? MAP_HUGETLB : 0);
    char *to = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (to == MAP_FAILED) abort();
    memcpy(to, (void *)start, bytes);
    /* In what is never run. */
    if (is(how, "other"))
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
    if (is(how, "part")) {
        start = (here & ~4095ul) - 4096;
        end = (here & ~4095ul) + 4096;
    }
    if (is(how, "huge")) {
        start = here & ~(HUGE - 1);
        end = start + HUGE;
    }
    copy(start, end, how);
    return (int)outer(argc * 3, argc > 2);
}
