// SPDX-License-Identifier: GPL-2.0-or-later
// Prints how many page faults the kernel counted for this process between two calls of getppid.
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct rusage before, after;

int main(void) {
    enum { kPages = 700 };
    char *pages = mmap(NULL, kPages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return 1;
    madvise(pages, kPages * 4096, MADV_NOHUGEPAGE);
    memset(&before, 1, sizeof before);
    memset(&after, 1, sizeof after);
    syscall(SYS_getsid, 0);
    getrusage(RUSAGE_SELF, &before);
    syscall(SYS_getppid);
    for (int i = 0; i < kPages; ++i)
        pages[i * 4096L] = 1;
    syscall(SYS_getppid);
    getrusage(RUSAGE_SELF, &after);
    printf("%ld\n", after.ru_minflt + after.ru_majflt - before.ru_minflt - before.ru_majflt);
    return 0;
}
