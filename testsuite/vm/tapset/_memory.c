// SPDX-License-Identifier: GPL-2.0-or-later
// Touches memory in known ways between calls of getppid(), and says which addresses it used. With an argument: uses up
// 50 MB.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGES 64
#define SIZE (PAGES * 4096ul)

static volatile char sink;

static char *map(int flags) {
    char *p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags, -1, 0);

    // EINVAL: this kernel has no huge pages.
    if (p == MAP_FAILED || (madvise(p, SIZE, MADV_NOHUGEPAGE) && errno != EINVAL)) exit(1);
    return p;
}

int main(int argc, char **argv) {
    (void)argv;
    struct rusage before, after;
    char *written, *read, *shared, *top;
    int pipes[2];

    if (argc > 1) {
        written = malloc(50 << 20);
        memset(written, 1, 50 << 20);
        return written[argc] != 1;
    }
    top = sbrk(0);
    written = map(MAP_PRIVATE);
    read = map(MAP_PRIVATE);
    shared = map(MAP_PRIVATE);
    printf("written %lu\nread %lu\nshared %lu\n", (unsigned long)written, (unsigned long)read, (unsigned long)shared);
    fflush(stdout);
    memset(shared, 1, SIZE);
    getrusage(RUSAGE_SELF, &before);
    getppid();  // from here on
    for (int i = 0; i < PAGES; i++)
        written[i * 4096ul + 8] = 1;
    for (int i = 0; i < PAGES; i++)
        sink = read[i * 4096ul];
    for (int i = 0; i < 16; i++)
        read[i * 4096ul] = 1;
    getrusage(RUSAGE_SELF, &after);
    getppid();  // to here
    printf("faults %ld %ld\n", after.ru_minflt - before.ru_minflt, after.ru_majflt - before.ru_majflt);
    fflush(stdout);
    if (!fork()) {
        for (int i = 0; i < 20; i++)
            shared[i * 4096ul] = 2;
        _exit(0);
    }
    wait(NULL);
    munmap(written, SIZE);
    if (brk(top + 5 * 4096)) return 2;
    if (pipe(pipes)) return 3;
    close(pipes[0]);
    close(pipes[1]);
    printf("top %lu\n", (unsigned long)(top + 4095) & -4096ul);
    fflush(stdout);
    getchar();  // until the test is done with the rest
    return 0;
}
