// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * _budget_faults ROUNDS: in each of so many rounds touches 1000 pages anew, while its name is "counted". Prints the
 * page faults that the kernel counted meanwhile.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

enum { kPages = 1000 };

/* Returns the page faults of the rounds. */
static long touch(char *pages, long rounds, const char *name) {
    struct rusage before, after;

    getrusage(RUSAGE_SELF, &before);
    prctl(PR_SET_NAME, name);
    for (; rounds > 0; rounds--) {
        for (int i = 0; i < kPages; i++)
            pages[i * 4096L] = 1;
        madvise(pages, kPages * 4096, MADV_DONTNEED);
    }
    prctl(PR_SET_NAME, "other");
    getrusage(RUSAGE_SELF, &after);
    return after.ru_minflt + after.ru_majflt - before.ru_minflt - before.ru_majflt;
}

int main(int argc, char **argv) {
    char *pages = mmap(NULL, kPages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (argc < 2 || pages == MAP_FAILED) return 1;
    madvise(pages, kPages * 4096, MADV_NOHUGEPAGE);
    /* The first round brings in the program's own pages. */
    touch(pages, 1, "first");
    printf("%ld\n", touch(pages, atol(argv[1]), "counted"));
    return 0;
}
